/*
 * Outcomes of branches in real processes, compared with what fixtures/trace/branches.c writes that
 * it did. How a compiler turns a condition into a jump is not known, but it is the same for all
 * calls.
 */
#include "dwarf_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/session.h"

enum { CALLS_MAX = 1024, NOTES_MAX = 64, BRANCHES_MAX = 128 };

/* A call as the fixture tells it. */
struct truth {
	long thread;
	char function[64];
	int lines[NOTES_MAX], outcomes[NOTES_MAX];
	int n;
	bool used;
};

/* What is known of the branches of all functions so far. */
struct polarity {
	bool known, inverted;
};

struct comparison {
	struct catalogue *catalogue;
	struct truth truths[CALLS_MAX];
	size_t n_truths;
	struct polarity polarities[16][BRANCHES_MAX];
	bool looped[16][BRANCHES_MAX];
	size_t outcomes, switches, unreached, loops;
};

struct call {
	long thread;
	unsigned function;
	struct value branches[BRANCHES_MAX];
};

static bool parse_truth(const char *line, struct truth *ret)
{
	int at = 0;
	int used;

	memset(ret, 0, sizeof(*ret));
	if (sscanf(line, "%ld %63s%n", &ret->thread, ret->function, &at) != 2)
		return false;
	while (ret->n < NOTES_MAX && sscanf(line + at, " %d:%d%n", &ret->lines[ret->n],
					    &ret->outcomes[ret->n], &used) == 2) {
		at += used;
		ret->n++;
	}
	return true;
}

static void read_truths(const char *path, struct comparison *run)
{
	FILE *in = fopen(path, "r");
	char line[4096];

	assert_non_null(in);
	while (run->n_truths < CALLS_MAX && fgets(line, sizeof(line), in))
		run->n_truths += parse_truth(line, &run->truths[run->n_truths]);
	fclose(in);
}

/* The next call of the thread that has the name, in the order in which they ended. */
static struct truth *next_truth(struct comparison *run, const struct call *call)
{
	const char *name = run->catalogue->functions[call->function].name;
	size_t i;

	for (i = 0; i < run->n_truths; i++) {
		struct truth *truth = &run->truths[i];

		if (truth->used || truth->thread != call->thread || strcmp(truth->function, name))
			continue;
		truth->used = true;
		return truth;
	}
	return NULL;
}

static int count_line(const struct truth *truth, unsigned line, int *ret_outcome)
{
	int found = 0;
	int i;

	for (i = 0; i < truth->n; i++)
		if (truth->lines[i] == (int)line) {
			*ret_outcome = truth->outcomes[i];
			found++;
		}
	return found;
}

static bool is_noted(const struct comparison *run, unsigned function, unsigned line)
{
	const char *name = run->catalogue->functions[function].name;
	int ignored;
	size_t i;

	for (i = 0; i < run->n_truths; i++)
		if (!strcmp(run->truths[i].function, name) &&
		    count_line(&run->truths[i], line, &ignored))
			return true;
	return false;
}

static void compare_condition(struct comparison *run, const struct call *call, unsigned branch,
			      const struct truth *truth)
{
	const struct function *function = &run->catalogue->functions[call->function];
	const struct branch_site *site = &function->branches[branch];
	struct polarity *polarity = &run->polarities[call->function][branch];
	const struct value *value = &call->branches[branch];
	int outcome = -1;
	int times = count_line(truth, site->line, &outcome);

	run->looped[call->function][branch] |= times > 1;
	if (run->looped[call->function][branch]) {
		assert_int_equal(value->absence, ABSENT_LOOPED);
		run->loops++;
		return;
	}
	if (!times) {
		if (value->absence != ABSENT_NOT_REACHED)
			fail_msg("%s is there: %s", site->name, value_absence_name(value->absence));
		run->unreached++;
		return;
	}
	if (value->absence != PRESENT)
		fail_msg("%s is absent: %s", site->name, value_absence_name(value->absence));
	if (!polarity->known)
		*polarity = (struct polarity){true, value->number != outcome};
	if ((int)value->number != (polarity->inverted ? !outcome : outcome))
		fail_msg("%s: %g and not %d", site->name, value->number, outcome);
	run->outcomes++;
}

static void compare_switch(struct comparison *run, const struct call *call, unsigned branch,
			   const struct truth *truth)
{
	const struct branch_site *site =
		&run->catalogue->functions[call->function].branches[branch];
	const struct value *value = &call->branches[branch];

	if (truth->outcomes[0] < 0) {
		assert_int_equal(value->absence, ABSENT_NOT_REACHED);
		return;
	}
	if (value->absence != PRESENT || value->number != truth->outcomes[0])
		fail_msg("%s: %s %g and not %d", site->name, value_absence_name(value->absence),
			 value->number, truth->outcomes[0]);
	run->switches++;
}

/* Which of the function's jumps it is cannot be told from outside, but it is one that was made. */
static void compare_jump(const struct call *call, unsigned branch, const struct truth *truth)
{
	const struct value *value = &call->branches[branch];
	bool found = value->absence != PRESENT;
	int i;

	for (i = 0; i < truth->n; i++)
		found |= value->number == truth->outcomes[i];
	assert_true(found);
}

static void compare_call(struct comparison *run, const struct call *call)
{
	const struct function *function = &run->catalogue->functions[call->function];
	const bool has_switch = strstr(function->name, "switch") != NULL;
	const struct truth *truth = next_truth(run, call);
	unsigned i;

	if (!truth) /* it was called without notes */
		return;
	for (i = 0; i < function->n_branches; i++)
		if (!strcmp(function->name, "measured_threaded"))
			compare_jump(call, i, truth);
		else if (function->branches[i].kind == BRANCH_SWITCH)
			compare_switch(run, call, i, truth);
		else if (is_noted(run, call->function, function->branches[i].line) &&
			 !(has_switch && (int)function->branches[i].line == truth->lines[0]))
			compare_condition(run, call, i, truth);
}

static size_t collect(const struct catalogue *catalogue, const char *path, const char *file,
		      struct call *calls)
{
	const struct session_options options = {.branches = true};
	char *argv[] = {(char *)path, (char *)file, NULL};
	struct session_event event;
	struct session *session;
	struct err err;
	size_t n = 0;

	if (!session_launch(catalogue, path, argv, &options, &session, &err))
		fail_msg("%s", err.text);
	do {
		assert_true(session_next(session, &event, &err));
		if (event.kind == SESSION_NOTE)
			fail_msg("%s", event.note);
		if (event.kind != SESSION_CALL || n == CALLS_MAX)
			continue;
		calls[n].thread = event.call.thread;
		calls[n].function = event.call.function;
		if (event.call.branches)
			memcpy(calls[n].branches, event.call.branches,
			       catalogue->functions[event.call.function].n_branches *
				       sizeof(struct value));
		n++;
	} while (event.kind != SESSION_ENDED);
	assert_int_equal(event.ending.how, ENDED_EXITED);
	assert_int_equal(event.ending.number, 0);
	session_destroy(session);
	return n;
}

static void compare(void **state, const char *name)
{
	struct comparison *run = calloc(1, sizeof(*run));
	struct call *calls = calloc(CALLS_MAX, sizeof(*calls));
	size_t n;
	size_t i;

	run->catalogue = must_build(state, name, "measured_*");
	for (i = 0; i < run->catalogue->n_functions; i++)
		assert_true(run->catalogue->functions[i].n_branches <= BRANCHES_MAX);
	n = collect(run->catalogue, fixture(state, name), scratch_file(state), calls);
	read_truths(scratch_file(state), run);
	assert_true(run->n_truths > 300);
	for (i = 0; i < n; i++)
		compare_call(run, &calls[i]);
	for (i = 0; i < run->n_truths; i++)
		assert_true(run->truths[i].used);
	print_message("%s: %zu outcomes, %zu of switches, %zu not reached, %zu looped\n", name,
		      run->outcomes, run->switches, run->unreached, run->loops);
	assert_true(run->outcomes > 500);
	assert_true(run->unreached > 20);
	assert_true(run->loops >= 2);
	assert_true(run->switches >= 10);
	catalogue_destroy(run->catalogue);
	free(calls);
	free(run);
}

static void compare_builds(void **state, const char *compiler)
{
	static const char *const builds[] = {"O0",       "O2", "O2-fixed",     "O2-static",
					     "O0-fixed", "O1", "O3-protected", "O2-fixed-protected",
					     "Os"};
	char name[64];
	size_t i;

	for (i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		snprintf(name, sizeof(name), "branches-%s-%s", compiler, builds[i]);
		compare(state, name);
	}
}

static void outcomes_are_what_a_program_of_gcc_did(void **state)
{
	compare_builds(state, "gcc");
}

static void outcomes_are_what_a_program_of_clang_did(void **state)
{
	if (!has_fixture(state, "branches-clang-O0"))
		skip();
	compare_builds(state, "clang");
}

static void assert_switches(void **state, const char *function, size_t n, size_t cut)
{
	struct catalogue *catalogue = must_build(state, "branches-gcc-O0", function);
	const struct function *found = only_function(catalogue);
	size_t switches = 0;
	size_t i;

	for (i = 0; i < found->n_branches; i++)
		switches += found->branches[i].kind == BRANCH_SWITCH;
	assert_int_equal(switches, n);
	assert_int_equal(found->switches_cut, cut);
	catalogue_destroy(catalogue);
}

static void a_switch_whose_jump_others_come_to_is_left_out(void **state)
{
	assert_switches(state, "plain_switch", 1, 0);
	assert_switches(state, "joined_switch", 0, 1);
}

/* Stops of @n calls of @function, with and without its branches. */
static uint64_t count_stops(void **state, const char *function, const char *which, const char *n,
			    bool branches)
{
	char path[4096];
	char *argv[] = {path, (char *)which, (char *)n, NULL};
	const struct session_options options = {.branches = branches};
	struct catalogue *catalogue = must_build(state, "branches-gcc-O0", function);
	struct session_event event;
	struct session *session;
	struct err err;
	uint64_t stops;

	snprintf(path, sizeof(path), "%s", fixture(state, "branches-gcc-O0"));
	assert_true(session_launch(catalogue, path, argv, &options, &session, &err));
	do {
		assert_true(session_next(session, &event, &err));
		if (event.kind == SESSION_CALL && !branches)
			assert_null(event.call.branches);
	} while (event.kind != SESSION_ENDED);
	stops = session_account(session)->stops;
	session_destroy(session);
	catalogue_destroy(catalogue);
	return stops;
}

/* 1000000 turns, 20 calls. */
static void a_branch_of_a_loop_costs_two_stops_in_all(void **state)
{
	assert_int_equal(count_stops(state, "million", "loop", "20", false), 40);
	assert_int_equal(count_stops(state, "million", "loop", "20", true), 42);
}

static void a_branch_that_runs_once_costs_a_stop_a_call(void **state)
{
	assert_int_equal(count_stops(state, "eight", "straight", "50", false), 100);
	assert_int_equal(count_stops(state, "eight", "straight", "50", true), 500);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(outcomes_are_what_a_program_of_gcc_did),
		cmocka_unit_test(outcomes_are_what_a_program_of_clang_did),
		cmocka_unit_test(a_switch_whose_jump_others_come_to_is_left_out),
		cmocka_unit_test(a_branch_of_a_loop_costs_two_stops_in_all),
		cmocka_unit_test(a_branch_that_runs_once_costs_a_stop_a_call),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
