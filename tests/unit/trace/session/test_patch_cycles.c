/*
 * Attached and left again and again while it does all that is dangerous then, a program loses nothing, and its code is as before.
 * FATHOM_FULL=1 does so 10,000 times.
 */
#include "dwarf_fixture.h"
#include "live_program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Its functions leaf, deep, handled, jumped, thrown, switched and round_about, and one of its plugin. */
static struct catalogue *catalogue_of(void **state, const struct program *program)
{
	char plugin[4096];
	const char *const patterns[] = {"leaf",   "deep",     "handled",     "jumped",
					"thrown", "switched", "round_about", plugin};
	const struct catalogue_request request = {.patterns = patterns,
						  .n_patterns = 8,
						  .features = true,
						  .max_depth = 1,
						  .max_features = 8};
	struct catalogue *catalogue;
	struct err err;

	snprintf(plugin, sizeof(plugin), "%s:plugin_work", fixture(state, "plugin-gcc.so"));
	if (!catalogue_build(program->path, &request, &catalogue, &err))
		fail_msg("%s", err.text);
	return catalogue;
}

/* By pads, if there were @n calls. */
static void measure_some(const struct catalogue *catalogue, pid_t pid, unsigned n)
{
	struct session *session = session_of(catalogue, pid);
	struct session_event event = {.kind = SESSION_PAUSE};
	struct err err;

	for (; n; n -= event.kind == SESSION_CALL) {
		if (!session_next(session, &event, &err))
			fail_msg("%u calls too few: %s", n, err.text);
		if (event.kind == SESSION_ENDED)
			fail_msg("%u calls too few: ended, %d, %d", n, event.ending.how,
				 event.ending.number);
	}
	session_detach(session);
	while (event.kind != SESSION_ENDED)
		assert_true(session_next(session, &event, &err));
	assert_int_equal(event.ending.how, ENDED_DETACHED);
	session_destroy(session);
}

static void assert_well(struct program *program)
{
	char printed[4096] = "";
	size_t n;
	int status;

	kill(program->pid, SIGTERM);
	n = fread(printed, 1, sizeof(printed) - 1, program->output);
	printed[n] = '\0';
	fclose(program->output);
	assert_int_equal(waitpid(program->pid, &status, 0), program->pid);
	if (status || !strstr(printed, "signals lost 0, timers came, wrong 0\ngs 0\n") ||
	    strstr(printed, "a child ended"))
		fail_msg("status %x: %s", status, printed);
}

static void a_program_in_torment_is_unharmed(void **state)
{
	char *const arguments[] = {"torment", "100000000", "cancel", NULL};
	const int cycles = getenv("FATHOM_FULL") ? 10000 : 10;
	struct catalogue *catalogue;
	struct program program;

	program_start(state, "torment-gcc-O2", arguments, &program);
	catalogue = catalogue_of(state, &program);
	for (int i = 0; i < cycles; i++) {
		measure_some(catalogue, program.pid, 1 + 20 * (i % 3));
		assert_code_is_as_in_file(&program);
		assert_no_code_is_ours(&program);
		assert_threads(&program, "RSD");
		if (i % 100 == 99)
			print_message("%d cycles\n", i + 1);
	}
	assert_well(&program);
	catalogue_destroy(catalogue);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_in_torment_is_unharmed),
	};

	live_probes = PROBES_PADS;
	return run_with_fixtures(argc, argv, tests, 1);
}
