/*
 * The course of `attach --stuck`: stack_capture.c reads the stack, adopt_frames.c hands calls
 * to the session, followed_calls.c keeps and prints their state.
 *
 * The process runs while code, debug information and functions to measure are read, which takes
 * long. Then it is stopped once more for the times, and right after halted to adopt the calls.
 */
#include "follow_stuck.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adopt_frames.h"
#include "results/annotation_file.h"
#include "base/clock.h"
#include "core/verdict/stack_annotations.h"
#include "core/verdict/stack_words.h"
#include "followed_calls.h"
#include "cli/host.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/process_files.h"
#include "stack_capture.h"
#include "trace/ptrace_access.h"
#include "trace/session_halt.h"
#include "trace/sleepers.h"
#include "cli/required_features.h"
#include "cli/tracer_limits.h"

enum {
	TICK_NS = 250000000,
	TAKES_MAX = 20,
	PROGRESS_MS = 5000,  /* between progress notes on a terminal */
	LONGER = 100,        /* times gap_us: a sleep that lasted so long counts as continued */
	LONGER_COUNTED = 10, /* likewise, if the thread slept again only because of our stops */
	SWITCHES_MAX = 3,    /* for attaching, back to its sleep, and for the halt */
	CALL_SIZE = 2,       /* of the instruction of a system call */
};

struct follow_stuck {
	const struct options *options;
	struct arena *arena;
	pid_t pid;
	struct annotation_list annotations;
	struct catalogue_request request; /* of the capture */
	struct stack_capture *capture;
	struct stack *stack;      /* while halted; has the followed frames */
	struct stack *timed;      /* just before the halt */
	double timed_us;          /* when that began */
	struct sleeper *sleepers; /* right after `timed` */
	size_t n_sleepers;
	double gap_us; /* from `timed_us` to the halt */
	struct catalogue *catalogue;
	struct session *session;
	struct followed_calls following;
	bool is_leaving;
	struct clock_timer tick;
	struct output output;
};

static double stuck_now_us(void)
{
	return (double)clock_now_ns() / 1e3;
}

static bool read_annotations(struct follow_stuck *stuck, struct err *err)
{
	const struct options *options = stuck->options;

	stuck->request = (struct catalogue_request){
		.max_depth = options->max_depth,
		.max_features = options->max_features,
		.containers = options->containers,
		.globals = options->globals,
		.debuginfo_path = options->debuginfo_path,
	};
	if (!options->annotations)
		return true;
	if (!annotation_file_read(options->annotations, &stuck->annotations, err))
		return false;
	required_features_add(&stuck->annotations, METRIC_BIT(METRIC_TIME), stuck->arena,
			      &stuck->request.required, &stuck->request.n_required);
	return true;
}

static bool stuck_refuse(const struct follow_stuck *stuck, const char *what, struct err *err)
{
	return err_set(err, ERR_NOT_FOUND, "%s: fathom stack %d shows what process %d is doing",
		       what, (int)stuck->pid, (int)stuck->pid);
}

static bool refuse_annotations(const struct follow_stuck *stuck, struct err *err)
{
	const char *functions = stack_annotations_list(&stuck->annotations, stuck->arena);

	if (!functions)
		return err_set(err, ERR_NOT_FOUND,
			       "%s has no annotation of time: which call to follow says -f",
			       stuck->options->annotations);
	return stuck_refuse(
		stuck,
		arena_printf(stuck->arena,
			     "no open call that could be followed has an annotation in %s, "
			     "which has some of %s",
			     stuck->options->annotations, functions),
		err);
}

/* A catalogue of what may be followed; of its calls only the return is measured. */
static bool stuck_read_catalogue(struct follow_stuck *stuck, const struct stack *stack,
				 struct err *err)
{
	const struct options *options = stuck->options;
	const char *path = host_process_program(stuck->arena,
						arena_printf(stuck->arena, "%d", (int)stuck->pid));
	struct catalogue_request request = {
		.patterns = options->functions,
		.n_patterns = options->n_functions,
		.debuginfo_path = options->debuginfo_path,
		.metrics = METRIC_BIT(METRIC_TIME),
		.root = process_files_root(stuck->arena, stuck->pid),
	};
	const char **patterns;

	if (!path)
		return ptrace_access_explain(stuck->pid, errno == ENOENT ? ESRCH : errno, err);
	if (!options->n_functions) {
		request.n_patterns =
			adopt_frames_patterns(stack, &stuck->annotations, stuck->arena, &patterns);
		request.patterns = patterns;
		request.ambiguous = true;
		if (!request.n_patterns && options->annotations)
			return refuse_annotations(stuck, err);
		if (!request.n_patterns)
			return stuck_refuse(
				stuck, "no open call of the program has debug information", err);
	}
	request.n_libraries = process_files_libraries(stuck->arena, stuck->pid, &request.libraries);
	return catalogue_build(process_files_program(stuck->arena, stuck->pid, path), &request,
			       &stuck->catalogue, err);
}

static bool stuck_is_whole(const struct stack *stack)
{
	for (size_t i = 0; i < stack->n_threads; i++)
		if (stack->threads[i].activity == STACK_MISSED)
			return false;
	return true;
}

/* Try until no thread is missed because others had the processors. */
static bool take_whole(struct follow_stuck *stuck, struct stack **ret, struct err *err)
{
	for (int i = 0; i < TAKES_MAX; i++) {
		if (!stack_capture_take(stuck->capture, NULL, ret, err)) {
			stuck->capture = NULL; /* a stop may still be using it */
			return false;
		}
		if (i + 1 == TAKES_MAX || stuck_is_whole(*ret))
			break;
		stack_destroy(*ret);
	}
	return true;
}

/* Do everything that takes long while the process runs. */
static bool stuck_prepare(struct follow_stuck *stuck, struct err *err)
{
	struct stack *stack;
	bool ok;

	tracer_limits_hurry_on(stuck->pid, stuck->options->quiet);
	stuck->capture = stack_capture_create(stuck->pid, &stuck->request, true);
	if (!take_whole(stuck, &stack, err))
		return false;
	ok = stuck_read_catalogue(stuck, stack, err);
	stack_destroy(stack);
	if (!ok)
		return false;
	stuck->timed_us = stuck_now_us();
	if (!stack_capture_take(stuck->capture, NULL, &stuck->timed, err)) {
		stuck->capture = NULL;
		return false;
	}
	stuck->n_sleepers = sleepers_read(stuck->pid, &stuck->sleepers);
	return true;
}

static bool stuck_take_snapshot(void *self, pid_t pid, struct snapshot **ret, struct err *err)
{
	return session_snapshot(self, pid, ret, err);
}

/* The stack of the process, which the session has halted. */
static bool take_halted(struct follow_stuck *stuck, struct stack **ret, struct err *err)
{
	const struct stack_capture_source source = {stuck_take_snapshot, stuck->session};

	return stack_capture_take(stuck->capture, &source, ret, err);
}

static const struct stack_thread *stuck_find_thread(const struct stack *stack, pid_t tid)
{
	for (size_t i = 0; i < stack->n_threads; i++)
		if (stack->threads[i].tid == tid)
			return &stack->threads[i];
	return NULL;
}

static bool stuck_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Is it still in the same system call, or about to restart it, with the same frames around it? */
static bool sleeps_on(const struct stack_thread *a, const struct stack_thread *b)
{
	if (a->n_frames != b->n_frames || !a->n_frames || !a->wait.call ||
	    !stuck_same_text(a->wait.call, b->wait.call))
		return false;
	for (size_t i = 0; i < a->n_frames; i++)
		if (a->frames[i].cfa != b->frames[i].cfa ||
		    (i > 0 && a->frames[i].pc != b->frames[i].pc &&
		     a->frames[0].cfa != a->frames[i].cfa))
			return false;
	return a->frames[0].pc - b->frames[0].pc + CALL_SIZE <= 2 * CALL_SIZE;
}

/* Has the thread, now halted, slept again since it was timed only because of our stops? */
static bool woke_only_for_stops(const struct follow_stuck *stuck, pid_t tid)
{
	const struct sleeper *sleeper = sleepers_find(stuck->sleepers, stuck->n_sleepers, tid);
	uint64_t switches;

	return sleeper && sleeper->is_asleep && sleepers_switches(tid, &switches) &&
	       switches <= sleeper->switches + SWITCHES_MAX;
}

/* Carry the times over from before the halt. */
static void time_thread(const struct follow_stuck *stuck, struct stack_thread *thread)
{
	const struct stack_thread *timed = stuck_find_thread(stuck->timed, thread->tid);
	double longer;

	thread->at_least_us = 0; /* followed from now on */
	thread->at_most_us = NAN;
	if (!timed)
		return;
	thread->at_most_us = timed->at_most_us + stuck->gap_us;
	longer = woke_only_for_stops(stuck, thread->tid) ? LONGER_COUNTED : LONGER;
	if (timed->at_least_us >= longer * stuck->gap_us && sleeps_on(timed, thread))
		thread->at_least_us = timed->at_least_us;
}

static void stuck_follow(struct follow_stuck *stuck, const struct stack_thread *thread)
{
	unsigned function;
	const size_t frame = adopt_frames_choose(thread, stuck->catalogue, &function);
	int64_t id;

	if (frame == thread->n_frames ||
	    !adopt_frames(stuck->session, thread, frame, thread->at_most_us, stuck->catalogue,
			  function, &id))
		return;
	followed_calls_add(&stuck->following, stuck->stack, thread, frame, id);
	/* Ignore calls that begin from now on. */
	session_enable(stuck->session, 0, function, false);
}

/* The process is halted. */
static bool stuck_take_over(struct follow_stuck *stuck, struct err *err)
{
	if (!take_halted(stuck, &stuck->stack, err))
		return false;
	stuck->following = (struct followed_calls){
		.options = stuck->options,
		.arena = stuck->arena,
		.session = stuck->session,
		.output = &stuck->output,
		.calls = arena_array(stuck->arena, struct followed, stuck->stack->n_threads + 1),
	};
	for (size_t i = 0; i < stuck->stack->n_threads; i++)
		time_thread(stuck, &stuck->stack->threads[i]);
	stack_annotations_apply(stuck->stack, &stuck->annotations);
	for (size_t i = 0; i < stuck->stack->n_threads; i++)
		stuck_follow(stuck, &stuck->stack->threads[i]);
	if (stuck->following.n)
		return true;
	if (stuck->options->n_functions)
		return stuck_refuse(stuck,
				    "no call of what -f names is open that could be followed", err);
	return stuck_refuse(stuck, "no call is open any more that could be followed", err);
}

static bool stuck_attach(struct follow_stuck *stuck, struct recovery *guard, struct err *err)
{
	const struct session_options options = {
		.metrics = METRIC_BIT(METRIC_TIME), .max_overhead = 0.05, .guard = guard};

	if (!session_attach(stuck->catalogue, stuck->pid, &options, &stuck->session, err) ||
	    !session_halt(stuck->session, err))
		return false;
	stuck->gap_us = stuck_now_us() - stuck->timed_us;
	return stuck_take_over(stuck, err);
}

static void say_begin(const struct follow_stuck *stuck)
{
	const size_t n = followed_calls_open(&stuck->following);

	if (stuck->options->quiet)
		return;
	if (!n) {
		message_note("nothing to wait for: the threads wait for each other");
		return;
	}
	followed_calls_say(&stuck->following);
	message_note("waiting until %s; Ctrl-C lets the process go on alone",
		     n == 1 ? "it returns" : "these calls return");
}

/* Halt all threads for a moment to see what they wait for now. */
static void stuck_look_again(struct follow_stuck *stuck)
{
	struct stack *stack = NULL;
	struct err ignored;

	if (!session_halt(stuck->session, &ignored))
		return;
	if (take_halted(stuck, &stack, &ignored)) {
		followed_calls_look(&stuck->following, stack);
		stack_destroy(stack);
	}
	session_continue(stuck->session);
}

static bool stuck_take_event(struct follow_stuck *stuck, const struct session_event *event)
{
	switch (event->kind) {
	case SESSION_CALL:
		followed_calls_take(&stuck->following, &event->call);
		break;
	case SESSION_NOTE:
		if (!stuck->options->quiet)
			message_note("%s", event->note);
		break;
	case SESSION_PAUSE:
		if (!stuck->is_leaving) /* after detaching, the session has no calls */
			followed_calls_tend(&stuck->following);
		break;
	case SESSION_IMAGE: /* execve(): nothing of this is left */
	case SESSION_LIMIT: /* nothing is sampled */
	case SESSION_BEGAN: /* nor watched */
	case SESSION_LINE:
	case SESSION_SIGNAL:
		break;
	case SESSION_ENDED:
		if (event->ending.how != ENDED_DETACHED)
			followed_calls_end(&stuck->following);
		return false;
	}
	return true;
}

/* Detach, which may report calls that have just returned. */
static bool stuck_leave(struct follow_stuck *stuck, struct err *err)
{
	struct session_event event;

	stuck->is_leaving = true;
	session_detach(stuck->session);
	do
		if (!session_next(stuck->session, &event, err))
			return false;
	while (stuck_take_event(stuck, &event));
	return true;
}

static bool wait_for_ends(struct follow_stuck *stuck, struct err *err)
{
	const bool shows_progress = isatty(STDERR_FILENO) && !stuck->options->quiet;
	double shown_us = stuck_now_us();
	struct session_event event;

	while (followed_calls_open(&stuck->following) && !interrupt_count()) {
		if (!session_next(stuck->session, &event, err))
			return false;
		if (!stuck_take_event(stuck, &event))
			return true;
		if (shows_progress && followed_calls_open(&stuck->following) &&
		    stuck_now_us() - shown_us > PROGRESS_MS * 1e3) {
			stuck_look_again(stuck);
			followed_calls_say(&stuck->following);
			shown_us = stuck_now_us();
		}
	}
	if (followed_calls_open(&stuck->following))
		stuck_look_again(stuck);
	return stuck_leave(stuck, err);
}

static bool stuck_run_session(struct follow_stuck *stuck, struct recovery *guard, struct err *err)
{
	const char *inputs[] = {stuck->options->annotations};
	bool ok;

	if (!host_parse_pid(stuck->options->arguments[0], &stuck->pid, err) ||
	    !read_annotations(stuck, err) || !ptrace_access_check(stuck->pid, err) ||
	    !output_open(stuck->options->report, inputs, 1, &stuck->output, err))
		return false;
	if (!stuck_prepare(stuck, err) || !stuck_attach(stuck, guard, err))
		return false;
	interrupt_start(INTERRUPT_BY_ANY, stuck->options->seconds);
	clock_timer_set(&stuck->tick, clock_now_ns() + TICK_NS, TICK_NS);
	output_begin(&stuck->output);
	if (!stuck->options->json && followed_calls_open(&stuck->following))
		stack_words_circles(stuck->stack, stuck->output.file);
	else if (!stuck->options->json)
		stack_words_print(stuck->stack, stuck->output.file);
	fflush(stuck->output.file);
	say_begin(stuck);
	session_continue(stuck->session);
	ok = wait_for_ends(stuck, err);
	interrupt_stop();
	clock_timer_deinit(&stuck->tick);
	return ok && followed_calls_finish(&stuck->following, stuck->stack, err) &&
	       output_close(&stuck->output, err);
}

bool follow_stuck_run(const struct options *options, struct recovery *guard, struct err *err)
{
	struct follow_stuck stuck = {.options = options, .arena = arena_create()};
	const bool ok = stuck_run_session(&stuck, guard, err);

	interrupt_stop();
	clock_timer_deinit(&stuck.tick);
	if (!ok)
		output_close(&stuck.output, &(struct err){ERR_NONE, ""});
	session_destroy(stuck.session);
	stack_destroy(stuck.stack);
	stack_destroy(stuck.timed);
	free(stuck.sleepers);
	stack_capture_destroy(stuck.capture);
	catalogue_destroy(stuck.catalogue);
	annotation_parse_deinit(&stuck.annotations);
	arena_destroy(stuck.arena);
	return ok;
}
