/*
 * The session, the only place that waits. stop_dispatch.c handles stops, session_leave.c detaches,
 * target.h asks the kernel.
 */
#include "trace/session.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/engine.h"
#include "trace/state/event_queue.h"
#include "trace/call/probe_control.h"
#include "trace/probe/governor.h"
#include "trace/state/hardware.h"
#include "inferior.h"
#include "attach_running.h"
#include "trace/target/launch_layout.h"
#include "trace/target/ptrace_launch.h"
#include "session_leave.h"
#include "trace/session_halt.h"
#include "session_inner.h"
#include "session_pads.h"
#include "trace/ring/pads.h"
#include "trace/ring/ring_drain.h"
#include "stop_dispatch.h"
#include "tracee_control.h"

static void begin_pads(struct session *session)
{
	const char *why;

	if ((!session_pads_possible(&session->options, &why) ||
	     !pads_session_create(session, &why)) &&
	    session->options.probes == PROBES_PADS)
		event_queue_note(session, "calls are measured by stops: %s", why);
}

static struct session *session_create_target(struct target target, pid_t pid,
					     const struct session_options *options)
{
	struct session *session = mem_alloc(sizeof(*session));

	session->target = target;
	session->options = *options;
	if (options->calibration)
		session->account.calibration = *options->calibration;
	session->pid = pid;
	session->arena = arena_create();
	session->runner = plan_runner_create();
	session->start_ns = session->resumed_ns = target.ops->now_ns(target.self);
	session->chance.state = ~session->start_ns; /* not the numbers of the governor */
	session->governor =
		governor_create(options->max_overhead, session->start_ns, session->start_ns);
	begin_pads(session);
	session->options.clock = NULL;
	return session;
}

bool session_create(const struct catalogue *catalogue, struct target target, pid_t pid,
		    const struct session_options *options, struct session **ret, struct err *err)
{
	struct session *session = session_create_target(target, pid, options);
	struct inferior *inferior = inferior_create(session, pid);

	session->launched = true;
	session->current = tracee_add(session, pid, TRACEE_THREAD, inferior);
	session->current->stop_ns = session->start_ns;
	session->current->stopped = true;
	if (!insn_decoder_create(&session->decoder, err) ||
	    !inferior_measure(inferior, catalogue, err)) {
		session_destroy(session);
		return false;
	}
	*ret = session;
	return true;
}

bool session_launch(const struct catalogue *catalogue, const char *path, char *const argv[],
		    const struct session_options *options, struct session **ret, struct err *err)
{
	const struct run_layout *layout = &options->layout;
	const struct launch launch = {.path = path,
				      .argv = argv,
				      .own_group = options->prompt,
				      .fixed = layout->arranged && !layout->bytes[LAYOUT_PAGES]};
	struct run_layout found = {0};
	struct target target;
	pid_t pid;

	if (!hardware_fits(catalogue, options, err))
		return false;
	if (!ptrace_launch(&launch, &target, &pid, err))
		return false;
	if (layout->arranged && !launch_layout_arrange(&target, pid, layout, &found, err)) {
		target.ops->destroy(target.self);
		return false;
	}
	if (!session_create(catalogue, target, pid, options, ret, err))
		return false;
	(*ret)->account.layout = found;
	return true;
}

/* What it was linked with is mapped. */
bool session_launch_copy(const struct catalogue *catalogue, void (*copy)(void),
			 const struct session_options *options, struct session **ret,
			 struct err *err)
{
	const struct launch launch = {.path = "a copy of fathom", .copy = copy};
	struct inferior *inferior;
	struct target target;
	pid_t pid;

	if (!hardware_fits(catalogue, options, err) ||
	    !ptrace_launch(&launch, &target, &pid, err) ||
	    !session_create(NULL, target, pid, options, ret, err))
		return false;
	inferior = (*ret)->inferiors;
	inferior_measure_running(inferior, catalogue, pid);
	pads_update(inferior, (*ret)->current);
	return true;
}

bool session_create_attached(const struct catalogue *catalogue, struct target target, pid_t pid,
			     const pid_t *tids, size_t n_tids,
			     const struct session_options *options, struct session **ret,
			     struct err *err)
{
	struct session *session = session_create_target(target, pid, options);
	struct inferior *inferior = inferior_create(session, pid);
	size_t i;

	for (i = 0; i < n_tids; i++)
		tracee_add(session, tids[i], TRACEE_THREAD, inferior);
	if (!insn_decoder_create(&session->decoder, err) ||
	    !attach_running(session, inferior, catalogue, err)) {
		session_destroy(session);
		return false;
	}
	*ret = session;
	return true;
}

/* From then on its signals wait for us: what takes processor time is done before. */
bool session_attach(const struct catalogue *catalogue, pid_t pid,
		    const struct session_options *options, struct session **ret, struct err *err)
{
	struct session_options own = *options;
	struct tsc_clock clock;
	struct target target;
	const char *why;
	pid_t *tids;
	size_t n;
	bool ok;

	if (!hardware_fits(catalogue, options, err))
		return false;
	if (session_pads_possible(options, &why) && tsc_clock_init(&clock, &why))
		own.clock = &clock;
	if (!ptrace_target_attach(pid, &target, &tids, &n, err))
		return false;
	ptrace_target_set_recovery(&target, options->guard);
	ok = session_create_attached(catalogue, target, pid, tids, n, &own, ret, err);
	free(tids);
	return ok;
}

void session_destroy(struct session *session)
{
	struct tracee *tracee, *next;
	struct inferior *inferior;

	if (!session)
		return;
	if (!session->launched && !session->left)
		session_leave(session);
	session->target.ops->destroy(session->target.self);
	session->over = true;
	for (inferior = session->inferiors; inferior; inferior = inferior->next) {
		breakpoint_table_destroy(inferior->breakpoints);
		inferior->breakpoints = NULL;
	}
	HASH_ITER (hh, session->tracees, tracee, next)
		tracee_remove(session, tracee);
	while (session->inferiors)
		inferior_destroy(session->inferiors);
	event_queue_drop(session);
	free(session->queue);
	call_ids_deinit(&session->ids);
	free(session->values);
	free(session->images);
	governor_destroy(session->governor);
	pads_session_destroy(session);
	insn_decoder_destroy(session->decoder);
	plan_runner_destroy(session->runner);
	arena_destroy(session->arena);
	free(session);
}

bool session_measure(struct session *session, const struct catalogue *catalogue, unsigned *ret,
		     struct err *err)
{
	struct inferior *inferior = session->started;

	if (!inferior)
		return err_set(err, ERR_TARGET, "the process is gone");
	if (!hardware_fits(catalogue, &session->options, err))
		return false;
	if (!inferior_measure(inferior, catalogue, err))
		return false;
	session->started = NULL;
	*ret = inferior->image->index;
	return true;
}

static void end_measurement(struct session *session)
{
	session->account.duration_ns =
		session->target.ops->now_ns(session->target.self) - session->start_ns;
	probe_control_finish(session);
}

static void session_finish(struct session *session)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next)
		tracee_remove(session, tracee);
	session->ended = true;
	session_end_halt(session);
	tracee_rest(session);
	if (!session->left)
		end_measurement(session);
	event_queue_add(session, SESSION_ENDED, NULL)->ending = session->ending;
}

/* Is there a tracee whose stops or end matter? */
static bool is_expecting(const struct session *session)
{
	return session->tracees ||
	       (session->left && session->launched && session->ending.how == ENDED_DETACHED);
}

static void take_stop(struct session *session, const struct stop *stop)
{
	session_pads_turn(session, stop->when_ns);
	stop_dispatch(session, stop);
}

/*
 * This process may have other children, and waiting for them would not end: without tracees, do not
 * wait.
 */
static void session_wait_for_stop(struct session *session)
{
	struct stop stop;

	if (!is_expecting(session)) {
		session_finish(session);
		return;
	}
	session->waits_ns = session->target.ops->now_ns(session->target.self);
	switch (session->target.ops->wait(session->target.self,
					  ring_drain_until(session, probe_control_due_ns(session)),
					  &stop)) {
	case WAIT_STOP:
		ring_drain_due(session, stop.when_ns);
		inferior_look_for_rings(session, stop.when_ns);
		tracee_share(session);
		if (session->left)
			session_leave_late(session, &stop);
		else
			take_stop(session, &stop);
		break;
	case WAIT_NOTHING:
		ring_drain_due(session, session->target.ops->now_ns(session->target.self));
		tracee_share(session);
		inferior_look_for_rings(session, session->target.ops->now_ns(session->target.self));
		session_pads_turn(session, session->target.ops->now_ns(session->target.self));
		event_queue_add(session, SESSION_PAUSE, NULL);
		break;
	case WAIT_NOBODY:
		session_finish(session);
		break;
	}
}

/* While halted, only poll. */
static void look_for_stop(struct session *session)
{
	const struct target *target = &session->target;
	struct stop stop;

	if (!is_expecting(session)) {
		session_finish(session);
		return;
	}
	switch (target->ops->wait(target->self, target->ops->now_ns(target->self) + 1, &stop)) {
	case WAIT_STOP:
		session_stop_halted(session, &stop);
		break;
	case WAIT_NOTHING:
		event_queue_add(session, SESSION_PAUSE, NULL);
		break;
	case WAIT_NOBODY:
		session_finish(session);
		break;
	}
	tracee_rest(session); /* a prompt waits for its own input */
}

/* Resume the tracee whose stop was handled last. */
static void go_on(struct session *session)
{
	struct tracee *tracee;

	if (session->updating)
		session_pads_go_on(session);
	else
		session_pads_tend(session);
	if (session->updating)
		return;
	tracee = session->current;
	session->started = NULL;
	session->current = NULL;
	if (!tracee)
		return;
	tracee_go_on(session, tracee);
}

static struct inferior *find_inferior(const struct session *session, pid_t pid)
{
	struct inferior *inferior = session->inferiors;

	while (inferior && inferior->pid != pid)
		inferior = inferior->next;
	return inferior;
}

/* At a new program the user may say what to measure; at a signal all are halted. */
static void prepare_to_tell(struct session *session, const struct session_event *event)
{
	struct err none_left;

	if (event->kind == SESSION_IMAGE) {
		session->started = find_inferior(session, event->image.pid);
		tracee_rest(session);
	}
	if (event->kind == SESSION_SIGNAL) {
		session->signalled = event->signal.is_stop ? 0 : event->signal.thread;
		session_halt(session, &none_left);
	}
}

bool session_next(struct session *session, struct session_event *ret, struct err *err)
{
	unsigned turns = 0;

	if (session->next_queued && session->next_queued == session->n_queued)
		event_queue_drop(session);
	for (; !session->n_queued; turns++) {
		if (session->ended)
			return err_set(err, ERR_USAGE, "the session has ended");
		go_on(session);
		if (session->updating)
			continue;
		if (session->continuing)
			session_continue(session);
		if (session->halted)
			look_for_stop(session);
		else
			session_wait_for_stop(session);
		if (!session->n_queued && turns >= SESSION_TURNS)
			event_queue_add(session, SESSION_PAUSE, NULL);
	}
	*ret = session->queue[session->next_queued++].event;
	prepare_to_tell(session, ret);
	return true;
}

void session_detach(struct session *session)
{
	if (session->ended || session->left)
		return;
	session_leave(session);
	if (session->ending.how == ENDED_UNKNOWN)
		session->ending = (struct ending){.how = ENDED_DETACHED};
	end_measurement(session);
}

pid_t session_process(const struct session *session)
{
	return session->ending.how == ENDED_EXITED || session->ending.how == ENDED_SIGNALLED
		       ? 0
		       : session->pid;
}

const struct account *session_account(const struct session *session)
{
	return &session->account;
}

const struct function_account *session_function_account(const struct session *session,
							unsigned image, unsigned function)
{
	return &session->images[image]->functions[function].account;
}

static uint64_t measured_until(const struct session *session)
{
	return session->finished_ns ? session->finished_ns
				    : session->target.ops->now_ns(session->target.self);
}

double session_function_share(const struct session *session, unsigned image, unsigned function)
{
	return governor_share(session->governor,
			      session->images[image]->functions[function].governed,
			      measured_until(session));
}

bool session_function_calls(const struct session *session, unsigned image, unsigned function,
			    double *ret)
{
	return governor_calls(session->governor,
			      session->images[image]->functions[function].governed,
			      measured_until(session), ret);
}

double session_overhead(const struct session *session)
{
	return governor_overhead(session->governor, measured_until(session));
}
