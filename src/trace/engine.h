/*
 * The engine behind a session: its state, shared by session.c (stops), calls.c (what hits mean),
 * modules.c, plant.c, reading.c and events.c.
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
#include "trace/loader.h"
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

/* Plans that are run together. */
struct plan_set {
	const struct read_plan **plans;
	unsigned *features; /* what each plan reads; behind the last one: the return address */
	size_t n;
	bool uses_xmm;
};

struct measured_function {
	const struct function *function;
	struct plan_set at_entry, at_return;
	unsigned *system; /* features of FROM_SYSTEM */
	size_t n_system;
	struct value *blank; /* [features + 1] the values of a call of which nothing was read */
	uint64_t begun;      /* calls so far */
	bool said_failure;   /* it could not be planted */
	struct function_account account;
};

/* As in struct stat, when the session was made. */
struct file_identity {
	uint64_t device, inode;
	int64_t size, seconds, nanoseconds;
};

/* Where a module of the catalogue is. */
struct session_module {
	const char *path; /* without links; this and the next two only of libraries */
	bool known;       /* there was such a file */
	struct file_identity file;
	bool said_changed;
	bool mapped;
	uint64_t load_bias; /* this and the rest while it is mapped */
	uint64_t low, high; /* from its first byte to the end of its code; only of libraries */
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
	struct value *values; /* of the plans that were run last */
	size_t values_capacity;
	struct measured_function *functions;
	struct session_module *modules; /* as many as the catalogue has */
	struct class_map class_map;     /* of the mapped modules */
	struct class_map_range *class_ranges;
	struct loader loader;
	struct breakpoint_table *breakpoints; /* NULL while nothing is measured */
	struct tracee *tracees;
	size_t n_threads;       /* tracees that are threads of the inferior */
	struct tracee *current; /* the tracee whose stop is being handled, NULL: none */
	struct region *regions;
	size_t n_regions;
	pid_t pid;
	uint64_t
		start_pc; /* where the executable starts; its int3 is the first breakpoint. 0: it was reached */
	uint8_t start_byte;
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

/* modules.c: before anything; when the executable starts; when the loader has done something. */
void session_modules_init(struct session *session);
void session_modules_start(struct session *session, pid_t tid);
void session_modules_changed(struct session *session, pid_t tid);
/* There is a new image, or none: nothing is mapped. */
void session_modules_forget(struct session *session);

/*
 * plant.c: plant the breakpoints of all functions of @module in the stopped @tid; failures become
 * notes.
 */
void session_plant(struct session *session, pid_t tid, unsigned module);

/* Memory of a tracee as plans read it; what that costs goes to the session's account. */
struct tracee_memory {
	struct session *session;
	pid_t tid;
};

/* reading.c: decide for all functions what is read and when. */
void session_set_up_functions(struct session *session);
/*
 * The context in which plans of function @index run in the stop of @tracee, without xmm registers.
 * @memory must live as long.
 */
void session_context(struct session *session, const struct tracee *tracee, unsigned index,
		     struct tracee_memory *memory, struct plan_context *ret);
/*
 * The values that features of function @index have when a call begins; those known at return are
 * ABSENT_NOT_MEASURED. The caller frees them. @ret_return is the return address, 0: unreadable.
 */
struct value *session_read_entry(struct session *session, const struct tracee *tracee,
				 unsigned index, struct plan_context *context,
				 uint64_t *ret_return);
/* Fill in those known at return. */
void session_read_return(struct session *session, const struct tracee *tracee, unsigned index,
			 struct value *values);

/* calls.c: @tracee, whose registers were read with the PC at @breakpoint, has hit it. */
void session_hit(struct session *session, struct tracee *tracee, struct breakpoint *breakpoint);
/* All open calls of @tracee will never end. */
void session_abandon_all(struct session *session, struct tracee *tracee);
/* So will those of functions of @module, and those that wait for a return to it. */
void session_abandon_module(struct session *session, unsigned module);

#endif
