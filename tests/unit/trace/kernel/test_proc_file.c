/*
 * Texts of /proc that programs choose names in, that end anywhere, and whose numbers are too large.
 */
#include "check.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "trace/kernel/proc_file.h"

static uint64_t number(const char *text, unsigned base)
{
	uint64_t ret = 7;

	proc_number(text, base, &ret);
	return ret;
}

static void a_number_ends_where_its_digits_do(void **state)
{
	const char *text = " \t12x";
	uint64_t ret;

	(void)state;
	assert_ptr_equal(proc_number(text, 10, &ret), text + 4);
	assert_int_equal(ret, 12);
	assert_int_equal(number("00000000abcdef12", 16), 0xabcdef12);
	assert_int_equal(number("0x7ffe1234 1", 16), 0x7ffe1234);
	assert_int_equal(number("12ab", 10), 12);
}

static void what_is_no_number_is_none(void **state)
{
	static const char *const texts[] = {"", " ", "-1", "x", "\n12", "+3", NULL};
	uint64_t ret;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		ret = 7;
		assert_null(proc_number(texts[i], 10, &ret));
		assert_int_equal(ret, 0);
	}
	assert_null(proc_number("0x", 16, &ret));
}

static void a_number_too_large_is_the_largest(void **state)
{
	(void)state;
	assert_int_equal(number("18446744073709551614", 10), UINT64_MAX - 1);
	assert_int_equal(number("18446744073709551615", 10), UINT64_MAX);
	assert_int_equal(number("18446744073709551616", 10), UINT64_MAX);
	assert_int_equal(number("99999999999999999999999999999999999999990", 10), UINT64_MAX);
	assert_int_equal(number("10000000000000000", 16), UINT64_MAX);
}

static void the_name_in_stat_may_be_like_what_follows(void **state)
{
	const char *stat = "70 (a) R 1\n2 (b) (c) S 3 4 5\n";

	(void)state;
	assert_int_equal(*proc_stat_field(stat, 3), 'S');
	assert_int_equal(number(proc_stat_field(stat, 4), 10), 3);
	assert_int_equal(number(proc_stat_field(stat, 6), 10), 5);
	assert_null(proc_stat_field(stat, 7));
}

static void a_stat_that_is_cut_has_fewer_fields(void **state)
{
	static const char stat[] = "70 (a) S 31 47";
	char text[sizeof(stat)];
	uint64_t ret;

	(void)state;
	for (size_t n = 0; n < sizeof(stat); n++) {
		snprintf(text, n + 1, "%s", stat);
		assert_int_equal(proc_number(proc_stat_field(text, 4), 10, &ret) != NULL, n > 9);
		assert_int_equal(ret, n > 10 ? 31 : n > 9 ? 3 : 0);
		assert_null(proc_number(proc_stat_field(text, 6), 10, &ret));
	}
}

static void a_field_is_found_where_a_line_begins(void **state)
{
	const char *status = "Name:\tPPid:77\nxPPid:\t5\nPPid:\t12\nPPid:\t13";

	(void)state;
	assert_int_equal(number(proc_field(status, "PPid:"), 10), 12);
	assert_null(proc_field(status, "Tgid:"));
	assert_null(proc_field("", "Tgid:"));
	assert_string_equal(proc_field("Tgid:", "Tgid:"), "");
	assert_null(proc_behind("Tgi", "Tgid:"));
}

static struct proc_lines lines_of(const char *text, size_t n)
{
	struct proc_lines lines = {.fd = memfd_create("lines", MFD_CLOEXEC)};

	assert_int_equal(write(lines.fd, text, n), n);
	assert_int_equal(lseek(lines.fd, 0, SEEK_SET), 0);
	return lines;
}

static void lines_end_with_the_text(void **state)
{
	static const char text[] = "one\n\nthree";
	struct proc_lines lines = lines_of(text, strlen(text));

	(void)state;
	assert_string_equal(proc_lines_next(&lines), "one");
	assert_string_equal(proc_lines_next(&lines), "");
	assert_string_equal(proc_lines_next(&lines), "three");
	assert_null(proc_lines_next(&lines));
	assert_null(proc_lines_next(&lines));
	proc_lines_close(&lines);
	assert_null(proc_lines_next(&lines));
}

/* As "Groups:" is in front of what is looked for, of somebody who is in many. */
static void a_line_too_long_is_cut_and_its_rest_is_no_line(void **state)
{
	enum { LENGTHS = 3 };
	const size_t lengths[LENGTHS] = {PROC_LINE - 2, PROC_LINE - 1, 5 * PROC_LINE};
	static char text[6 * PROC_LINE];

	(void)state;
	for (size_t i = 0; i < LENGTHS; i++) {
		const size_t shown = lengths[i] < PROC_LINE ? lengths[i] : PROC_LINE - 1;
		struct proc_lines lines;

		memset(text, 'g', lengths[i]);
		strcpy(text + lengths[i], "\nlast\n");
		lines = lines_of(text, strlen(text));
		assert_int_equal(strlen(proc_lines_next(&lines)), shown);
		assert_string_equal(proc_lines_next(&lines), "last");
		assert_null(proc_lines_next(&lines));
		proc_lines_close(&lines);
	}
}

static void what_is_not_there_has_no_text(void **state)
{
	struct proc_lines lines;
	char text[8] = "before";

	(void)state;
	assert_int_equal(proc_read(-1, "stat", text, sizeof(text)), 0);
	assert_string_equal(text, "");
	proc_lines_open(&lines, -1, "status");
	assert_null(proc_lines_next(&lines));
	proc_lines_close(&lines);
	assert_int_equal(proc_status(-1, "Tgid:"), 0);
	assert_int_equal(proc_state(-1), 0);
	assert_true(proc_is_dead(-1));
	assert_int_equal(proc_stat_number(-1, 4), -1);
	assert_false(proc_each_thread(-1, NULL, NULL));
}

static void take(void *context, pid_t tid)
{
	*(int *)context += tid == gettid() ? 1 : 1000;
}

static void of_oneself_the_kernel_tells_what_is_so(void **state)
{
	char text[4];
	int found = 0;

	(void)state;
	assert_int_equal(prctl(PR_SET_NAME, ") Z\n1 PPid:"), 0);
	assert_int_equal(proc_status(getpid(), "PPid:"), getppid());
	assert_int_equal(proc_stat_number(getpid(), 4), getppid());
	assert_int_equal(proc_state(getpid()), 'R');
	assert_false(proc_is_dead(getpid()));
	assert_int_equal(proc_read(getpid(), "comm", text, sizeof(text)), 3);
	assert_string_equal(text, ") Z");
	signal(SIGUSR2, SIG_IGN);
	assert_true(proc_status_mask(getpid(), "SigIgn:") & UINT64_C(1) << (SIGUSR2 - 1));
	assert_true(proc_each_thread(getpid(), take, &found));
	assert_int_equal(found, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_ends_where_its_digits_do),
		cmocka_unit_test(what_is_no_number_is_none),
		cmocka_unit_test(a_number_too_large_is_the_largest),
		cmocka_unit_test(the_name_in_stat_may_be_like_what_follows),
		cmocka_unit_test(a_stat_that_is_cut_has_fewer_fields),
		cmocka_unit_test(a_field_is_found_where_a_line_begins),
		cmocka_unit_test(lines_end_with_the_text),
		cmocka_unit_test(a_line_too_long_is_cut_and_its_rest_is_no_line),
		cmocka_unit_test(what_is_not_there_has_no_text),
		cmocka_unit_test(of_oneself_the_kernel_tells_what_is_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
