/* Memory of pads in a live process, and a patch there: it is as it was when all is taken back. */
#include "check.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/pad/pad_block.h"
#include "trace/pad/pad_patch.h"

__asm__(".pushsection .text\n"
	".type area_step, @function\n"
	"area_step:\n"
	"	.byte 0x0f, 0x1f, 0x44, 0, 0\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	".size area_step, . - area_step\n"
	".type area_unneeded, @function\n"
	"area_unneeded:\n"
	"	.fill 16, 1, 0x90\n"
	".size area_unneeded, . - area_unneeded\n"
	".popsection\n");
uint64_t area_step(uint64_t n);
void area_unneeded(void);

enum { MAPS = 1 << 16 };

struct fixture {
	pid_t pid;
	struct target target;
	struct recovery *guard;
	struct pad_area *area;
	_Atomic uint64_t *count; /* of calls, shared */
	char maps[MAPS];
};

static void read_maps(pid_t pid, char ret[MAPS])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "r");
	assert_non_null(file);
	ret[fread(ret, 1, MAPS - 1, file)] = '\0';
	fclose(file);
}

/* Calls area_step() for ever, or ends if it is wrong. */
static void count_calls(_Atomic uint64_t *count)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (area_step(*count) == *count + 1)
		++*count;
	_exit(1);
}

/* Without a stop. */
static void await_calls(const struct fixture *f, uint64_t n)
{
	int status;

	while (*f->count < n) {
		assert_int_equal(waitpid(f->pid, &status, WNOHANG), 0);
		usleep(1000);
	}
}

static void stop(struct fixture *f)
{
	struct user_regs_struct registers;
	struct stop stop;
	uint64_t ignored;

	/* Not inside area_step(), which may be patched. */
	do {
		assert_true(f->target.ops->resume(f->target.self, f->pid, 0, &ignored));
		assert_true(f->target.ops->interrupt(f->target.self, f->pid));
		assert_int_equal(f->target.ops->wait(f->target.self, 0, &stop), WAIT_STOP);
		assert_int_equal(stop.kind, STOP_EVENT);
		assert_true(f->target.ops->get_registers(f->target.self, f->pid, &registers));
	} while (registers.rip - (uint64_t)area_step < 16);
}

static void setup(struct fixture *f)
{
	struct stop first;
	struct err err;
	pid_t *tids;
	size_t n;

	f->count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(f->count != MAP_FAILED);
	f->pid = fork();
	if (f->pid == 0)
		count_calls(f->count);
	await_calls(f, 1); /* it makes no system calls any more */
	assert_true(recovery_create(&f->guard, &err));
	recovery_add_process(f->guard, f->pid);
	assert_true(ptrace_target_attach(f->pid, &f->target, &tids, &n, &err));
	free(tids);
	ptrace_target_set_recovery(&f->target, f->guard);
	f->area = pad_area_create(&f->target, (uint64_t)area_unneeded);
	assert_true(f->target.ops->interrupt(f->target.self, f->pid));
	assert_int_equal(f->target.ops->wait(f->target.self, 0, &first), WAIT_STOP);
	stop(f);
	read_maps(f->pid, f->maps);
}

/* It runs on, and has the memory that it had. */
static void teardown(struct fixture *f)
{
	static char maps[MAPS];
	uint64_t before, ignored;
	int status;

	pad_area_unmap(f->area, f->pid);
	read_maps(f->pid, maps);
	assert_string_equal(maps, f->maps);
	before = *f->count;
	assert_true(f->target.ops->resume(f->target.self, f->pid, 0, &ignored));
	await_calls(f, before + 1000);
	kill(f->pid, SIGKILL);
	waitpid(f->pid, &status, 0);
	pad_area_destroy(f->area);
	f->target.ops->destroy(f->target.self);
	recovery_destroy(f->guard);
	munmap(f->count, 4096);
}

static uint64_t allocate(struct fixture *f, uint64_t size)
{
	uint64_t address;
	struct err err;

	if (!pad_area_allocate(f->area, f->pid, size, (uint64_t)area_step, &address, &err))
		fail_msg("%s", err.text);
	return address;
}

static size_t count_areas(const struct fixture *f, enum recovery_area_kind kind)
{
	const struct recovery_area *areas = recovery_table(f->guard)->processes[0].areas;
	size_t n = 0;

	for (size_t i = 0; i < RECOVERY_AREAS; i++)
		n += areas[i].address && areas[i].kind == kind;
	return n;
}

static void code_is_reserved_near_the_code_without_overlaps(void **state)
{
	struct fixture f;
	uint64_t first, second, third;
	struct err err;

	(void)state;
	setup(&f);
	first = allocate(&f, 100);
	second = allocate(&f, PAD_AREA_SIZE - 112);
	third = allocate(&f, 16);
	assert_int_equal(first % 16, 0);
	assert_int_equal(second, first + 112);
	assert_true(third >= second + PAD_AREA_SIZE - 112 || third + 16 <= first);
	assert_in_range(first - (uint64_t)area_step + 0x7f000000, 0, 2 * UINT64_C(0x7f000000));
	assert_true(pad_area_contains(f.area, first + 99));
	assert_true(pad_area_contains(f.area, third));
	assert_false(pad_area_contains(f.area, (uint64_t)area_step));
	assert_int_equal(count_areas(&f, RECOVERY_PADS), 2);
	assert_false(pad_area_allocate(f.area, f.pid, PAD_AREA_SIZE + 1, first, &third, &err));
	teardown(&f);
}

static bool is_in_maps(const struct fixture *f, uint64_t low, uint64_t size, const char *access)
{
	static char maps[MAPS];
	char line[128];

	snprintf(line, sizeof(line), "%08lx-%08lx %s", low, low + size, access);
	read_maps(f->pid, maps);
	return strstr(maps, line);
}

static void code_cannot_be_written_there_and_blocks_not_executed(void **state)
{
	const uint64_t number = 5;
	struct fixture f;
	uint64_t blocks, word = 7;
	struct memory_write write = {.from = &number, .size = 8};
	struct memory_read read = {.to = &word, .size = 8};
	struct err err;

	(void)state;
	setup(&f);
	assert_true(is_in_maps(&f, allocate(&f, 16), PAD_AREA_SIZE, "r-xp"));
	assert_true(pad_area_map_blocks(f.area, f.pid, 3, &blocks, &err));
	assert_true(is_in_maps(&f, blocks, 3 * PAD_BLOCK_SIZE, "rw-p"));
	assert_false(pad_area_contains(f.area, blocks));
	assert_int_equal(count_areas(&f, RECOVERY_BLOCKS), 1);
	read.address = blocks + 2 * PAD_BLOCK_SIZE + 8;
	f.target.ops->read(f.target.self, f.pid, &read, 1);
	assert_true(read.ok);
	assert_int_equal(word, 0);
	write.address = read.address;
	assert_true(f.target.ops->write_many(f.target.self, f.pid, &write, 1));
	f.target.ops->read(f.target.self, f.pid, &read, 1);
	assert_int_equal(word, 5);
	teardown(&f);
}

static void a_copy_knows_the_same_memory(void **state)
{
	struct fixture f;
	struct pad_area *copy;
	uint64_t address;

	(void)state;
	setup(&f);
	address = allocate(&f, 16);
	copy = pad_area_copy(f.area);
	assert_true(pad_area_contains(copy, address));
	pad_area_destroy(copy);
	pad_area_unmap(f.area, f.pid);
	assert_int_equal(count_areas(&f, RECOVERY_PADS), 0);
	assert_false(pad_area_contains(f.area, address));
	teardown(&f);
}

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct read_plan cfa_plan = {cfa_steps, 2, PLAN_UNSIGNED, 8};
static const struct pad_function function = {
	.cfa = {.plan = &cfa_plan, .head = 2, .words = 1}, .n_words = 1, .n_absent = 1};

/* The block of its thread; no call is open. */
static void give_block(struct fixture *f)
{
	const struct pad_frame sentinel = {.cfa = UINT64_MAX};
	const uint64_t magic = PAD_MAGIC;
	struct user_regs_struct registers;
	uint64_t block, top;
	struct err err;

	assert_true(pad_area_map_blocks(f->area, f->pid, 1, &block, &err));
	assert_true(
		pad_area_live(f->area, f->pid, block + offsetof(struct pad_block, reserved), &err));
	top = block + PAD_FRAMES_END - PAD_FRAME_SIZE;
	const struct memory_write writes[] = {
		{block + offsetof(struct pad_block, magic), &magic, sizeof(magic)},
		{block + offsetof(struct pad_block, top), &top, sizeof(top)},
		{top, &sentinel, PAD_FRAME_SIZE},
	};
	assert_true(f->target.ops->write_many(f->target.self, f->pid, writes, 3));
	assert_true(f->target.ops->get_registers(f->target.self, f->pid, &registers));
	registers.gs_base = block;
	assert_true(f->target.ops->set_registers(f->target.self, f->pid, &registers));
}

/* Out of the pad that it may be in. */
static void leave_pad(struct fixture *f)
{
	struct user_regs_struct registers;
	int signal;

	for (;;) {
		assert_true(f->target.ops->get_registers(f->target.self, f->pid, &registers));
		if (!pad_area_contains(f->area, registers.rip) &&
		    registers.rip - (uint64_t)area_step >= 16)
			return;
		assert_true(f->target.ops->step(f->target.self, f->pid, &signal));
		assert_int_equal(signal, 0);
	}
}

static void assert_enters_pad(struct fixture *f, const struct pad_patch *patch)
{
	struct user_regs_struct registers;
	int signal;

	do {
		assert_true(f->target.ops->step(f->target.self, f->pid, &signal));
		assert_true(f->target.ops->get_registers(f->target.self, f->pid, &registers));
	} while (registers.rip != (uint64_t)area_step);
	assert_true(f->target.ops->step(f->target.self, f->pid, &signal));
	assert_true(f->target.ops->get_registers(f->target.self, f->pid, &registers));
	assert_int_equal(registers.rip, patch->pad);
}

static void a_process_runs_through_its_pads_and_without_them_again(void **state)
{
	const uint64_t at = (uint64_t)area_step;
	const struct pad_site sites[] = {{at, at, 5, PAD_ENTRY, &function, 0, false},
					 {at + 9, at + 5, 5, PAD_RETURN, &function, 0, false}};
	struct breakpoint_table *breakpoints;
	struct insn_decoder *decoder;
	struct pad_patch_setting setting;
	struct pad_patch_table *table;
	struct pad_patch *const *patches;
	struct fixture f;
	struct err err;
	uint64_t before, ignored;
	struct stop last;
	size_t n;

	(void)state;
	setup(&f);
	give_block(&f);
	assert_true(insn_decoder_create(&decoder, &err));
	breakpoints = breakpoint_table_create(&f.target, decoder, f.pid, (uint64_t)area_unneeded);
	setting = (struct pad_patch_setting){.target = &f.target,
					     .decoder = decoder,
					     .pid = f.pid,
					     .breakpoints = breakpoints,
					     .area = f.area,
					     .guard = f.guard};
	table = pad_patch_table_create(&setting);
	if (pad_patch_prepare(table, f.pid, sites, 2, &err))
		fail_msg("%s", err.text);
	patches = pad_patch_table_list(table, &n);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++)
		assert_true(pad_patch_plant(table, f.pid, patches[i], &err));
	assert_enters_pad(&f, pad_patch_by_run(table, at));
	before = *f.count;
	assert_true(f.target.ops->resume(f.target.self, f.pid, 0, &ignored));
	await_calls(&f, before + 1000);
	assert_true(f.target.ops->interrupt(f.target.self, f.pid));
	assert_int_equal(f.target.ops->wait(f.target.self, 0, &last), WAIT_STOP);
	assert_int_equal(last.kind, STOP_EVENT);
	leave_pad(&f);
	pad_patch_table_lift_all(table, f.pid);
	pad_patch_table_destroy(table);
	breakpoint_table_destroy(breakpoints);
	insn_decoder_destroy(decoder);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_reserved_near_the_code_without_overlaps),
		cmocka_unit_test(code_cannot_be_written_there_and_blocks_not_executed),
		cmocka_unit_test(a_copy_knows_the_same_memory),
		cmocka_unit_test(a_process_runs_through_its_pads_and_without_them_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
