/*
 * The session: the one place that waits, and what each kind of stop leads to. Calls are calls.c's
 * business, libraries are modules.c's; how the target is asked is target.h's.
 */
#include "trace/session.h"

#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/engine.h"

static struct tracee *tracee_find(const struct session *session, pid_t tid)
{
	struct tracee *found;

	HASH_FIND_INT(session->tracees, &tid, found);
	return found;
}

static struct tracee *tracee_add(struct session *session, pid_t tid, enum tracee_role role)
{
	struct tracee *tracee = mem_alloc(sizeof(*tracee));

	tracee->tid = tid;
	tracee->role = role;
	HASH_ADD_INT(session->tracees, tid, tracee);
	return tracee;
}

static void tracee_remove(struct session *session, struct tracee *tracee)
{
	session_abandon_all(session, tracee);
	call_stack_deinit(&tracee->calls);
	HASH_DEL(session->tracees, tracee);
	free(tracee);
}

/* With several threads, each runs where it likes. */
static void update_sharing(struct session *session)
{
	const struct target *target = &session->target;
	struct tracee *tracee, *next;
	size_t threads = 0;
	pid_t last = 0;

	HASH_ITER (hh, session->tracees, tracee, next) {
		if (tracee->role != TRACEE_THREAD)
			continue;
		threads++;
		last = tracee->tid;
	}
	session->n_threads = threads;
	target->ops->share_processor(target->self, threads == 1 ? last : 0);
}

/*
 * The loader runs first. When the executable starts, everything that it was linked with is in
 * place.
 */
static bool stop_at_start(struct session *session, struct err *err)
{
	static const uint8_t int3 = 0xcc;
	const struct target *target = &session->target;
	uint64_t pc = target->ops->auxiliary(target->self, session->pid, AT_ENTRY);
	struct memory_read read = {.address = pc, .to = &session->start_byte, .size = 1};

	target->ops->read(target->self, session->pid, &read, 1);
	if (!pc || !read.ok || !target->ops->write(target->self, session->pid, pc, &int3, 1))
		return err_set(err, ERR_TARGET,
			       "the start of the program cannot be found in its memory");
	session->start_pc = pc;
	session->modules[0].load_bias = pc - session->catalogue->modules[0].entry_addr;
	update_sharing(session);
	return true;
}

bool session_create(const struct catalogue *catalogue, struct target target, pid_t pid,
		    struct session **ret, struct err *err)
{
	struct session *session = mem_alloc(sizeof(*session));

	session->target = target;
	session->catalogue = catalogue;
	session->pid = pid;
	session->arena = arena_create();
	session->runner = plan_runner_create();
	session->start_ns = target.ops->now_ns(target.self);
	session->current = tracee_add(session, pid, TRACEE_THREAD);
	session->current->stop_ns = session->start_ns;
	session->current->stopped = true;
	session_modules_init(session);
	session_set_up_functions(session);
	if (!insn_decoder_create(&session->decoder, err) || !stop_at_start(session, err)) {
		session_destroy(session);
		return false;
	}
	*ret = session;
	return true;
}

bool session_launch(const struct catalogue *catalogue, const char *path, char *const argv[],
		    struct session **ret, struct err *err)
{
	struct target target;
	pid_t pid;

	return target_launch(path, argv, &target, &pid, err) &&
	       session_create(catalogue, target, pid, ret, err);
}

void session_destroy(struct session *session)
{
	struct tracee *tracee, *next;

	if (!session)
		return;
	session->target.ops->destroy(session->target.self);
	breakpoint_table_destroy(session->breakpoints);
	session->breakpoints = NULL;
	HASH_ITER (hh, session->tracees, tracee, next)
		tracee_remove(session, tracee);
	session_drop_queue(session);
	free(session->queue);
	free(session->regions);
	free(session->values);
	insn_decoder_destroy(session->decoder);
	plan_runner_destroy(session->runner);
	arena_destroy(session->arena);
	free(session);
}

/* The clock of a call that began in the stop starts when its tracee was resumed. */
static void start_clock(struct tracee *tracee, uint64_t resumed_ns)
{
	struct open_call *call = &tracee->calls.calls[tracee->calls.n - 1];

	call->start_ns = resumed_ns;
	call->stopped_ns = tracee->stopped_ns;
	call->stops = tracee->stops;
}

static void go_on(struct session *session, struct tracee *tracee)
{
	const struct target_ops *ops = session->target.ops;
	void *self = session->target.self;
	uint64_t resumed_ns;

	if (tracee->next == NEXT_STAY)
		return;
	tracee->stopped = false;
	if (tracee->next == NEXT_LISTEN) {
		ops->listen(self, tracee->tid);
		return;
	}
	if (tracee->registers_changed)
		ops->set_registers(self, tracee->tid, &tracee->registers);
	ops->resume(self, tracee->tid, tracee->signal, &resumed_ns);
	tracee->stopped_ns += resumed_ns - tracee->stop_ns;
	session->account.stopped_ns += resumed_ns - tracee->stop_ns;
	if (tracee->call_began)
		start_clock(tracee, resumed_ns);
}

/* A fork child has a copy of our int3s. Restore its text and let it go. */
static void release_copy(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;

	if (session->breakpoints)
		breakpoint_restore_in(session->breakpoints, tracee->tid);
	target->ops->detach(target->self, tracee->tid);
	tracee->next = NEXT_STAY;
	tracee_remove(session, tracee);
}

/* A newborn tracee whose role is known and that is stopped. */
static void adopt(struct session *session, struct tracee *tracee)
{
	if (tracee->role == TRACEE_COPY) {
		release_copy(session, tracee);
		return;
	}
	tracee->next = NEXT_RESUME;
	go_on(session, tracee);
}

static enum tracee_role role_of_child(const struct session *session, const struct stop *stop)
{
	const struct target *target = &session->target;

	if (stop->kind == STOP_FORK)
		return TRACEE_COPY;
	if (stop->kind == STOP_CLONE &&
	    target->ops->process(target->self, stop->child) == session->pid)
		return TRACEE_THREAD;
	return TRACEE_BORROWER;
}

static void on_birth(struct session *session, const struct stop *stop)
{
	enum tracee_role role = role_of_child(session, stop);
	struct tracee *child = tracee_find(session, stop->child);

	if (!child)
		child = tracee_add(session, stop->child, role);
	child->role = role;
	update_sharing(session);
	if (child->stopped)
		adopt(session, child);
}

/*
 * The image is new and without breakpoints; only the thread that called exec is left, under the
 * pid.
 */
static void on_exec(struct session *session, struct tracee *tracee)
{
	struct tracee *other, *next;

	if (tracee->role == TRACEE_BORROWER) {
		session->target.ops->detach(session->target.self, tracee->tid);
		tracee_remove(session, tracee);
		session->current = NULL;
		return;
	}
	breakpoint_table_destroy(session->breakpoints);
	session->breakpoints = NULL;
	session_modules_forget(session);
	session_abandon_all(session, tracee);
	HASH_ITER (hh, session->tracees, other, next)
		if (other != tracee && other->role == TRACEE_THREAD)
			tracee_remove(session, other);
	session_note(session,
		     "the program replaced itself (exec); from there on nothing is measured");
}

static void on_start(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;
	uint64_t pc = session->start_pc;

	target->ops->write(target->self, tracee->tid, pc, &session->start_byte, 1);
	tracee->registers.rip = pc;
	tracee->registers_changed = true;
	target->ops->set_registers(target->self, tracee->tid, &tracee->registers);
	session->start_pc = 0;
	session->breakpoints = breakpoint_table_create(target, session->decoder, pc);
	session_modules_start(session, tracee->tid);
}

static void on_breakpoint(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;
	struct breakpoint *breakpoint = NULL;
	uint64_t pc;

	if (!target->ops->get_registers(target->self, tracee->tid, &tracee->registers))
		return;
	pc = tracee->registers.rip - 1;
	if (pc == session->start_pc && tracee->role == TRACEE_THREAD) {
		on_start(session, tracee);
		return;
	}
	if (session->breakpoints)
		breakpoint = breakpoint_find(session->breakpoints, pc);
	if (!breakpoint) { /* the program's own int3 */
		tracee->signal = SIGTRAP;
		return;
	}
	tracee->registers.rip = pc;
	tracee->registers_changed = true;
	if (!breakpoint->planted) /* lifted since this thread ran into it */
		return;
	session->account.stops++;
	if (tracee->role == TRACEE_THREAD)
		session_hit(session, tracee, breakpoint);
	if (breakpoint->planted &&
	    !displaced_step(&breakpoint->displaced, target, tracee->tid, &tracee->registers))
		breakpoint_lift(session->breakpoints, tracee->tid, breakpoint);
}

/* Signal handlers must not see a PC in our scratch memory. */
static void leave_slot(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;
	struct breakpoint *breakpoint;
	struct open_call *call;
	uint64_t pc;
	bool again;

	if (!session->breakpoints ||
	    !target->ops->get_registers(target->self, tracee->tid, &tracee->registers))
		return;
	breakpoint = breakpoint_by_slot(session->breakpoints, tracee->registers.rip);
	if (!breakpoint)
		return;
	displaced_home(&breakpoint->displaced, tracee->registers.rip, &pc, &again);
	tracee->registers.rip = pc;
	tracee->registers_changed = true;
	if (!again || breakpoint->entry_of < 0 || !tracee->calls.n)
		return;
	call = &tracee->calls.calls[tracee->calls.n - 1];
	call->restarted = (int)call->function == breakpoint->entry_of;
}

/*
 * Newborn tracees whose parent died before it could say what they are: no thread outlives its
 * process.
 */
static void adopt_orphans(struct session *session)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next) {
		if (tracee->role != TRACEE_UNKNOWN)
			continue;
		tracee->role = TRACEE_COPY;
		if (tracee->stopped)
			release_copy(session, tracee);
	}
}

static void on_gone(struct session *session, const struct stop *stop)
{
	struct tracee *tracee = tracee_find(session, stop->tid);

	if (tracee) {
		if (session->current == tracee)
			session->current = NULL;
		tracee_remove(session, tracee);
		update_sharing(session);
	}
	if (stop->tid != session->pid)
		return;
	session->ending.how = stop->kind == STOP_EXITED ? ENDED_EXITED : ENDED_SIGNALLED;
	session->ending.number = stop->number;
	adopt_orphans(session);
}

static void on_tracee_stop(struct session *session, struct tracee *tracee, const struct stop *stop)
{
	tracee->stopped = true;
	tracee->stop_ns = stop->when_ns;
	tracee->stops++;
	tracee->next = NEXT_RESUME;
	tracee->signal = 0;
	tracee->registers_changed = false;
	tracee->call_began = false;
	session->current = tracee;
	switch (stop->kind) {
	case STOP_BREAKPOINT:
		on_breakpoint(session, tracee);
		break;
	case STOP_SIGNAL:
		tracee->signal = stop->number;
		leave_slot(session, tracee);
		break;
	case STOP_GROUP:
		tracee->next = NEXT_LISTEN;
		break;
	case STOP_EVENT:
		if (tracee->role == TRACEE_UNKNOWN)
			tracee->next = NEXT_STAY;
		if (tracee->role == TRACEE_COPY) {
			session->current = NULL;
			release_copy(session, tracee);
		}
		break;
	case STOP_CLONE:
	case STOP_FORK:
	case STOP_VFORK:
		on_birth(session, stop);
		break;
	case STOP_EXEC:
		on_exec(session, tracee);
		break;
	case STOP_EXITED:
	case STOP_KILLED:
		break;
	}
}

static void on_stop(struct session *session, const struct stop *stop)
{
	struct tracee *tracee = tracee_find(session, stop->tid);

	if (stop->kind == STOP_EXITED || stop->kind == STOP_KILLED) {
		on_gone(session, stop);
		return;
	}
	if (!tracee)
		tracee = tracee_add(session, stop->tid, TRACEE_UNKNOWN);
	on_tracee_stop(session, tracee, stop);
}

static void finish(struct session *session)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next)
		tracee_remove(session, tracee);
	session->ended = true;
	session->account.duration_ns =
		session->target.ops->now_ns(session->target.self) - session->start_ns;
	session_queue(session, SESSION_ENDED, NULL)->ending = session->ending;
}

bool session_next(struct session *session, struct session_event *ret, struct err *err)
{
	struct stop stop;

	if (session->next_queued && session->next_queued == session->n_queued)
		session_drop_queue(session);
	while (!session->n_queued) {
		if (session->ended)
			return err_set(err, ERR_USAGE, "the session has ended");
		if (session->current)
			go_on(session, session->current);
		session->current = NULL;
		/*
		 * This process may have children of another origin: waiting for them would not end.
		 */
		if (session->tracees && session->target.ops->wait(session->target.self, &stop))
			on_stop(session, &stop);
		else
			finish(session);
	}
	*ret = session->queue[session->next_queued++].event;
	return true;
}

void session_set_stop_bias(struct session *session, double bias_ns)
{
	session->account.stop_bias_ns = bias_ns;
}

pid_t session_process(const struct session *session)
{
	return session->pid;
}

const struct account *session_account(const struct session *session)
{
	return &session->account;
}

const struct function_account *session_function_account(const struct session *session,
							unsigned function)
{
	return &session->functions[function].account;
}
