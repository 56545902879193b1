/* Who worked for whom, where who worked had read nothing: by when it was. */
#include "check.h"

#include "profile/merge/alone_match.h"

enum { MOST = 8, STREAM = 7 };

/* Requests on one connection, the calls that made them, and those of the process at its other end. */
struct meeting {
	struct message asked[MOST], served[MOST];
	struct alone_call client[MOST], server[MOST];
	size_t n, m, n_client;
	struct match found[MOST];
	size_t order[MOST], n_order;
};

/* A request of ten bytes, of a call that does nothing else. */
static void ask(struct meeting *meeting, uint64_t began_ns, uint64_t ended_ns)
{
	const uint64_t from = 10 * meeting->n;

	meeting->client[meeting->n_client++] =
		(struct alone_call){.began_ns = began_ns - 1, .ended_ns = ended_ns + 1};
	meeting->found[meeting->n] = (struct match){.reason = MATCH_NOT_KEPT};
	meeting->asked[meeting->n++] = (struct message){.stream = STREAM,
							.from = from,
							.to = from + 10,
							.peers = 1,
							.began_ns = began_ns,
							.ended_ns = ended_ns};
}

/* Nobody knows what for. */
static void work(struct meeting *meeting, uint64_t began_ns, uint64_t ended_ns)
{
	meeting->server[meeting->m++] =
		(struct alone_call){.began_ns = began_ns, .ended_ns = ended_ns};
}

/* The first of a day: the call that it asks for has read it. */
static struct meeting begin(void)
{
	struct meeting ret = {.n = 0};

	ask(&ret, 100, 200);
	work(&ret, 120, 180);
	ret.served[0] = ret.asked[0];
	ret.found[0] = (struct match){MATCHED, 0, 1};
	ret.order[ret.n_order++] = 0;
	return ret;
}

static void match(struct meeting *meeting)
{
	const struct stream_asked asked = {meeting->asked, meeting->n, meeting->n};
	const struct alone_calls calls = {meeting->server, meeting->client, meeting->n_client};

	alone_match(&asked, meeting->served, meeting->m, &calls, meeting->found, meeting->order,
		    &meeting->n_order);
}

static void assert_served_by(const struct meeting *meeting, size_t asked, size_t served)
{
	assert_int_equal(meeting->found[asked].reason, MATCHED);
	assert_int_equal(meeting->found[asked].n, 1);
	assert_int_equal(meeting->order[meeting->found[asked].first], served);
}

static void who_alone_worked_meanwhile_worked_for_it(void **state)
{
	struct meeting meeting = begin();

	(void)state;
	ask(&meeting, 300, 400);
	ask(&meeting, 500, 600);
	work(&meeting, 510, 590);
	work(&meeting, 310, 390);
	match(&meeting);
	assert_served_by(&meeting, 0, 0);
	assert_served_by(&meeting, 1, 2);
	assert_served_by(&meeting, 2, 1);
}

static void of_several_at_once_none_is_known(void **state)
{
	struct meeting asked = begin(), worked = begin(), ends = begin();

	(void)state;
	ask(&asked, 300, 400);
	ask(&asked, 390, 500);
	work(&asked, 310, 380);
	work(&asked, 410, 480);
	match(&asked);
	assert_int_equal(asked.found[1].reason, MATCH_NOT_KEPT);
	assert_int_equal(asked.found[2].reason, MATCH_NOT_KEPT);
	ask(&worked, 300, 400);
	work(&worked, 310, 340);
	work(&worked, 350, 390);
	match(&worked);
	assert_int_equal(worked.found[1].reason, MATCH_NOT_KEPT);
	ask(&ends, 300, 400);
	work(&ends, 310, 390);
	work(&ends, 395, 450);
	match(&ends);
	assert_int_equal(ends.found[1].reason, MATCH_NOT_KEPT);
}

static void who_still_works_when_the_answer_is_there_is_not_awaited(void **state)
{
	struct meeting meeting = begin();

	(void)state;
	ask(&meeting, 300, 400);
	work(&meeting, 310, 410);
	match(&meeting);
	assert_int_equal(meeting.found[1].reason, MATCH_NOT_KEPT);
}

/* While nobody of the client asked, the process worked: for somebody who is not seen. */
static void a_process_that_works_for_others_is_refused(void **state)
{
	struct meeting meeting = begin();

	(void)state;
	ask(&meeting, 300, 400);
	work(&meeting, 310, 390);
	ask(&meeting, 700, 800);
	work(&meeting, 500, 510);
	match(&meeting);
	assert_int_equal(meeting.found[1].reason, MATCH_NOT_KEPT);
}

/* Two calls began while one request waited. */
static void a_process_that_worked_for_a_request_twice_is_refused(void **state)
{
	struct meeting meeting = begin();

	(void)state;
	ask(&meeting, 300, 400);
	work(&meeting, 310, 390);
	ask(&meeting, 500, 600);
	work(&meeting, 510, 540);
	work(&meeting, 550, 590);
	ask(&meeting, 700, 800);
	work(&meeting, 710, 790);
	match(&meeting);
	assert_int_equal(meeting.found[1].reason, MATCH_NOT_KEPT);
	assert_int_equal(meeting.found[3].reason, MATCH_NOT_KEPT);
}

/* Requests that others of its functions work for: those that it did work for may be somebody's. */
static void a_process_that_did_not_work_for_a_request_is_refused(void **state)
{
	struct meeting meeting = begin();

	(void)state;
	ask(&meeting, 300, 400);
	ask(&meeting, 500, 600);
	work(&meeting, 510, 590);
	ask(&meeting, 700, 800);
	work(&meeting, 710, 790);
	match(&meeting);
	assert_int_equal(meeting.found[2].reason, MATCH_NOT_KEPT);
	assert_int_equal(meeting.found[3].reason, MATCH_NOT_KEPT);
}

static void who_may_have_asked_anybody_is_counted(void **state)
{
	struct meeting meeting = begin();

	(void)state;
	ask(&meeting, 300, 400);
	work(&meeting, 310, 390);
	meeting.client[meeting.n_client++] =
		(struct alone_call){.began_ns = 350, .ended_ns = 360, .unknown = true};
	match(&meeting);
	assert_int_equal(meeting.found[1].reason, MATCH_NOT_KEPT);
}

/* The call around it is another function's, and asked the same. */
static void a_request_of_two_calls_is_one(void **state)
{
	struct meeting meeting = begin();

	(void)state;
	ask(&meeting, 300, 400);
	ask(&meeting, 300, 400);
	meeting.asked[2].from = meeting.asked[1].from;
	meeting.asked[2].to = meeting.asked[1].to;
	work(&meeting, 310, 390);
	match(&meeting);
	assert_served_by(&meeting, 1, 1);
}

static void who_read_another_connection_worked_for_that(void **state)
{
	struct meeting meeting = begin();

	(void)state;
	ask(&meeting, 300, 400);
	work(&meeting, 310, 390);
	meeting.served[1] = meeting.asked[1];
	meeting.served[1].stream = STREAM + 1;
	match(&meeting);
	assert_int_equal(meeting.found[1].reason, MATCH_NOT_KEPT);
}

static void a_stream_that_two_processes_read_is_refused(void **state)
{
	struct meeting meeting = begin();

	(void)state;
	ask(&meeting, 300, 400);
	work(&meeting, 310, 390);
	work(&meeting, 150, 160);
	meeting.server[2].of = 1;
	meeting.served[2] = meeting.asked[0];
	match(&meeting);
	assert_int_equal(meeting.found[1].reason, MATCH_NOT_KEPT);
}

int main(void)
{
	static const struct CMUnitTest TESTS[] = {
		cmocka_unit_test(who_alone_worked_meanwhile_worked_for_it),
		cmocka_unit_test(of_several_at_once_none_is_known),
		cmocka_unit_test(who_still_works_when_the_answer_is_there_is_not_awaited),
		cmocka_unit_test(a_process_that_works_for_others_is_refused),
		cmocka_unit_test(a_process_that_worked_for_a_request_twice_is_refused),
		cmocka_unit_test(a_process_that_did_not_work_for_a_request_is_refused),
		cmocka_unit_test(who_may_have_asked_anybody_is_counted),
		cmocka_unit_test(a_request_of_two_calls_is_one),
		cmocka_unit_test(who_read_another_connection_worked_for_that),
		cmocka_unit_test(a_stream_that_two_processes_read_is_refused),
	};

	return cmocka_run_group_tests(TESTS, NULL, NULL);
}
