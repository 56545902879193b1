/* Ids of calls that several threads number themselves. */
#include "trace/state/call_ids.h"

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void one_source_keeps_its_numbers(void **state)
{
	struct call_ids ids = {0};

	(void)state;
	assert_int_equal(call_ids_outside(&ids, 0), 0);
	assert_int_equal(call_ids_outside(&ids, 7), 7);
	assert_int_equal(call_ids_outside(&ids, 1), 1);
	assert_int_equal(call_ids_outside(&ids, 5000000), 5000000);
	call_ids_deinit(&ids);
}

static void sources_share_no_id_and_keep_their_order(void **state)
{
	struct call_ids ids = {0};
	const int64_t one = call_ids_begin(&ids), other = call_ids_begin(&ids);
	int64_t last_one = 0, last_other = 0;

	(void)state;
	for (int64_t i = 1; i < 10000; i++) {
		const int64_t a = call_ids_outside(&ids, one + i);
		const int64_t b = call_ids_outside(&ids, other + i);

		assert_true(a > last_one && b > last_other && a != b);
		assert_true(a < 100000 && b < 100000);
		last_one = a;
		last_other = b;
	}
	assert_int_equal(call_ids_outside(&ids, one + 9999), last_one);
	call_ids_deinit(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_source_keeps_its_numbers),
		cmocka_unit_test(sources_share_no_id_and_keep_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
