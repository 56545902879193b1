/* Control groups of both versions, pressure and the network, of copies of the kernel's files. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "trace/kernel/system_files.h"

static char root[64];

/* The file @path of @root, with its folders. */
static void put(const char *path, const char *text)
{
	char whole[512];
	char *slash;
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(whole, 0700);
		*slash = '/';
	}
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static struct value value_of(enum system_value which)
{
	struct system_files files = {0};

	return system_files_value(&files, root, 12, which, 1);
}

static int make_root(void **state)
{
	(void)state;
	strcpy(root, "/tmp/fathom-files-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void the_least_limit_of_version_2_counts(void **state)
{
	(void)state;
	put("/proc/12/cgroup", "0::/system.slice/server.service\n");
	put("/sys/fs/cgroup/system.slice/server.service/memory.max", "max\n");
	put("/sys/fs/cgroup/system.slice/server.service/memory.current", "5000\n");
	put("/sys/fs/cgroup/system.slice/memory.max", "80000\n");
	put("/sys/fs/cgroup/system.slice/memory.current", "30000\n");
	assert_true(value_of(SYSTEM_MEMORY_LIMIT).number == 80000);
	assert_true(value_of(SYSTEM_MEMORY_LEFT).number == 50000);
	put("/sys/fs/cgroup/system.slice/server.service/memory.max", "4000\n");
	assert_true(value_of(SYSTEM_MEMORY_LIMIT).number == 4000);
	assert_true(value_of(SYSTEM_MEMORY_LEFT).number == 0);
}

static void a_memory_group_of_version_1_counts_more(void **state)
{
	(void)state;
	put("/proc/12/cgroup", "11:memoryless:/x\n5:cpu,memory:/box\n0::/\n");
	put("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "1048576\n");
	put("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "48576\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	assert_true(value_of(SYSTEM_MEMORY_LIMIT).number == 1048576);
	assert_true(value_of(SYSTEM_MEMORY_LEFT).number == 1000000);
}

static void no_limit_is_absent(void **state)
{
	(void)state;
	put("/proc/12/cgroup", "0::/\n");
	put("/sys/fs/cgroup/memory.max", "max\n");
	assert_int_equal(value_of(SYSTEM_MEMORY_LIMIT).absence, ABSENT_UNREADABLE);
	put("/proc/12/cgroup", "5:memory:/\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	assert_int_equal(value_of(SYSTEM_MEMORY_LEFT).absence, ABSENT_UNREADABLE);
}

static void texts_that_mean_nothing_are_absent(void **state)
{
	static const char *const groups[] = {"",
					     "\n\n",
					     ":",
					     "::",
					     "0:",
					     "5:memory",
					     "memory:memory",
					     "0::relative",
					     "5:memory,:\n:::",
					     "9:,,,memory"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		put("/proc/12/cgroup", groups[i]);
		assert_int_equal(value_of(SYSTEM_MEMORY_LIMIT).absence, ABSENT_UNREADABLE);
	}
	assert_int_equal(value_of(SYSTEM_PRESSURE_IO).absence, ABSENT_UNREADABLE);
	put("/proc/pressure/io", "some avg10=-nan");
	assert_int_equal(value_of(SYSTEM_PRESSURE_IO).absence, ABSENT_UNREADABLE);
}

static void pressure_is_that_of_ten_seconds(void **state)
{
	(void)state;
	put("/proc/pressure/memory",
	    "some avg10=1.53 avg60=0.87 avg300=0.73 total=1\nfull avg10=9 avg60=1\n");
	assert_true(value_of(SYSTEM_PRESSURE_MEMORY).number == 1.53);
}

/* Bytes a second between two looks, without those of lo; kept for a while. */
static void the_network_is_a_rate(void **state)
{
	struct system_files files = {0};
	const uint64_t second = 1000000000;

	(void)state;
	put("/proc/12/net/dev", "Inter-|   Receive  |  Transmit\n face |bytes packets\n"
				"    lo: 900 1 0 0 0 0 0 0 900 1 0 0 0 0 0 0\n"
				"  eth0: 1000 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n");
	assert_int_equal(system_files_value(&files, root, 12, SYSTEM_NETWORK, second).absence,
			 ABSENT_NOT_MEASURED);
	put("/proc/12/net/dev", "    lo: 9000 1 0 0 0 0 0 0 900 1 0 0 0 0 0 0\n"
				"  eth0:2000 1 0 0 0 0 0 0 700 1 0 0 0 0 0 0\n");
	assert_int_equal(system_files_value(&files, root, 12, SYSTEM_NETWORK, second + 1).absence,
			 ABSENT_NOT_MEASURED);
	assert_true(system_files_value(&files, root, 12, SYSTEM_NETWORK, 3 * second).number == 600);
}

static void processors_are_those_that_are_allowed(void **state)
{
	struct system_files files = {0};

	(void)state;
	assert_true(system_files_value(&files, "", getpid(), SYSTEM_PROCESSORS, 1).number >= 1);
}

#define ON_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_ROOT(the_least_limit_of_version_2_counts),
		ON_ROOT(a_memory_group_of_version_1_counts_more),
		ON_ROOT(no_limit_is_absent),
		ON_ROOT(texts_that_mean_nothing_are_absent),
		ON_ROOT(pressure_is_that_of_ten_seconds),
		ON_ROOT(the_network_is_a_rate),
		cmocka_unit_test(processors_are_those_that_are_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
