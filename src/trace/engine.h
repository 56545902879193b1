/*
 * The engine behind a session: its state, shared by session.c (stops), calls.c (what hits mean),
 * plant.c and events.c.
 *
 * Private to trace/ and its tests. One stop is handled at a time: the tracee that it belongs to
 * stays stopped until session_next() is called again, so that all work of ours falls into time that
 * is known and subtracted.
 */
#ifndef FATHOM_TRACE_ENGINE_H
#define FATHOM_TRACE_ENGINE_H

#include <uthash.h>

#include "trace/breakpoint.h"
#include "trace/call_stack.h"
#include "trace/session.h"

enum tracee_role {
	TRACEE_UNKNOWN, /* stopped before its parent's event said what it is */
	TRACEE_THREAD,  /* of the inferior: measured */
	TRACEE_BORROWER, /* a vfork child or the like: may run our breakpoints, not measured, let go at exec */
	TRACEE_COPY, /* a fork child: its text is restored and it is let go */
};

/* How a stopped tracee goes on. */
enum tracee_next { NEXT_RESUME, NEXT_LISTEN, NEXT_STAY };

struct tracee {
	pid_t tid;
	enum tracee_role role;
	bool stopped;
	enum tracee_next next;
	int signal;                        /* delivered when it is resumed */
	struct user_regs_struct registers; /* of the current stop, if they were read */
	bool registers_changed;
	bool call_began; /* the top call began in this stop: its clock starts at the resume */
	struct call_stack calls;
	uint64_t stop_ns;    /* when the current stop was noticed */
	uint64_t stopped_ns; /* spent in stops so far */
	uint64_t stops;
	UT_hash_handle hh;
};

struct measured_function {
	const struct function *function;
	const struct read_plan **plans; /* one a feature, then one for the return address */
	bool uses_xmm;
	struct function_account account;
};

struct queued_event {
	struct session_event event;
	struct value *features; /* owned */
};

struct session {
	struct target target;
	const struct catalogue *catalogue;
	struct insn_decoder *decoder;
	struct arena *arena; /* notes */
	struct plan_runner *runner;
	struct measured_function *functions;
	struct breakpoint_table *breakpoints; /* NULL while nothing is measured */
	struct tracee *tracees;
	struct tracee *current; /* the tracee whose stop is being handled, NULL: none */
	struct region *regions;
	size_t n_regions;
	pid_t pid;
	uint64_t
		start_pc; /* where the executable starts; its int3 is the first breakpoint. 0: it was reached */
	uint8_t start_byte;
	uint64_t load_bias;
	uint64_t start_ns;
	int64_t last_id;
	struct queued_event *queue;
	size_t n_queued, next_queued, queue_capacity;
	struct ending ending;
	bool ended;
	struct account account;
};

/*
 * A session on @target, whose process @pid is stopped right behind exec. Takes @target, also if it
 * fails.
 */
bool session_create(const struct catalogue *catalogue, struct target target, pid_t pid,
		    struct session **ret, struct err *err);

/* events.c: queue something to tell; @features belong to the queue, until it is dropped. */
struct session_event *session_queue(struct session *session, enum session_event_kind kind,
				    struct value *features);
void session_note(struct session *session, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void session_drop_queue(struct session *session);

/* plant.c: plant the breakpoints of all functions in the stopped @tid; failures become notes. */
void session_plant(struct session *session, pid_t tid);

/* calls.c: @tracee, whose registers were read with the PC at @breakpoint, has hit it. */
void session_hit(struct session *session, struct tracee *tracee, struct breakpoint *breakpoint);
/* All open calls of @tracee will never end. */
void session_abandon_all(struct session *session, struct tracee *tracee);

#endif
