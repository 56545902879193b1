/* Stacks of new threads, with and without a kernel that can be asked for one region. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/kernel/proc.h"
#include "trace/state/stack_regions.h"

struct fake {
	struct region all[4];
	size_t n;
	unsigned read; /* how often all were */
	bool asked_for_one;
};

static size_t fake_regions(void *self, pid_t tid, struct region **ret)
{
	struct fake *fake = self;

	(void)tid;
	fake->read++;
	*ret = mem_copy(fake->all, fake->n, sizeof(*fake->all));
	return fake->n;
}

static bool fake_region_at(void *self, pid_t tid, uint64_t address, struct region *ret)
{
	struct fake *fake = self;

	(void)tid;
	for (size_t i = 0; i < fake->n && fake->asked_for_one; i++)
		if (address >= fake->all[i].low && address < fake->all[i].high) {
			*ret = fake->all[i];
			return true;
		}
	return false;
}

static const struct target_ops fake_ops = {.regions = fake_regions, .region_at = fake_region_at};

struct tried {
	struct fake fake;
	struct session session;
	struct inferior inferior;
	struct tracee tracee;
};

static void tried_begin(struct tried *tried, bool asked_for_one)
{
	*tried = (struct tried){.fake = {.all = {{.low = 0x10000, .high = 0x20000},
						 {.low = 0x40000, .high = 0x50000}},
					 .n = 2,
					 .asked_for_one = asked_for_one}};
	tried->session.target = (struct target){&fake_ops, &tried->fake};
	tried->inferior.session = &tried->session;
	tried->tracee.inferior = &tried->inferior;
	assert_int_equal(stack_regions_identity(&tried->tracee, 0x11000), 0x20000);
	assert_int_equal(tried->fake.read, 1);
}

static uint64_t identity(struct tried *tried, uint64_t address)
{
	return stack_regions_identity(&tried->tracee, address);
}

static void a_new_stack_is_found_without_reading_all(void **state)
{
	struct tried tried;

	(void)state;
	tried_begin(&tried, true);
	tried.fake.all[2] = (struct region){.low = 0x28000, .high = 0x30000};
	tried.fake.n = 3;
	assert_int_equal(identity(&tried, 0x29000), 0x30000);
	assert_int_equal(identity(&tried, 0x41000), 0x50000);
	assert_int_equal(identity(&tried, 0x11000), 0x20000);
	assert_int_equal(tried.fake.read, 1);
	assert_int_equal(tried.inferior.n_regions, 3);
	free(tried.inferior.regions);
}

static void it_takes_the_place_of_those_that_were_there(void **state)
{
	struct tried tried;

	(void)state;
	tried_begin(&tried, true);
	tried.fake.all[0] = (struct region){.low = 0x18000, .high = 0x48000};
	tried.fake.n = 1;
	assert_int_equal(identity(&tried, 0x30000), 0x48000);
	assert_int_equal(tried.inferior.n_regions, 1);
	assert_int_equal(identity(&tried, 0x19000), 0x48000);
	assert_int_equal(identity(&tried, 0x47fff), 0x48000);
	free(tried.inferior.regions);
}

static void an_older_kernel_is_asked_for_all(void **state)
{
	struct tried tried;

	(void)state;
	tried_begin(&tried, false);
	tried.fake.all[2] = (struct region){.low = 0x60000, .high = 0x70000};
	tried.fake.n = 3;
	assert_int_equal(identity(&tried, 0x61000), 0x70000);
	assert_int_equal(identity(&tried, 0x90000), 0);
	assert_int_equal(tried.fake.read, 3);
	free(tried.inferior.regions);
}

/* Where this kernel can be asked for one, it says the same of it as of all. */
static void one_region_is_as_among_all(void **state)
{
	struct region *all, one;
	const size_t n = proc_regions(getpid(), &all);

	(void)state;
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		if (proc_region_at(getpid(), all[i].low, &one) && one.low == all[i].low)
			assert_true(one.code == all[i].code);
	if (proc_region_at(getpid(), (uint64_t)&one, &one))
		assert_true((uint64_t)&one >= one.low && (uint64_t)&one < one.high && !one.code);
	assert_false(proc_region_at(getpid(), 1, &one));
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_stack_is_found_without_reading_all),
		cmocka_unit_test(it_takes_the_place_of_those_that_were_there),
		cmocka_unit_test(an_older_kernel_is_asked_for_all),
		cmocka_unit_test(one_region_is_as_among_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
