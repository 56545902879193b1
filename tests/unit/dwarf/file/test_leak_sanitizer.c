/* What the environment says about leak detectors, read as the sanitizers read it. */
#include "check.h"

#include "dwarf/file/leak_sanitizer.h"

static void leaks_are_looked_for_unless_somebody_says_no(void **state)
{
	(void)state;
	assert_false(leak_sanitizer_is_off(NULL, false));
	assert_false(leak_sanitizer_is_off("", false));
	assert_true(leak_sanitizer_is_off("detect_leaks=0", false));
	assert_true(leak_sanitizer_is_off("verbosity=1:detect_leaks=no,color=never", false));
	assert_true(leak_sanitizer_is_off(" detect_leaks=false", false));
	assert_false(leak_sanitizer_is_off("detect_leaks=1", false));
	assert_false(leak_sanitizer_is_off("dont_detect_leaks=0", false));
	assert_false(leak_sanitizer_is_off("detect_leaks=00", false));
}

static void the_last_word_counts(void **state)
{
	(void)state;
	assert_false(leak_sanitizer_is_off("detect_leaks=0:detect_leaks=1", false));
	assert_false(leak_sanitizer_is_off("detect_leaks=1", true));
	assert_true(leak_sanitizer_is_off("verbosity=1", true));
	assert_true(leak_sanitizer_is_off(NULL, true));
}

static void a_file_that_is_no_program_has_no_detector(void **state)
{
	(void)state;
	assert_int_equal(leak_sanitizer_detector("/nonexistent"), LEAKS_UNCHECKED);
	assert_int_equal(leak_sanitizer_detector("/etc/passwd"), LEAKS_UNCHECKED);
	assert_int_equal(leak_sanitizer_detector("/"), LEAKS_UNCHECKED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaks_are_looked_for_unless_somebody_says_no),
		cmocka_unit_test(the_last_word_counts),
		cmocka_unit_test(a_file_that_is_no_program_has_no_detector),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
