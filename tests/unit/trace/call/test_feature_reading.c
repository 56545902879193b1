/*
 * When features are read, and what that costs. The function f at CODE+0x200 returns at CODE+0x210
 * or leaves by a tail call at CODE+0x220; its caller is CODE+0x400.
 */
#include "check.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scripted_target.h"
#include "trace/state/engine.h"
#include "trace/kernel/system_values.h"
#include "trace/session/session_inner.h"

enum { F = CODE + 0x200, F_RET = CODE + 0x210, F_TAIL = CODE + 0x220, CALLER = CODE + 0x400 };
enum { TOP = STACK + 0x1000, N_MANY = 500 };

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct plan_step rdi[] = {{PLAN_REG, 5}};
static const struct plan_step rax[] = {{PLAN_REG, 0}};
static const struct plan_step fs[] = {{PLAN_REG, PLAN_FS_BASE}};
static const struct address_range f_range = {F - CODE, F - CODE + 0x100};
static const struct exit_site f_exits[] = {{F_RET - CODE, EXIT_RETURN},
					   {F_TAIL - CODE, EXIT_TAIL_JUMP}};
static const struct module module = {.path = "scripted", .entry_addr = ENTRY - CODE};

struct fixture {
	struct scripted_target target;
	struct session *session;
	struct function function;
	struct catalogue catalogue;
};

#define HIT(pc, sp, di, ax, at)                                                            \
	{                                                                                  \
		.stop = {.tid = 1, .kind = STOP_BREAKPOINT}, .rip = (pc) + 1, .rsp = (sp), \
		.rdi = (di), .rax = (ax), .fs_base = 0x1234, .now_ns = (at)                \
	}
#define EXIT                                             \
	{                                                \
		.stop = {.tid = 1, .kind = STOP_EXITED}, \
	}

static void play(struct fixture *f, const struct feature *features, size_t n_features,
		 const struct scripted_stop *script, size_t n)
{
	static const uint8_t away[] = {0xe9, 0xdb, 0x00, 0x00, 0x00};
	const uint64_t caller = CALLER;
	struct err err;

	memset(f, 0, sizeof(*f));
	f->function = (struct function){.name = "f",
					.linkage = "f",
					.ranges = &f_range,
					.n_ranges = 1,
					.probe_addr = F - CODE,
					.cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8},
					.exits = f_exits,
					.n_exits = 2,
					.features = features,
					.n_features = n_features};
	f->catalogue = (struct catalogue){
		.modules = &module, .n_modules = 1, .functions = &f->function, .n_functions = 1};
	f->target.script = script;
	f->target.n = n;
	memset(f->target.code, 0x90, sizeof(f->target.code));
	f->target.code[F_RET - CODE] = 0xc3;
	memcpy(f->target.code + (F_TAIL - CODE), away, sizeof(away));
	memcpy(f->target.stack + (TOP - 8 - STACK), &caller, 8);
	assert_true(session_create(&f->catalogue, (struct target){&scripted_ops, &f->target}, 1,
				   &(struct session_options){.follow_fork = false}, &f->session,
				   &err));
}

#define PLAY(f, features, n_features, ...)                                                   \
	const struct scripted_stop script[] = {HIT(ENTRY, TOP, 0, 0, 0), __VA_ARGS__, EXIT}; \
	play(f, features, n_features, script, sizeof(script) / sizeof(script[0]))

static struct session_event next(struct fixture *f)
{
	struct session_event event;
	struct err err;

	assert_true(session_next(f->session, &event, &err));
	return event;
}

static const struct feature early_and_late[] = {
	{"n", FEATURE_INT, FROM_PARAMETER, .plan = {rdi, 1, PLAN_SIGNED, 8}},
	{"$return", FEATURE_INT, FROM_RETURN, .plan = {rax, 1, PLAN_SIGNED, 4}},
	{"gone", FEATURE_INT, FROM_RETURN, .absence = ABSENT_OPTIMIZED_OUT},
	{"fs", FEATURE_INT, FROM_PARAMETER, .plan = {fs, 1, PLAN_SIGNED, 8}},
};

static void returned_values_are_read_at_the_return(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, early_and_late, 4, HIT(F, TOP - 8, 5, 99, 1000),
	     HIT(F_RET, TOP - 8, 77, (uint32_t)-3, 2000));
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_true(event.call.features[0].number == 5);
	assert_true(event.call.features[1].number == -3);
	assert_int_equal(event.call.features[2].absence, ABSENT_OPTIMIZED_OUT);
	assert_true(event.call.features[3].number == 0x1234);
	session_destroy(f.session);
}

static void after_a_tail_call_returned_values_are_read_where_it_returns_to(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, early_and_late, 4, HIT(F, TOP - 8, 5, 99, 1000), HIT(F_TAIL, TOP - 8, 0, 98, 2000),
	     HIT(CALLER, TOP, 0, 12, 3000));
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_true(event.call.features[1].number == 12);
	session_destroy(f.session);
}

static void xmm_registers_are_read_only_in_the_stop_that_needs_them(void **state)
{
	static const struct plan_step xmm0[] = {{PLAN_REG, PLAN_XMM0}};
	static const struct feature features[] = {
		{"n", FEATURE_INT, FROM_PARAMETER, .plan = {rdi, 1, PLAN_SIGNED, 8}},
		{"$return", FEATURE_FLOAT, FROM_RETURN, .plan = {xmm0, 1, PLAN_FLOAT, 8}},
	};
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, features, 2, HIT(F, TOP - 8, 5, 0, 1000),
	     HIT(F_RET, TOP - 8, 0, 0x3ff8000000000000, 2000));
	event = next(&f);
	assert_true(event.call.features[1].number == 1.5);
	assert_non_null(strstr(f.target.log, "xmm 1 400211\n"));
	assert_null(strstr(f.target.log, "xmm 1 400201\n"));
	session_destroy(f.session);
}

static void features_of_the_system_are_read_when_a_call_begins(void **state)
{
	static const struct feature features[] = {
		{"system.cpu_clock", FEATURE_FLOAT, FROM_SYSTEM, .system = SYSTEM_CPU_CLOCK},
		{"system.load", FEATURE_FLOAT, FROM_SYSTEM, .system = SYSTEM_LOAD},
		{"system.threads", FEATURE_INT, FROM_SYSTEM, .system = SYSTEM_THREADS},
		{"system.call", FEATURE_INT, FROM_SYSTEM, .system = SYSTEM_CALL},
	};
	struct session_event event;
	struct fixture f;
	int i;

	(void)state;
	PLAY(&f, features, 4, HIT(F, TOP - 8, 0, 0, 10), HIT(F_RET, TOP - 8, 0, 0, 2000),
	     HIT(F, TOP - 8, 0, 0, 20), HIT(F_RET, TOP - 8, 0, 0, 4000));
	for (i = 0; i < 2; i++) {
		event = next(&f);
		assert_int_equal(event.call.features[0].absence, ABSENT_UNREADABLE);
		assert_true(event.call.features[1].number == 1000 * SYSTEM_LOAD + 10 * (i + 1));
		assert_true(event.call.features[2].number == 1);
		assert_true(event.call.features[3].number == i);
	}
	session_destroy(f.session);
}

/* Words that lie far apart, as many as features, and as many features again that have no value. */
static void many_features_cost_one_read_a_level(void **state)
{
	static struct plan_step steps[N_MANY][2];
	static struct feature features[2 * N_MANY];
	struct session_event event;
	struct fixture f;
	size_t i;

	(void)state;
	for (i = 0; i < N_MANY; i++) {
		steps[i][0] = (struct plan_step){PLAN_ADDRESS, STACK - CODE + 16 * i};
		steps[i][1] = (struct plan_step){PLAN_LOAD, 8};
		features[i] =
			(struct feature){"x", FEATURE_INT, .plan = {steps[i], 2, PLAN_SIGNED, 8}};
		features[N_MANY + i] =
			(struct feature){"y", FEATURE_INT, .plan = {steps[i], 2, PLAN_SIGNED, 8},
					 .absence = ABSENT_UNSUPPORTED};
	}
	PLAY(&f, features, 2 * N_MANY, HIT(F, TOP - 8, 0, 0, 10), HIT(F_RET, TOP - 8, 0, 0, 2000));
	event = next(&f);
	assert_int_equal(event.call.features[N_MANY - 1].absence, PRESENT);
	assert_int_equal(event.call.features[N_MANY].absence, ABSENT_UNSUPPORTED);
	assert_int_equal(session_account(f.session)->reads, 1);
	assert_int_equal(f.session->images[0]->functions[0].at_entry.n, N_MANY + 1);
	session_destroy(f.session);
}

/* The kernel takes 1024 pieces at once; one that cannot be read ends a call. */
static void a_thousand_pieces_are_one_system_call(void **state)
{
	static char memory[1024][64];
	struct memory_read reads[1025];
	struct target live = ptrace_target(getpid(), false);
	uint8_t bytes[1025];
	size_t i;

	(void)state;
	for (i = 0; i < 1025; i++) {
		reads[i] = (struct memory_read){(uint64_t)memory[i % 1024], &bytes[i], 1, false};
		memory[i % 1024][0] = i % 1024 % 251;
	}
	assert_int_equal(live.ops->read(live.self, getpid(), reads, 1024), 1);
	for (i = 0; i < 1024; i++)
		assert_true(reads[i].ok && bytes[i] == i % 251);
	assert_int_equal(live.ops->read(live.self, getpid(), reads, 1025), 2);
	reads[500].address = 8;
	assert_int_equal(live.ops->read(live.self, getpid(), reads, 1024), 2);
	assert_false(reads[500].ok);
	assert_true(reads[499].ok && reads[501].ok);
	live.ops->destroy(live.self);
}

/* The kernel's own count may lag behind. */
static bool changes_in_time(struct system_values *machine, double number)
{
	uint64_t now = 1010000000;

	for (int i = 0; i < 3000; i++, now += 10000000) {
		if (system_values_value(machine, getpid(), SYSTEM_FREE_MEMORY, now).number !=
		    number)
			return true;
		usleep(10000);
	}
	return false;
}

static void the_machine_is_asked_again_only_after_a_while(void **state)
{
	struct system_values *machine = system_values_create();
	struct value first = system_values_value(machine, getpid(), SYSTEM_FREE_MEMORY, 1000000000);
	const size_t size = 64 << 20;
	void *memory;

	(void)state;
	assert_int_equal(first.absence, PRESENT);
	assert_true(first.number > 0);
	assert_int_equal(system_values_value(machine, getpid(), SYSTEM_LOAD, 1000000000).absence,
			 PRESENT);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	assert_true(memory != MAP_FAILED);
	assert_true(system_values_value(machine, getpid(), SYSTEM_FREE_MEMORY, 1009999999).number ==
		    first.number);
	assert_true(changes_in_time(machine, first.number));
	munmap(memory, size);
	system_values_destroy(machine);
}

static void a_clock_is_a_plausible_number_or_not_known(void **state)
{
	struct system_values *machine = system_values_create();
	struct value clock = system_values_value(machine, getpid(), SYSTEM_CPU_CLOCK, 1000000000);
	struct value gone = system_values_value(machine, 0x7ffffff0, SYSTEM_CPU_CLOCK, 1000000000);

	(void)state;
	if (clock.absence == PRESENT)
		assert_true(clock.number > 100 && clock.number < 20000);
	else
		assert_int_equal(clock.absence, ABSENT_UNREADABLE);
	assert_int_equal(gone.absence, ABSENT_UNREADABLE);
	assert_int_equal(system_values_value(machine, 1, SYSTEM_CALL, 0).absence,
			 ABSENT_UNREADABLE);
	system_values_destroy(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returned_values_are_read_at_the_return),
		cmocka_unit_test(after_a_tail_call_returned_values_are_read_where_it_returns_to),
		cmocka_unit_test(xmm_registers_are_read_only_in_the_stop_that_needs_them),
		cmocka_unit_test(features_of_the_system_are_read_when_a_call_begins),
		cmocka_unit_test(many_features_cost_one_read_a_level),
		cmocka_unit_test(a_thousand_pieces_are_one_system_call),
		cmocka_unit_test(the_machine_is_asked_again_only_after_a_while),
		cmocka_unit_test(a_clock_is_a_plausible_number_or_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
