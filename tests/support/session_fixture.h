/*
 * A session on a scripted target. Process 1 has two functions:
 *   f at CODE+0x200: push %rbx … ret at CODE+0x210, jmp g at CODE+0x220 (a tail call)
 *   g at CODE+0x300: nop     … ret at CODE+0x310, jmp f at CODE+0x320
 * CFAs are the stack pointer at the entry and 8; the feature of both is the parameter in rdi. Functions of this
 * header are inline so that a test may leave some of them unused.
 */
#ifndef FATHOM_TESTS_SESSION_FIXTURE_H
#define FATHOM_TESTS_SESSION_FIXTURE_H

#include "check.h"

#include <signal.h>
#include <string.h>

#include "scripted_target.h"
#include "trace/state/engine.h"
#include "trace/probe/scratch.h"
#include "trace/session/session_inner.h"

enum { F = CODE + 0x200, F_RET = CODE + 0x210, F_TAIL = CODE + 0x220 };
enum { G = CODE + 0x300, G_RET = CODE + 0x310, G_TAIL = CODE + 0x320, CALLER = CODE + 0x400 };
enum { TOP = STACK + 0x1000 };

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct plan_step rdi_steps[] = {{PLAN_REG, 5}};
static const struct feature n_feature = {
	.expression = "n", .type = FEATURE_INT, .plan = {rdi_steps, 1, PLAN_SIGNED, 8}};
static const struct address_range f_range = {F - CODE, G - CODE};
static const struct address_range g_range = {G - CODE, CALLER - CODE};
static const struct exit_site f_exits[] = {{F_RET - CODE, EXIT_RETURN},
					   {F_TAIL - CODE, EXIT_TAIL_JUMP}};
static const struct exit_site g_exits[] = {{G_RET - CODE, EXIT_RETURN},
					   {G_TAIL - CODE, EXIT_TAIL_JUMP}};

static const struct function functions[] = {
	{.name = "f",
	 .linkage = "f",
	 .ranges = &f_range,
	 .n_ranges = 1,
	 .probe_addr = F - CODE,
	 .cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8},
	 .exits = f_exits,
	 .n_exits = 2,
	 .features = &n_feature,
	 .n_features = 1},
	{.name = "g",
	 .linkage = "g",
	 .ranges = &g_range,
	 .n_ranges = 1,
	 .probe_addr = G - CODE,
	 .cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8},
	 .exits = g_exits,
	 .n_exits = 2,
	 .features = &n_feature,
	 .n_features = 1},
};
static const struct module module = {.path = "scripted", .entry_addr = ENTRY - CODE};
static const struct catalogue catalogue = {
	.modules = &module, .n_modules = 1, .functions = functions, .n_functions = 2};

struct fixture {
	struct scripted_target target;
	struct session *session;
};

#define HIT(tid_, pc, sp, di, at)                                                           \
	{                                                                                   \
		.stop = {.tid = tid_, .kind = STOP_BREAKPOINT}, .rip = (pc) + 1, .rsp = sp, \
		.rdi = di, .now_ns = at                                                     \
	}
#define EVENT(tid_, kind_, number_, child_, at)                                           \
	{                                                                                 \
		.stop = {.tid = tid_, .kind = kind_, .number = number_, .child = child_}, \
		.now_ns = at                                                              \
	}
#define START    HIT(1, ENTRY, TOP, 0, 0)
#define EXIT(at) EVENT(1, STOP_EXITED, 0, 0, at)

static inline void put(struct scripted_target *target, uint64_t address, const void *bytes,
		       size_t n)
{
	memcpy(target->code + (address - CODE), bytes, n);
}

static inline void play(struct fixture *f, const struct scripted_stop *script, size_t n,
			const struct session_options *options)
{
	static const uint8_t to_g[] = {0xe9, 0xdb, 0x00, 0x00, 0x00};
	static const uint8_t to_f[] = {0xe9, 0xdb, 0xfe, 0xff, 0xff};
	const uint64_t caller = CALLER;
	struct err err;

	memset(f, 0, sizeof(*f));
	f->target.script = script;
	f->target.n = n;
	memset(f->target.code, 0x90, sizeof(f->target.code));
	put(&f->target, F, "\x53", 1);
	put(&f->target, F_RET, "\xc3", 1);
	put(&f->target, F_TAIL, to_g, sizeof(to_g));
	put(&f->target, G_RET, "\xc3", 1);
	put(&f->target, G_TAIL, to_f, sizeof(to_f));
	memcpy(f->target.stack + (TOP - 8 - STACK), &caller, 8);
	assert_true(session_create(&catalogue, (struct target){&scripted_ops, &f->target}, 1,
				   options, &f->session, &err));
}

#define PLAY_WITH(f, options, ...)                           \
	const struct scripted_stop script[] = {__VA_ARGS__}; \
	play(f, script, sizeof(script) / sizeof(script[0]), options)
/* @most as max_overhead in the options of a session. */
#define PLAY_WITHIN(f, most, ...) \
	PLAY_WITH(f, (&(struct session_options){.max_overhead = most}), __VA_ARGS__)
#define PLAY(f, ...) PLAY_WITHIN(f, 0, __VA_ARGS__)

static inline struct session_event next(struct fixture *f)
{
	struct session_event event;
	struct err err;

	assert_true(session_next(f->session, &event, &err));
	return event;
}

static inline void assert_ends(struct fixture *f)
{
	assert_int_equal(next(f).kind, SESSION_ENDED);
	session_destroy(f->session);
}

static inline void assert_logged(const struct fixture *f, const char *text)
{
	if (!strstr(f->target.log, text))
		fail_msg("'%s' is not in:\n%s", text, f->target.log);
}

#endif
