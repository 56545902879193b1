/* What a watch writes: its state, which it reads again or refuses, lines, and text for collectors. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "watch/watch_lines.h"
#include "watch/watch_processes.h"
#include "watch/watch_store.h"

static const char annotations_text[] =
	"work.time { features: int n = n; annotations: Norm(2*n, 1); }\n"
	"\"odd \\\"name\\\"\".mem { features: annotations: Norm(5, 1); }\n";

struct watch_fixture {
	struct annotation_list annotations;
	struct watch_subject subjects[2];
	struct watch_state state;
	struct watch_store store;
	struct arena *arena;
	char path[64];
};

static int begin_files(void **context)
{
	struct watch_fixture *f = calloc(1, sizeof(*f));
	struct err err;

	f->arena = arena_create();
	if (!annotation_parse(annotations_text, strlen(annotations_text), &f->annotations, &err))
		fail_msg("%s", err.text);
	snprintf(f->path, sizeof(f->path), "watch-state-%d", (int)getpid());
	f->state = (struct watch_state){f->subjects, 2, 0.01, 0.1, 7, 3};
	f->store = (struct watch_store){f->path, &f->annotations, "12:34 56:78"};
	f->subjects[0] = (struct watch_subject){.verdict = WATCH_VIOLATED,
						.reason = WATCH_BY_DRIFT,
						.bad = 2,
						.level = 1.1,
						.level_weight = 900,
						.level_periods = 4,
						.drift = 30,
						.ratio = 1.38,
						.samples = 412,
						.since = 1000000000};
	*context = f;
	return 0;
}

static int end_files(void **context)
{
	struct watch_fixture *f = *context;

	unlink(f->path);
	annotation_parse_deinit(&f->annotations);
	arena_destroy(f->arena);
	free(f);
	return 0;
}

static void what_was_written_is_read(void **context)
{
	struct watch_fixture *f = *context;
	const struct watch_subject written = f->subjects[0];
	struct err err;

	assert_true(watch_store_write(&f->store, &f->state, &err));
	memset(f->subjects, 0, sizeof(f->subjects));
	f->state.periods = f->state.generation = 0;
	assert_true(watch_store_read(&f->store, &f->state, f->arena, &err));
	assert_int_equal(f->state.periods, 7);
	assert_int_equal(f->state.generation, 3);
	assert_string_equal(f->store.processes, "12:34 56:78");
	assert_int_equal(f->subjects[0].verdict, WATCH_VIOLATED);
	assert_int_equal(f->subjects[0].reason, WATCH_BY_DRIFT);
	assert_true(f->subjects[0].level == written.level && f->subjects[0].drift == 30);
	assert_int_equal(f->subjects[0].samples, 412);
	assert_int_equal(f->subjects[0].since, written.since);
	assert_int_equal(f->subjects[1].verdict, WATCH_WAITING);
}

static void no_file_is_an_empty_one(void **context)
{
	struct watch_fixture *f = *context;
	struct err err;

	assert_true(watch_store_read(&f->store, &f->state, f->arena, &err));
	assert_string_equal(f->store.processes, "");
}

/* Each is refused, with the line. */
static void what_is_none_of_ours_is_refused(void **context)
{
	static const struct {
		const char *text, *line;
	} wrong[] = {
		{"", "line 1"},
		{"fathom watch 2\n", "line 1"},
		{"SQLite format 3", "line 1"},
		{"fathom watch 1\nperiods\n", "line 2"},
		{"fathom watch 1\nperiods 1 2", "line 2"},
		{"fathom watch 1\nperiods 1 2 \nsubject 1 1\n", "line 3"},
		{"fathom watch 1\nperiods 1 2 \nsubject 9 0 0 0 1 1 1 0 1 1 1 time work\n",
		 "line 3"},
		{"fathom watch 1\nperiods 1 2 \nsubject 1 9 0 0 1 1 1 0 1 1 1 time work\n",
		 "line 3"},
		{"fathom watch 1\nperiods 1 2 \nsubject 1 1 0 0 nan 1 1 0 1 1 1 time work\n",
		 "line 3"},
		{"fathom watch 1\nperiods 1 2 \nsubject 1 1 0 0 1 -1 1 0 1 1 1 time work\n",
		 "line 3"},
		{"fathom watch 1\nperiods 1 2 \nsubject 1 1 0 0 1 0 1 0 1 1 1 time work\n",
		 "line 3"},
	};
	struct watch_fixture *f = *context;
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		FILE *file = fopen(f->path, "w");

		fputs(wrong[i].text, file);
		fclose(file);
		assert_false(watch_store_read(&f->store, &f->state, f->arena, &err));
		assert_int_equal(err.code, ERR_FORMAT);
		assert_non_null(strstr(err.text, wrong[i].line));
	}
}

static const char *printed(const struct watch_fixture *f, unsigned which)
{
	const struct watch_change change = {f->annotations.list[which > 2], &f->subjects[0], 412,
					    12, "12 56"};
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	const char *ret;

	if (which == 2)
		watch_lines_metrics(&f->state, f->annotations.list, 2, out);
	else if (which == 0)
		watch_lines_change(&change, out);
	else
		watch_lines_json(&change, out);
	fclose(out);
	ret = arena_strdup(f->arena, text);
	free(text);
	return ret;
}

static void changes_are_told_to_people_and_programs(void **context)
{
	struct watch_fixture *f = *context;

	assert_string_equal(printed(f, 0),
			    "2001-09-09T01:46:40Z work.time is VIOLATED: costs 38 % more "
			    "than expected; it has been drifting (412 calls, period 12)\n");
	assert_string_equal(
		printed(f, 1),
		"{\"time\": \"2001-09-09T01:46:40Z\", \"function\": \"work\", \"metric\": "
		"\"time\", \"state\": \"violated\", \"reason\": \"drift\", \"ratio\": 1.38, "
		"\"samples\": 412, \"period\": 12, \"pids\": [12, 56]}\n");
	assert_non_null(strstr(printed(f, 3), "\"function\": \"odd \\\"name\\\"\""));
	f->subjects[0].verdict = WATCH_CONFORMS;
	f->subjects[0].ratio = 0;
	assert_non_null(strstr(printed(f, 0), "conforms again"));
	assert_non_null(strstr(printed(f, 1), "\"reason\": null, \"ratio\": null"));
}

/* What was not measured has no row. */
static void collectors_are_told_what_is_known(void **context)
{
	const char *text = printed(*context, 2);

	assert_non_null(strstr(text, "\nfathom_violated{function=\"work\",metric=\"time\"} 1\n"));
	assert_null(strstr(text, "fathom_violated{function=\"odd"));
	assert_null(strstr(text, "fathom_cost_ratio{function=\"odd"));
	assert_non_null(strstr(
		text, "\nfathom_samples_total{function=\"odd \\\"name\\\"\",metric=\"mem\"} 0\n"));
	assert_non_null(strstr(text, "\nfathom_processes 2\n# EOF\n"));
}

static void new_processes_are_those_that_were_not_there(void **context)
{
	(void)context;
	assert_false(watch_processes_are_new("12:34 56:78", "56:78"));
	assert_false(watch_processes_are_new("12:34", ""));
	assert_true(watch_processes_are_new("", "12:34"));
	assert_true(watch_processes_are_new("12:34", "12:345"));
	assert_true(watch_processes_are_new("12:345 1:2", "1:2 12:34"));
}

#define ON_FILES(test) cmocka_unit_test_setup_teardown(test, begin_files, end_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FILES(what_was_written_is_read),
		ON_FILES(no_file_is_an_empty_one),
		ON_FILES(what_is_none_of_ours_is_refused),
		ON_FILES(changes_are_told_to_people_and_programs),
		ON_FILES(collectors_are_told_what_is_known),
		cmocka_unit_test(new_processes_are_those_that_were_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
