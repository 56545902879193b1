/* Who worked for whom: by places in streams, and by names. */
#include "check.h"

#include <math.h>

#include "profile/merge/stream_match.h"

enum { MOST = 8 };

/* The requests asked, those served, and what was found. */
struct pairing {
	struct message asked[MOST], served[MOST];
	size_t n, m;
	size_t others; /* of those asked, the last ones, by other calls of the client */
	struct match found[MOST];
	size_t order[MOST];
};

static void ask(struct pairing *pairing, uint64_t stream, uint64_t from, uint64_t to)
{
	pairing->asked[pairing->n++] = (struct message){stream, from, to, 1, false};
}

static void serve(struct pairing *pairing, uint64_t stream, uint64_t from, uint64_t to)
{
	pairing->served[pairing->m++] = (struct message){stream, from, to, 1, false};
}

/* What was asked or served on a connection of the host whose bytes nobody counts. */
static struct message moment(uint64_t stream, uint64_t began_ns, uint64_t ended_ns, uint64_t bytes)
{
	return (struct message){.stream = stream,
				.to = bytes,
				.peers = 1,
				.way = MESSAGE_BY_ORDER,
				.began_ns = began_ns,
				.ended_ns = ended_ns};
}

static void find(struct pairing *pairing)
{
	const struct stream_asked asked = {pairing->asked, pairing->n - pairing->others,
					   pairing->n};

	stream_match(&asked, pairing->served, pairing->m, pairing->found, pairing->order);
}

/* The sum of the indices of those that served request @i, each + 1. */
static size_t served_by(const struct pairing *pairing, size_t i)
{
	const struct match *found = &pairing->found[i];
	size_t sum = 0;

	assert_int_equal(found->reason, MATCHED);
	for (size_t j = found->first; j < found->first + found->n; j++)
		sum += pairing->order[j] + 1;
	return sum;
}

static void each_request_has_those_that_received_its_bytes(void **state)
{
	struct pairing pairing = {.n = 0};

	(void)state;
	ask(&pairing, 7, 30, 50);
	ask(&pairing, 5, 0, 10);
	ask(&pairing, 7, 0, 10); /* two at once on one connection: pipelining */
	ask(&pairing, 7, 10, 30);
	serve(&pairing, 7, 0, 10);
	serve(&pairing, 7, 20, 30); /* in two pieces */
	serve(&pairing, 5, 0, 10);
	serve(&pairing, 7, 10, 20);
	serve(&pairing, 7, 30, 50);
	find(&pairing);
	assert_int_equal(served_by(&pairing, 0), 5);
	assert_int_equal(served_by(&pairing, 1), 3);
	assert_int_equal(served_by(&pairing, 2), 1);
	assert_int_equal(served_by(&pairing, 3), 2 + 4);
}

static void what_no_kept_call_received_is_not_matched(void **state)
{
	struct pairing pairing = {.n = 0};

	(void)state;
	ask(&pairing, 7, 0, 10);  /* its middle is missing */
	ask(&pairing, 7, 20, 30); /* its end */
	ask(&pairing, 8, 0, 10);  /* all */
	ask(&pairing, 9, 0, 10);
	serve(&pairing, 7, 0, 4);
	serve(&pairing, 7, 5, 10);
	serve(&pairing, 7, 20, 29);
	serve(&pairing, 9, 0, 10);
	find(&pairing);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pairing.found[i].reason, MATCH_NOT_KEPT);
	assert_int_equal(served_by(&pairing, 3), 4);
}

static void what_was_served_with_others_is_refused(void **state)
{
	struct pairing pairing = {.n = 0};

	(void)state;
	ask(&pairing, 7, 0, 10); /* one call received both */
	ask(&pairing, 7, 10, 20);
	ask(&pairing, 8, 0, 10); /* the call received more, of calls that are no samples */
	ask(&pairing, 9, 0, 10); /* one within the other */
	ask(&pairing, 9, 4, 6);
	ask(&pairing, 9, 10, 12);
	serve(&pairing, 7, 0, 20);
	serve(&pairing, 8, 0, 11);
	serve(&pairing, 9, 0, 10);
	serve(&pairing, 9, 10, 12);
	find(&pairing);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(pairing.found[i].reason, MATCH_AMBIGUOUS);
	assert_int_equal(served_by(&pairing, 5), 4);
}

static void what_may_have_been_served_with_other_connections_is_told_so(void **state)
{
	struct pairing pairing = {.n = 0};

	(void)state;
	ask(&pairing, 7, 0, 10);
	ask(&pairing, 7, 10, 20); /* nobody has it */
	ask(&pairing, 8, 5, 10);
	pairing.asked[pairing.n++] = moment(9, 100, 200, 10);
	pairing.asked[pairing.n++] = moment(9, 300, 400, 10);
	serve(&pairing, 8, 0, 20);
	serve(&pairing, 7, 0, 10);
	pairing.served[pairing.m++] = moment(9, 150, 160, 10);
	for (size_t i = 0; i < pairing.m; i++)
		pairing.served[i].peers = 2 + (unsigned)i;
	find(&pairing);
	assert_int_equal(pairing.found[0].reason, MATCH_UNDECIDED);
	assert_int_equal(pairing.found[0].first, 1);
	assert_int_equal(pairing.found[0].n, 3);
	assert_int_equal(pairing.found[1].reason, MATCH_NOT_KEPT);
	assert_int_equal(pairing.found[2].reason, MATCH_UNDECIDED);
	assert_int_equal(pairing.found[2].first, 0);
	assert_int_equal(pairing.found[3].reason, MATCH_UNDECIDED);
	assert_int_equal(pairing.found[3].first, 2);
	assert_int_equal(pairing.found[4].reason, MATCH_NOT_KEPT);
}

static void a_call_without_a_request_or_with_several_says_so(void **state)
{
	struct pairing pairing = {.asked = {{.peers = 0}, {7, 0, 10, 2, false}}, .n = 2};

	(void)state;
	serve(&pairing, 7, 0, 10);
	find(&pairing);
	assert_int_equal(pairing.found[0].reason, MATCH_NO_REQUEST);
	assert_int_equal(pairing.found[1].reason, MATCH_SEVERAL_PEERS);
}

static void moments_match_where_no_other_pair_is_possible(void **state)
{
	struct pairing pairing = {
		.asked = {moment(7, 300, 400, 4), moment(7, 100, 200, 8), moment(8, 100, 200, 8),
			  moment(9, 100, 200, 8)},
		.n = 4,
		.served = {moment(7, 350, 360, 4), moment(8, 110, 190, 8), moment(7, 110, 140, 3),
			   moment(9, 201, 202, 8), moment(7, 150, 200, 5)},
		.m = 5,
	};

	(void)state;
	ask(&pairing, 7, 0, 10); /* and one whose bytes are */
	serve(&pairing, 7, 0, 10);
	find(&pairing);
	assert_int_equal(served_by(&pairing, 0), 1);
	assert_int_equal(served_by(&pairing, 1), 3 + 5);
	assert_int_equal(served_by(&pairing, 2), 2);
	assert_int_equal(pairing.found[3].reason, MATCH_NOT_KEPT);
	assert_int_equal(served_by(&pairing, 4), 6);
}

static void moments_that_fit_two_or_too_much_are_refused(void **state)
{
	struct pairing pairing = {
		.asked = {moment(7, 100, 200, 8), moment(7, 140, 240, 8), /* both may have meant */
			  moment(8, 100, 200, 8),  /* more came than was sent */
			  moment(9, 100, 200, 8),  /* answered afterwards */
			  moment(6, 100, 200, 8)}, /* too little came */
		.n = 5,
		.served = {moment(7, 150, 160, 8), moment(8, 110, 120, 9), moment(9, 190, 210, 8),
			   moment(6, 110, 120, 7), moment(7, 210, 220, 8)},
		.m = 5,
	};

	(void)state;
	find(&pairing);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pairing.found[i].reason, MATCH_AMBIGUOUS);
	assert_int_equal(pairing.found[4].reason, MATCH_NOT_KEPT);
}

/* Asked at @began_ns, and answered at @ended_ns; 0: not known. */
static void ask_at(struct pairing *pairing, uint64_t from, uint64_t began_ns, uint64_t ended_ns)
{
	ask(pairing, 7, from, from + 10);
	pairing->asked[pairing->n - 1].began_ns = began_ns;
	pairing->asked[pairing->n - 1].ended_ns = ended_ns;
}

/* By a call that began after it was received. */
static void serve_later(struct pairing *pairing, uint64_t from, uint64_t to)
{
	serve(pairing, 7, from, to);
	pairing->served[pairing->m - 1].before = true;
}

static void of_those_that_were_there_before_it_has_the_last_if_others_had_answers(void **state)
{
	struct pairing pairing = {.n = 0};

	(void)state;
	ask_at(&pairing, 0, 100, 200); /* another thread worked for it */
	ask_at(&pairing, 10, 210, 300);
	ask_at(&pairing, 20, 310, 400);
	ask_at(&pairing, 30, 410, 0); /* nobody knows when */
	ask_at(&pairing, 40, 510, 600);
	serve_later(&pairing, 0, 30);
	serve_later(&pairing, 10, 20);
	serve_later(&pairing, 30, 50);
	find(&pairing);
	assert_int_equal(pairing.found[0].reason, MATCH_NOT_KEPT);
	assert_int_equal(served_by(&pairing, 1), 2);
	assert_int_equal(served_by(&pairing, 2), 1);
	assert_int_equal(pairing.found[3].reason, MATCH_AMBIGUOUS);
	assert_int_equal(pairing.found[4].reason, MATCH_AMBIGUOUS);
}

static void of_several_at_once_none_is_that_of_a_call_that_began_later(void **state)
{
	struct pairing pairing = {.n = 0};

	(void)state;
	ask_at(&pairing, 0, 100, 250);
	ask_at(&pairing, 10, 200, 300);
	ask_at(&pairing, 20, 310, 500);
	ask_at(&pairing, 30, 400, 600); /* its server's call received it */
	ask_at(&pairing, 40, 610, 0);   /* its call ended */
	pairing.asked[4].until_ns = 700;
	ask_at(&pairing, 50, 710, 800);
	for (uint64_t from = 0; from < 60; from += 10)
		serve_later(&pairing, from, from + 10);
	pairing.served[3].before = false;
	find(&pairing);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pairing.found[i].reason, MATCH_AT_ONCE);
	for (size_t i = 3; i < 6; i++)
		assert_int_equal(served_by(&pairing, i), i + 1);
}

static void what_other_calls_ask_at_once_is_another_request_but_if_it_is_the_same(void **state)
{
	struct pairing pairing = {.others = 3};

	(void)state;
	ask_at(&pairing, 0, 100, 250);
	ask_at(&pairing, 10, 260, 290);
	ask_at(&pairing, 30, 300, 400);
	ask_at(&pairing, 40, 500, 600);
	ask_at(&pairing, 20, 290, 310); /* another function */
	ask_at(&pairing, 0, 90, 260);   /* around it */
	ask_at(&pairing, 40, 490, 610);
	for (uint64_t from = 0; from < 50; from += 10)
		serve_later(&pairing, from, from + 10);
	find(&pairing);
	assert_int_equal(served_by(&pairing, 0), 1);
	assert_int_equal(served_by(&pairing, 1), 2);
	assert_int_equal(pairing.found[2].reason, MATCH_AT_ONCE);
	assert_int_equal(served_by(&pairing, 3), 5);
}

static void what_is_there_with_bytes_that_nobody_asked_is_refused(void **state)
{
	struct pairing pairing = {.n = 0};

	(void)state;
	ask_at(&pairing, 0, 100, 200);
	ask_at(&pairing, 20, 310, 400);
	serve_later(&pairing, 0, 30);
	find(&pairing);
	assert_int_equal(pairing.found[0].reason, MATCH_AMBIGUOUS);
	assert_int_equal(pairing.found[1].reason, MATCH_AMBIGUOUS);
}

static void names_match_where_they_are_unique(void **state)
{
	static const double asked[] = {4, NAN, 2, 3, 3, -0.0, 9};
	static const double served[] = {2, 3, 4, 5, NAN, 0};
	struct pairing pairing = {.n = 7, .m = 6};

	(void)state;
	for (size_t i = 0; i < 7; i++)
		pairing.asked[i] = stream_match_name(asked[i]);
	for (size_t i = 0; i < 6; i++)
		pairing.served[i] = stream_match_name(served[i]);
	find(&pairing);
	assert_int_equal(served_by(&pairing, 0), 3);
	assert_int_equal(pairing.found[1].reason, MATCH_NO_REQUEST);
	assert_int_equal(served_by(&pairing, 2), 1);
	assert_int_equal(pairing.found[3].reason, MATCH_AMBIGUOUS);
	assert_int_equal(pairing.found[4].reason, MATCH_AMBIGUOUS);
	assert_int_equal(served_by(&pairing, 5), 6);
	assert_int_equal(pairing.found[6].reason, MATCH_NOT_KEPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_request_has_those_that_received_its_bytes),
		cmocka_unit_test(what_no_kept_call_received_is_not_matched),
		cmocka_unit_test(what_was_served_with_others_is_refused),
		cmocka_unit_test(what_may_have_been_served_with_other_connections_is_told_so),
		cmocka_unit_test(a_call_without_a_request_or_with_several_says_so),
		cmocka_unit_test(moments_match_where_no_other_pair_is_possible),
		cmocka_unit_test(moments_that_fit_two_or_too_much_are_refused),
		cmocka_unit_test(
			of_those_that_were_there_before_it_has_the_last_if_others_had_answers),
		cmocka_unit_test(of_several_at_once_none_is_that_of_a_call_that_began_later),
		cmocka_unit_test(
			what_other_calls_ask_at_once_is_another_request_but_if_it_is_the_same),
		cmocka_unit_test(what_is_there_with_bytes_that_nobody_asked_is_refused),
		cmocka_unit_test(names_match_where_they_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
