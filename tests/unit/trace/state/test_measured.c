#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/state/measured.h"

/* 50 times 1 and 50 times 3: mean 2, deviation sqrt(100/99). */
static void doubt_is_the_standard_error_of_the_mean_beside_it(void **state)
{
	struct measured_function measured = {.governed = 0};

	(void)state;
	for (int i = 0; i < 100; i++)
		measured_learn(&measured, (struct value){.number = i % 2 ? 3 : 1});
	assert_true(fabs(measured_doubt(&measured) - sqrt(100. / 99) / 10 / 2) < 1e-12);
}

static void of_few_samples_and_absent_times_nothing_is_known(void **state)
{
	struct measured_function measured = {.governed = 0};

	(void)state;
	for (int i = 0; i < 100; i++)
		measured_learn(&measured, i % 5 ? (struct value){.absence = ABSENT_NOT_MEASURED}
						: (struct value){.number = 1 + i});
	assert_true(measured_doubt(&measured) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubt_is_the_standard_error_of_the_mean_beside_it),
		cmocka_unit_test(of_few_samples_and_absent_times_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
