/*
 * Measuring functions of libraries, of those that a program is linked with and of those that it
 * loads, unloads and loads again (fixtures/trace/host.c says what it calls).
 */
#include "dwarf_fixture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/trace/libraries.h"
#include "trace/state/engine.h"

enum { ROUNDS = 20, HOST, NEEDED = 1, PLUGIN = 2, N_MODULES = 3 };
enum { FEATURE_N, FEATURE_TOTAL, FEATURE_FS, FEATURE_CALL, FEATURE_THREADS, FEATURE_RESULT, N };

struct fixture {
	struct catalogue *parts[N_MODULES];
	struct module modules[N_MODULES];
	struct function functions[2];
	struct plan_step total_steps[2];
	struct feature features[N];
	struct catalogue catalogue;
	char paths[N_MODULES][4096];
	struct session *session;
};

/* The link-time address of the variable @name in the library @path. */
static uint64_t address_in(const char *path, const char *name)
{
	void *library = dlopen(path, RTLD_NOW);
	void *at = library ? dlsym(library, name) : NULL;
	uint64_t addr;
	Dl_info info;

	assert_non_null(at);
	assert_true(dladdr(at, &info));
	addr = (char *)at - (char *)info.dli_fbase;
	dlclose(library);
	return addr;
}

static void set_features(struct fixture *f)
{
	static const struct plan_step rdi[] = {{PLAN_REG, 5}};
	static const struct plan_step rax[] = {{PLAN_REG, 0}};
	/* Where fs points to there is that very address (System V x86-64 psABI, TLS). */
	static const struct plan_step fs[] = {
		{PLAN_REG, PLAN_FS_BASE}, {PLAN_DUP}, {PLAN_LOAD, 8}, {PLAN_MINUS}};

	f->total_steps[0] =
		(struct plan_step){PLAN_ADDRESS, address_in(f->paths[PLUGIN], "plugin_total")};
	f->total_steps[1] = (struct plan_step){PLAN_LOAD, 4};
	f->features[FEATURE_N] = (struct feature){"n", FEATURE_INT, .plan = {rdi, 1, 0, 4}};
	f->features[FEATURE_TOTAL] = (struct feature){"plugin_total", FEATURE_INT, FROM_GLOBAL,
						      .plan = {f->total_steps, 2, 0, 4}};
	f->features[FEATURE_FS] = (struct feature){"fs", FEATURE_INT, .plan = {fs, 4, 0, 8}};
	f->features[FEATURE_CALL] =
		(struct feature){"system.call", FEATURE_INT, FROM_SYSTEM, .system = SYSTEM_CALL};
	f->features[FEATURE_THREADS] = (struct feature){"system.threads", FEATURE_INT, FROM_SYSTEM,
							.system = SYSTEM_THREADS};
	f->features[FEATURE_RESULT] =
		(struct feature){"$return", FEATURE_INT, FROM_RETURN, .plan = {rax, 1, 0, 4}};
}

static void take(struct fixture *f, unsigned module, const char *name, struct function *ret)
{
	struct err err;

	if (!build(f->paths[module], name, &f->parts[module], &err))
		fail_msg("%s", err.text);
	f->modules[module] = f->parts[module]->modules[0];
	if (!ret)
		return;
	assert_int_equal(f->parts[module]->n_functions, 1);
	*ret = f->parts[module]->functions[0];
	ret->module = module;
	ret->features = f->features;
	ret->n_features = N;
}

static void open_fixture(void **state, struct fixture *f, const char *compiler)
{
	static const char *const names[] = {"host-%s", "libneeded-%s.so", "plugin-%s.so"};
	char name[64];
	unsigned i;

	memset(f, 0, sizeof(*f));
	for (i = 0; i < N_MODULES; i++) {
		snprintf(name, sizeof(name), names[i], compiler);
		snprintf(f->paths[i], sizeof(f->paths[i]), "%s", fixture(state, name));
	}
	set_features(f);
	take(f, 0, "main", NULL);
	take(f, NEEDED, "needed_work", &f->functions[0]);
	take(f, PLUGIN, "plugin_work", &f->functions[1]);
	f->catalogue = (struct catalogue){.modules = f->modules,
					  .n_modules = N_MODULES,
					  .functions = f->functions,
					  .n_functions = 2};
}

static void launch(struct fixture *f, int rounds)
{
	char text[16];
	char *argv[] = {f->paths[0], f->paths[PLUGIN], text, NULL};
	struct err err;

	snprintf(text, sizeof(text), "%d", rounds);
	if (!session_launch(&f->catalogue, f->paths[0], argv,
			    &(struct session_options){.follow_fork = false}, &f->session, &err))
		fail_msg("%s", err.text);
}

static void close_fixture(struct fixture *f)
{
	unsigned i;

	session_destroy(f->session);
	for (i = 0; i < N_MODULES; i++)
		catalogue_destroy(f->parts[i]);
}

static double number(const struct call_record *call, unsigned feature)
{
	if (call->features[feature].absence != PRESENT)
		fail_msg("feature %u: %s", feature,
			 value_absence_name(call->features[feature].absence));
	return call->features[feature].number;
}

static void check_needed(const struct call_record *call, int *rounds)
{
	assert_true(number(call, FEATURE_RESULT) == 3 * number(call, FEATURE_N));
	assert_true(number(call, FEATURE_FS) == 0);
	assert_true(number(call, FEATURE_THREADS) >= 1 && number(call, FEATURE_THREADS) <= 2);
	if (number(call, FEATURE_N) > 0)
		assert_true(number(call, FEATURE_N) == ++*rounds);
}

static void check_plugin(const struct call_record *call, int index)
{
	int round = index / 2 + 1;
	int n = 100 * round + index % 2 + 1;
	int before = PLUGIN_START + (index % 2 ? 100 * round + 1 : 0);

	assert_true(number(call, FEATURE_N) == n);
	assert_true(number(call, FEATURE_TOTAL) == before);
	assert_true(number(call, FEATURE_RESULT) == before + n);
	assert_true(number(call, FEATURE_CALL) == index);
	assert_true(number(call, FEATURE_FS) == 0);
}

/* Every call is seen, with its values; the program finds nothing wrong. */
static void measure(struct fixture *f, int rounds)
{
	struct session_event event;
	struct err err;
	int n_needed = 0;
	int n_plugin = 0;

	launch(f, rounds);
	do {
		if (!session_next(f->session, &event, &err))
			fail_msg("%s", err.text);
		if (event.kind == SESSION_NOTE)
			fail_msg("%s", event.note);
		if (event.kind == SESSION_CALL && event.call.function == 0)
			check_needed(&event.call, &n_needed);
		if (event.kind == SESSION_CALL && event.call.function == 1)
			check_plugin(&event.call, n_plugin++);
	} while (event.kind != SESSION_ENDED);
	assert_int_equal(event.ending.how, ENDED_EXITED);
	assert_int_equal(event.ending.number, 0);
	assert_int_equal(n_needed, rounds);
	assert_int_equal(n_plugin, 2 * rounds);
	assert_int_equal(session_function_account(f->session, 0, 1)->abandoned, 0);
}

static void libraries_are_measured_wherever_they_are_loaded(void **state)
{
	static const char *const compilers[] = {"gcc", "clang"};
	struct fixture f;
	char name[64];
	unsigned i;

	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "host-%s", compilers[i]);
		if (!has_fixture(state, name))
			continue;
		open_fixture(state, &f, compilers[i]);
		measure(&f, ROUNDS);
		close_fixture(&f);
	}
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries_are_measured_wherever_they_are_loaded),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
