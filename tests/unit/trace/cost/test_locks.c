/* What a thread has held and waited for, from operations as they are told. Times are in ns. */
#include "check.h"

#include <errno.h>

#include "trace/cost/locks.h"

enum { A = 0x1000, B = 0x2000, CONDITION_MUTEX = 0x3000 };

struct account {
	struct locks locks;
	struct locks_mark start;
};

static void operation(struct account *account, enum lock_action action, uint64_t object,
		      int64_t begin_ns, int64_t end_ns, int result)
{
	const struct lock_operation told = {action, object, begin_ns, end_ns, result};

	locks_operation(&account->locks, &told);
}

static void take(struct account *account, uint64_t object, int64_t begin_ns, int64_t end_ns)
{
	operation(account, LOCK_TAKE, object, begin_ns, end_ns, 0);
}

static void release(struct account *account, uint64_t object, int64_t begin_ns)
{
	operation(account, LOCK_RELEASE, object, begin_ns, begin_ns + 1, 0);
}

/* A thread that is watched, and a call that starts at @start_ns. */
static struct account account_at(int64_t start_ns)
{
	struct account account = {0};

	locks_watch(&account.locks, false);
	account.start = locks_mark(&account.locks, start_ns);
	return account;
}

static struct value held(const struct account *account, int64_t end_ns)
{
	const struct locks_mark end = locks_mark(&account->locks, end_ns);

	return locks_held(&account->locks, &account->start, &end);
}

static struct value waited(const struct account *account)
{
	const struct locks_mark end = locks_mark(&account->locks, 0);

	return locks_waited(&account->locks, &account->start, &end);
}

static void assert_held(const struct account *account, int64_t end_ns, int64_t expected_ns)
{
	const struct value value = held(account, end_ns);

	assert_int_equal(value.absence, PRESENT);
	assert_int_equal(value.number, expected_ns);
}

static void assert_waited(const struct account *account, int64_t expected_ns)
{
	const struct value value = waited(account);

	assert_int_equal(value.absence, PRESENT);
	assert_int_equal(value.number, expected_ns);
}

static void a_lock_is_waited_for_until_it_is_taken_and_held_until_it_is_released(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, A, 110, 150);
	release(&account, A, 170);
	assert_waited(&account, 40);
	assert_held(&account, 200, 20);
	locks_deinit(&account.locks);
}

static void a_call_without_locks_has_waited_and_held_nothing(void **state)
{
	struct account account = account_at(100);

	(void)state;
	assert_waited(&account, 0);
	assert_held(&account, 200, 0);
	locks_deinit(&account.locks);
}

static void several_locks_at_once_count_once(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, A, 110, 110);
	take(&account, B, 130, 140);
	release(&account, A, 150);
	release(&account, B, 190);
	assert_held(&account, 200, 80);
	assert_waited(&account, 10);
	locks_deinit(&account.locks);
}

static void a_lock_that_was_taken_twice_is_held_until_it_was_released_twice(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, A, 110, 110);
	take(&account, A, 120, 120);
	release(&account, A, 130);
	assert_held(&account, 140, 30);
	release(&account, A, 150);
	assert_held(&account, 200, 40);
	locks_deinit(&account.locks);
}

static void a_failed_attempt_takes_nothing_and_does_not_wait(void **state)
{
	struct account account = account_at(100);

	(void)state;
	operation(&account, LOCK_TRY, A, 110, 115, EBUSY);
	assert_held(&account, 200, 0);
	assert_waited(&account, 0);
	locks_deinit(&account.locks);
}

static void a_successful_attempt_takes_the_lock(void **state)
{
	struct account account = account_at(100);

	(void)state;
	operation(&account, LOCK_TRY, A, 110, 115, 0);
	release(&account, A, 145);
	assert_held(&account, 200, 30);
	assert_waited(&account, 0);
	locks_deinit(&account.locks);
}

static void who_waits_until_the_time_is_over_has_waited_and_holds_nothing(void **state)
{
	struct account account = account_at(100);

	(void)state;
	operation(&account, LOCK_TAKE, A, 110, 160, ETIMEDOUT);
	assert_waited(&account, 50);
	assert_held(&account, 200, 0);
	locks_deinit(&account.locks);
}

static void a_lock_whose_owner_died_is_taken(void **state)
{
	struct account account = account_at(100);

	(void)state;
	operation(&account, LOCK_TAKE, A, 110, 120, EOWNERDEAD);
	assert_held(&account, 200, 80);
	locks_deinit(&account.locks);
}

static void a_lock_that_would_deadlock_or_is_beyond_repair_is_not_taken(void **state)
{
	struct account account = account_at(100);

	(void)state;
	operation(&account, LOCK_TAKE, A, 110, 110, EDEADLK);
	operation(&account, LOCK_TAKE, B, 120, 120, ENOTRECOVERABLE);
	assert_held(&account, 200, 0);
	locks_deinit(&account.locks);
}

static void a_release_that_fails_releases_nothing(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, A, 110, 110);
	operation(&account, LOCK_RELEASE, A, 120, 121, EPERM);
	operation(&account, LOCK_RELEASE, B, 120, 121, EPERM);
	assert_held(&account, 200, 90);
	locks_deinit(&account.locks);
}

static void a_condition_is_waited_for_without_its_mutex(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, CONDITION_MUTEX, 110, 110);
	operation(&account, LOCK_WAIT_CONDITION, CONDITION_MUTEX, 120, 170, 0);
	release(&account, CONDITION_MUTEX, 180);
	assert_waited(&account, 50);
	assert_held(&account, 200, 20);
	locks_deinit(&account.locks);
}

static void a_condition_that_times_out_has_taken_its_mutex_again(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, CONDITION_MUTEX, 110, 110);
	operation(&account, LOCK_WAIT_CONDITION, CONDITION_MUTEX, 120, 170, ETIMEDOUT);
	assert_waited(&account, 50);
	assert_held(&account, 200, 40);
	locks_deinit(&account.locks);
}

static void a_condition_that_is_refused_keeps_its_mutex(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, CONDITION_MUTEX, 110, 110);
	operation(&account, LOCK_WAIT_CONDITION, CONDITION_MUTEX, 120, 125, EINVAL);
	assert_waited(&account, 0);
	assert_held(&account, 200, 90);
	locks_deinit(&account.locks);
}

static void another_lock_is_held_while_a_condition_is_waited_for(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, A, 105, 105);
	take(&account, CONDITION_MUTEX, 110, 110);
	operation(&account, LOCK_WAIT_CONDITION, CONDITION_MUTEX, 120, 170, 0);
	assert_held(&account, 200, 95);
	locks_deinit(&account.locks);
}

static void a_mutex_that_was_taken_twice_is_held_while_its_condition_is_waited_for(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, CONDITION_MUTEX, 110, 110);
	take(&account, CONDITION_MUTEX, 111, 111);
	operation(&account, LOCK_WAIT_CONDITION, CONDITION_MUTEX, 120, 170, 0);
	assert_held(&account, 200, 90);
	locks_deinit(&account.locks);
}

static void a_semaphore_is_waited_for_and_never_held(void **state)
{
	struct account account = account_at(100);

	(void)state;
	operation(&account, LOCK_WAIT, A, 110, 150, 0);
	operation(&account, LOCK_WAIT, A, 150, 160, -1);
	assert_waited(&account, 50);
	assert_held(&account, 200, 0);
	locks_deinit(&account.locks);
}

static void a_lock_that_is_not_released_is_held_to_the_end_of_the_call_and_for_the_next(
	void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, A, 150, 150);
	assert_held(&account, 200, 50);
	account.start = locks_mark(&account.locks, 300);
	assert_held(&account, 310, 10);
	release(&account, A, 320);
	assert_held(&account, 400, 20);
	locks_deinit(&account.locks);
}

static void what_is_released_unseen_was_held_since_the_call_began(void **state)
{
	struct account account = account_at(100);

	(void)state;
	release(&account, A, 130);
	assert_held(&account, 200, 30);
	take(&account, A, 150, 150);
	release(&account, A, 160);
	assert_held(&account, 200, 40);
	locks_deinit(&account.locks);
}

static void what_was_seen_to_be_held_does_not_count_again_when_it_is_proven(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, B, 110, 110);
	release(&account, B, 120);
	take(&account, B, 130, 130);
	release(&account, A, 140);
	assert_held(&account, 150, 50);
	release(&account, B, 160);
	assert_held(&account, 200, 60);
	locks_deinit(&account.locks);
}

static void a_second_proof_reaches_as_far_back_as_the_first(void **state)
{
	struct account account = account_at(100);

	(void)state;
	release(&account, A, 120);
	release(&account, B, 170);
	assert_held(&account, 200, 70);
	locks_deinit(&account.locks);
}

static void a_proof_reaches_calls_that_have_ended(void **state)
{
	struct account account = account_at(100);
	const struct locks_mark end = locks_mark(&account.locks, 150);

	(void)state;
	release(&account, A, 170);
	assert_int_equal(locks_held(&account.locks, &account.start, &end).number, 50);
	locks_deinit(&account.locks);
}

static void a_call_that_starts_after_a_proof_is_not_raised_by_it(void **state)
{
	struct account account = account_at(100);

	(void)state;
	release(&account, A, 120);
	account.start = locks_mark(&account.locks, 150);
	assert_held(&account, 200, 0);
	locks_deinit(&account.locks);
}

static void a_condition_with_a_mutex_that_was_not_seen_is_a_proof(void **state)
{
	struct account account = account_at(100);

	(void)state;
	operation(&account, LOCK_WAIT_CONDITION, CONDITION_MUTEX, 120, 170, 0);
	assert_waited(&account, 50);
	release(&account, CONDITION_MUTEX, 180);
	assert_held(&account, 200, 30);
	locks_deinit(&account.locks);
}

static void a_new_thread_has_held_nothing_whatever_it_releases(void **state)
{
	struct account account = {0};

	(void)state;
	locks_watch(&account.locks, true);
	account.start = locks_mark(&account.locks, 100);
	release(&account, A, 150);
	assert_held(&account, 200, 0);
	locks_deinit(&account.locks);
}

static void what_was_held_while_watched_before_is_forgotten(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, A, 110, 120);
	locks_unwatch(&account.locks);
	assert_int_equal(held(&account, 200).absence, ABSENT_NOT_MEASURED);
	assert_int_equal(waited(&account).absence, ABSENT_NOT_MEASURED);
	locks_watch(&account.locks, false);
	account.start = locks_mark(&account.locks, 300);
	assert_held(&account, 400, 0);
	assert_waited(&account, 0);
	locks_deinit(&account.locks);
}

static void the_release_of_an_unseen_spin_lock_leaves_open_what_was_held_before(void **state)
{
	struct account account = account_at(100);

	(void)state;
	operation(&account, LOCK_RELEASE_SPIN, A, 120, 121, 0);
	assert_int_equal(held(&account, 200).absence, ABSENT_UNCERTAIN);
	assert_waited(&account, 0);
	account.start = locks_mark(&account.locks, 130);
	take(&account, A, 140, 140);
	operation(&account, LOCK_RELEASE_SPIN, A, 160, 161, 0);
	assert_held(&account, 200, 20);
	locks_deinit(&account.locks);
}

static void an_operation_without_an_end_leaves_open_what_is_held(void **state)
{
	struct account account = account_at(100);

	(void)state;
	locks_lost(&account.locks, LOCK_TAKE);
	assert_int_equal(held(&account, 200).absence, ABSENT_UNCERTAIN);
	assert_int_equal(waited(&account).absence, ABSENT_UNCERTAIN);
	account.start = locks_mark(&account.locks, 300);
	assert_int_equal(held(&account, 400).absence, ABSENT_UNCERTAIN);
	assert_waited(&account, 0);
	locks_deinit(&account.locks);
}

static void what_was_held_before_an_operation_without_an_end_is_known(void **state)
{
	struct account account = account_at(100);
	struct locks_mark end;

	(void)state;
	take(&account, A, 110, 110);
	release(&account, A, 120);
	end = locks_mark(&account.locks, 130);
	locks_lost(&account.locks, LOCK_TAKE);
	release(&account, B, 150);
	assert_int_equal(locks_held(&account.locks, &account.start, &end).number, 10);
	locks_deinit(&account.locks);
}

static void a_semaphore_that_was_left_leaves_open_what_was_waited_alone(void **state)
{
	struct account account = account_at(100);

	(void)state;
	locks_lost(&account.locks, LOCK_WAIT);
	assert_held(&account, 200, 0);
	assert_int_equal(waited(&account).absence, ABSENT_UNCERTAIN);
	locks_deinit(&account.locks);
}

static void so_many_locks_that_some_are_forgotten_leave_open_what_is_held(void **state)
{
	struct account account = account_at(100);
	uint64_t i;

	(void)state;
	for (i = 0; i < LOCKS_MAX; i++)
		take(&account, A + i, 110, 110);
	assert_held(&account, 200, 90);
	take(&account, A + i, 110, 110);
	assert_int_equal(held(&account, 200).absence, ABSENT_UNCERTAIN);
	assert_int_equal(account.locks.n_held, LOCKS_MAX);
	locks_deinit(&account.locks);
}

static void what_clocks_are_wrong_evens_out(void **state)
{
	struct account account = account_at(100);

	(void)state;
	take(&account, A, 110, 108);
	release(&account, A, 107);
	assert_held(&account, 200, -1);
	assert_waited(&account, -2);
	take(&account, A, 120, 123);
	release(&account, A, 125);
	assert_held(&account, 200, 1);
	assert_waited(&account, 1);
	locks_deinit(&account.locks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_lock_is_waited_for_until_it_is_taken_and_held_until_it_is_released),
		cmocka_unit_test(a_call_without_locks_has_waited_and_held_nothing),
		cmocka_unit_test(several_locks_at_once_count_once),
		cmocka_unit_test(a_lock_that_was_taken_twice_is_held_until_it_was_released_twice),
		cmocka_unit_test(a_failed_attempt_takes_nothing_and_does_not_wait),
		cmocka_unit_test(a_successful_attempt_takes_the_lock),
		cmocka_unit_test(who_waits_until_the_time_is_over_has_waited_and_holds_nothing),
		cmocka_unit_test(a_lock_whose_owner_died_is_taken),
		cmocka_unit_test(a_lock_that_would_deadlock_or_is_beyond_repair_is_not_taken),
		cmocka_unit_test(a_release_that_fails_releases_nothing),
		cmocka_unit_test(a_condition_is_waited_for_without_its_mutex),
		cmocka_unit_test(a_condition_that_times_out_has_taken_its_mutex_again),
		cmocka_unit_test(a_condition_that_is_refused_keeps_its_mutex),
		cmocka_unit_test(another_lock_is_held_while_a_condition_is_waited_for),
		cmocka_unit_test(
			a_mutex_that_was_taken_twice_is_held_while_its_condition_is_waited_for),
		cmocka_unit_test(a_semaphore_is_waited_for_and_never_held),
		cmocka_unit_test(
			a_lock_that_is_not_released_is_held_to_the_end_of_the_call_and_for_the_next),
		cmocka_unit_test(what_is_released_unseen_was_held_since_the_call_began),
		cmocka_unit_test(what_was_seen_to_be_held_does_not_count_again_when_it_is_proven),
		cmocka_unit_test(a_second_proof_reaches_as_far_back_as_the_first),
		cmocka_unit_test(a_proof_reaches_calls_that_have_ended),
		cmocka_unit_test(a_call_that_starts_after_a_proof_is_not_raised_by_it),
		cmocka_unit_test(a_condition_with_a_mutex_that_was_not_seen_is_a_proof),
		cmocka_unit_test(a_new_thread_has_held_nothing_whatever_it_releases),
		cmocka_unit_test(what_was_held_while_watched_before_is_forgotten),
		cmocka_unit_test(
			the_release_of_an_unseen_spin_lock_leaves_open_what_was_held_before),
		cmocka_unit_test(an_operation_without_an_end_leaves_open_what_is_held),
		cmocka_unit_test(what_was_held_before_an_operation_without_an_end_is_known),
		cmocka_unit_test(a_semaphore_that_was_left_leaves_open_what_was_waited_alone),
		cmocka_unit_test(so_many_locks_that_some_are_forgotten_leave_open_what_is_held),
		cmocka_unit_test(what_clocks_are_wrong_evens_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
