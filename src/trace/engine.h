/*
 * The engine behind a session: its state, shared by session.c, stops.c (what a stop leads to),
 * tracees.c, inferiors.c, gates.c (what is open when), cost_probes.c, cost_calls.c, allocations.c, hold.c, join.c, leave.c, calls.c (what hits mean), metrics.c, modules.c, plant.c, reading.c and
 * events.c.
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
#include "trace/cost_calls.h"
#include "trace/governor.h"
#include "trace/loader.h"
#include "trace/lock_calls.h"
#include "trace/session.h"

enum tracee_role {
	TRACEE_UNKNOWN, /* stopped before its parent's event said what it is */
	TRACEE_THREAD,  /* of its inferior: measured */
	TRACEE_BORROWER, /* a vfork child or the like in the inferior's memory: may run our breakpoints, not measured */
	TRACEE_COPY, /* a fork child: its text is restored and it is let go */
};

/* How a stopped tracee goes on. */
enum tracee_next { NEXT_RESUME, NEXT_LISTEN, NEXT_STAY };

struct tracee {
	pid_t tid;
	enum tracee_role role;
	struct inferior *inferior; /* in whose memory it runs; NULL as long as it is unknown */
	bool stopped;
	bool interrupted; /* by us, or it was just born */
	bool asked;       /* to stop, and it has not done so yet */
	bool stop_again;  /* its process is stopped by a signal, which it is to be told once more */
	bool late;        /* it was asked for this stop, but nobody waits for it any more */
	bool at_breakpoint; /* its stop is that of an int3: the kernel has the PC behind it */
	bool at_signal;     /* its stop is one in which a signal can be given to it */
	bool in_call;       /* within clone(2) or the like: it can make no other system call */
	enum tracee_next next;
	pid_t awaited_by; /* its parent, which goes on when this copy was let go; 0: nobody */
	int signal;       /* delivered when it is resumed */
	struct user_regs_struct registers; /* of the current stop, if they were read */
	bool registers_changed;
	bool call_began;    /* the top call began in this stop: its clock starts at the resume */
	bool call_is_fresh; /* it began at the last breakpoint that was hit */
	struct call_stack calls;
	struct lock_calls lock_calls;
	struct cost_call cost;       /* the open one; see cost_calls.h */
	struct cost_call outer_cost; /* the allocation that it is in */
	struct allocations allocations;
	uint64_t stop_ns;    /* when the current stop was noticed */
	uint64_t stopped_ns; /* spent in stops so far */
	uint64_t halted_ns;  /* of the current stop: nobody's cost, see session_halt.c */
	bool stop_is_far;    /* see struct stop */
	uint64_t stops;
	uint64_t switches;           /* that are not its program's: it waited for us */
	struct thread_counts counts; /* as they were found in the stop ... */
	uint64_t counted;            /* ... with this number; 0: never */
	bool woken;                  /* from a sleep, for our sake alone, and not asleep since */
	uint64_t far_stops;          /* of them */
	uint64_t idle_ns;            /* it had stopped that long before */
	struct measured_function *charged; /* for whose sake it is stopped; NULL: nobody's */
	bool in_vain;                      /* where calls return to, but none that is waited for */
	/* Its call of @function at @cfa has passed the first instruction, and is about to hit the probe address. */
	struct {
		const struct measured_function *function;
		uint64_t cfa;
		uint64_t closings; /* of the function, then */
	} entered;
	UT_hash_handle hh;
};

/*
 * Is the probe address of @function that of a loop, so that new calls are told by a breakpoint where
 * it begins?
 */
static inline bool function_has_first(const struct function *function)
{
	return function->probe_in_loop && function->entry_addr != function->probe_addr;
}

/* Plans that are run together. */
struct plan_set {
	const struct read_plan **plans;
	unsigned *features; /* what each plan reads; behind the last one: the return address */
	size_t n;
	bool uses_xmm;
};

struct branch_watch; /* private to branches.c */

struct measured_function {
	const struct function *function;
	struct plan_set at_entry, at_return;
	unsigned *system; /* features of FROM_SYSTEM */
	size_t n_system;
	struct value *blank; /* [features + 1] the values of a call of which nothing was read */
	uint64_t begun;      /* calls so far */
	struct branch_watch *branches; /* NULL: they are not looked at */
	bool said_failure;             /* it could not be planted */
	unsigned governed;             /* its number for the governor */
	bool closed;                   /* its probes are lifted */
	bool disabled;                 /* so they are, because the user wants it */
	bool over;                     /* its window is over: it is closed before this stop ends */
	bool exits_stay; /* it is closed but for its exits, as some open call needs them */
	uint64_t closings;
	uint64_t given_up; /* of the abandoned calls: watching for their ends cost too much */
	/* The frame that returned last where that tells which frames are new; see calls.c. */
	struct {
		pid_t tid;
		uint64_t cfa;
		uint64_t closings;
	} returned;
	struct function_account account;
};

/* A program that inferiors run: what is measured of it. */
struct image {
	unsigned index;
	const struct catalogue *catalogue;
	struct measured_function *functions; /* as many as the catalogue has */
	uint64_t closings;                   /* of all of them */
	unsigned n_closed;                   /* or disabled */
};

/* As in struct stat, when the inferior began. */
struct file_identity {
	uint64_t device, inode;
	int64_t size, seconds, nanoseconds;
};

/* Where a module of the catalogue is. */
struct inferior_module {
	const char *path; /* without links; this and the next two only of libraries */
	bool known;       /* there was such a file */
	struct file_identity file;
	bool said_changed;
	bool mapped;
	uint64_t load_bias; /* this and the rest while it is mapped */
	uint64_t low, high; /* from its first byte to the end of its code; only of libraries */
};

/* A process, or rather its memory: what is planted there, and where everything is. */
struct inferior {
	struct session *session;
	pid_t pid;
	const struct image *image;       /* NULL: it runs a program of which nothing is measured */
	struct inferior_module *modules; /* as many as the catalogue has */
	struct class_map class_map;      /* of the mapped modules */
	struct class_map_range *class_ranges;
	struct loader loader;
	struct breakpoint_table *breakpoints; /* NULL while nothing is measured */
	uint64_t stack_mark; /* an address in the first thread's stack; 0: unknown */
	struct region *regions;
	size_t n_regions;
	uint64_t
		start_pc; /* where the program starts; its int3 is the first breakpoint. 0: it was reached */
	uint8_t start_byte;
	unsigned start_guarded; /* as in struct breakpoint */
	bool ignores_trap;      /* SIGTRAP did no harm before our first int3 */
	bool told_stop;         /* a prompt knows that it is stopped by a signal */
	bool blind; /* something that is open could not be planted: calls are not seen */
	struct call_stack orphans; /* open calls whose threads are gone: see moved.c */
	size_t n_open;             /* open calls of its tracees, orphans apart */
	int begun_last; /* the function of the call that began last; -1: it is not measured any more */
	unsigned lingering_hits; /* see lock_calls.h */
	struct cost_probes cost;
	struct heap heap;
	size_t n_tracees; /* in it */
	size_t n_threads; /* tracees that are its threads */
	struct arena *arena;
	struct inferior *next;
};

struct queued_event {
	struct session_event event;
	struct value *features; /* owned */
	struct value *branches; /* owned */
};

struct session {
	struct target target;
	struct session_options options;
	struct insn_decoder *decoder;
	struct arena *arena; /* images, notes */
	struct plan_runner *runner;
	struct value *values; /* of the plans that were run last */
	size_t values_capacity;
	struct image **images;
	size_t n_images, images_capacity;
	struct inferior *inferiors;
	struct tracee *tracees;
	struct tracee *current;   /* the tracee whose stop is being handled, NULL: none */
	struct inferior *started; /* has a new program, of which nobody said yet what to measure */
	bool resting;             /* no processor is shared until a tracee goes on */
	pid_t pid;                /* of the first inferior */
	uint64_t start_ns;
	int64_t last_id;
	struct queued_event *queue;
	size_t n_queued, next_queued, queue_capacity;
	struct ending ending;
	uint64_t withheld_until_ns; /* calls are; 0: none. See lock_calls.h */
	bool launched;              /* the first inferior is a child of ours */
	bool holding;               /* nobody is resumed by what others do */
	bool halted;                /* until session_continue() */
	bool continuing;            /* it was to go on, but is to be asked something first */
	uint64_t halted_at_ns;
	pid_t signalled; /* the thread of the signal that a prompt was told of last; 0: none */
	int injected;    /* a signal of ours for the program; 0: none */
	bool leaving;    /* nor told anything; everybody will be let go */
	bool left;       /* everything was let go */
	bool ended;
	bool over; /* there is no target any more */
	struct governor *governor;
	uint64_t due_ns;      /* no cycle of the governor begins before; 0: nothing is known */
	uint64_t resumed_ns;  /* when a tracee went on for the last time */
	uint64_t finished_ns; /* when the measurement was over; 0: not yet */
	struct account account;
	unsigned said_cost;  /* bits of totals that are not known everywhere, as was said */
	bool said_suspended; /* cost calls of some calls were not noticed, as was said */
	bool said_heap;      /* there are more blocks than can be kept */
};

/*
 * A session on @target, whose process @pid is stopped right behind exec. Takes @target, also if it
 * fails. @catalogue may be NULL.
 */
bool session_create(const struct catalogue *catalogue, struct target target, pid_t pid,
		    const struct session_options *options, struct session **ret, struct err *err);

/*
 * A session on @target, whose process @pid runs and whose threads @tids are seized. Takes @target,
 * also if it fails.
 */
bool session_create_attached(const struct catalogue *catalogue, struct target target, pid_t pid,
			     const pid_t *tids, size_t n_tids,
			     const struct session_options *options, struct session **ret,
			     struct err *err);

/* tracees.c: the table of tracees. */
struct tracee *tracee_find(const struct session *session, pid_t tid);
struct tracee *tracee_add(struct session *session, pid_t tid, enum tracee_role role,
			  struct inferior *inferior);
/* What was unknown about @tracee is known. */
void tracee_settle(struct session *session, struct tracee *tracee, enum tracee_role role,
		   struct inferior *inferior);
void tracee_remove(struct session *session, struct tracee *tracee);
/* Let @tracee, which is stopped, go on as its stop wants it. */
void tracee_go_on(struct session *session, struct tracee *tracee);
/* Nothing is shared with a tracee until one goes on: what is done meanwhile may take long. */
void tracees_rest(struct session *session);
/* Signal handlers, and those that look after us, must not see a PC in our scratch memory. */
void tracee_leave_slot(struct session *session, struct tracee *tracee);
/* A system call that fails only because we interrupted it is made again; see interrupted.h. */
void tracee_call_again(struct session *session, struct tracee *tracee);

/* inferiors.c: a process of which nothing is measured yet. */
struct inferior *inferior_create(struct session *session, pid_t pid);
/* The child @pid of a process that forked: what is planted in the one is planted in the other. */
struct inferior *inferior_copy(const struct inferior *inferior, pid_t pid);
/* Measure what @catalogue says (NULL: nothing) from the start of the program, whose exec was just seen. */
bool inferior_measure(struct inferior *inferior, const struct catalogue *catalogue,
		      struct err *err);
/* The same of a program that runs already; @tid is a stopped thread of it. */
void inferior_measure_running(struct inferior *inferior, const struct catalogue *catalogue,
			      pid_t tid);
/* The program starts: its first breakpoint was hit by @tracee. */
void inferior_start(struct inferior *inferior, struct tracee *tracee);
/* Its memory is gone: exec, or the end. */
void inferior_forget(struct inferior *inferior);
void inferior_destroy(struct inferior *inferior);

/* stops.c: what a stop leads to. */
void session_stop(struct session *session, const struct stop *stop);

/*
 * hold.c: stop everybody, and resume nobody; stops go to @on_stop. Who cannot be stopped (uninterruptible
 * sleep) is left running.
 */
void session_hold(struct session *session,
		  void (*on_stop)(struct session *session, const struct stop *stop));

/*
 * join.c: measure @catalogue (NULL: nothing) in the running @inferior, whose threads are seized. ERR_TARGET: it has no thread that
 * can be stopped.
 */
bool session_join(struct session *session, struct inferior *inferior,
		  const struct catalogue *catalogue, struct err *err);

/* session_halt.c: what a stop leads to while nobody goes on. */
void session_stop_halted(struct session *session, const struct stop *stop);
/* It is over, nobody goes on by it. */
void session_end_halt(struct session *session);

/* prompt.c: @tracee has come to @stop. What a prompt is to know is queued. */
void prompt_look(struct session *session, struct tracee *tracee, const struct stop *stop);
/* Those that a signal has stopped go on. */
void prompt_continue(struct session *session);

/* leave.c: lift all breakpoints, let all tracees go as if nobody had been there. */
void session_leave(struct session *session);
/* A stop of somebody who could not be stopped then. */
void session_leave_late(struct session *session, const struct stop *stop);

/* events.c: queue something to tell; @features belong to the queue, until it is dropped. */
struct session_event *session_queue(struct session *session, enum session_event_kind kind,
				    struct value *features);
/* A call that ended, with its features and branches. */
struct session_event *session_queue_call(struct session *session, struct value *features,
					 struct value *branches);
void session_note(struct session *session, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void session_drop_queue(struct session *session);

/* modules.c: when the image is set; when the program starts, or was found running; when the loader has done something. */
void inferior_modules_init(struct inferior *inferior);
void inferior_modules_start(struct inferior *inferior, pid_t tid);
void inferior_modules_changed(struct inferior *inferior, pid_t tid);
/* The image has another catalogue, whose module i is @before[i] (NULL: a new one): what is mapped already is looked for. */
void inferior_modules_replace(struct inferior *inferior,
			      const struct inferior_module *const *before);
void inferior_modules_find(struct inferior *inferior, pid_t tid);

/*
 * plant.c: plant the breakpoints of all functions of @module in the stopped @tid; failures become
 * notes.
 */
void inferior_plant(struct inferior *inferior, pid_t tid, unsigned module);
void inferior_plant_function(struct inferior *inferior, pid_t tid, unsigned index);

/*
 * gates.c: functions are opened and closed as the governor says. Of a new image, everything is open; once it is planted, what is closed is
 * lifted again.
 */
void gates_add(struct session *session, struct image *image);
void gates_planted(struct inferior *inferior, pid_t tid, unsigned module);
/* Is @breakpoint to be planted, by all that it is used for? */
bool gates_want(const struct inferior *inferior, const struct breakpoint *breakpoint);
/* The user wants no calls of function @index, or all of them, or neither any longer. */
void gates_enable(struct session *session, struct image *image, unsigned index, bool enabled);
void gates_pin(struct session *session, struct image *image, unsigned index, bool pinned);
/* May a call of function @index begin now? */
bool gates_may_begin(const struct inferior *inferior, unsigned index);
/* A tracee by which memory of @inferior, of which something is measured, can be had. 0: none. */
pid_t gates_find_way(const struct inferior *inferior);
/* The end of @call is noticed where it returns to. False: it cannot be. */
bool gates_keep_end(struct inferior *inferior, pid_t tid, struct open_call *call);
/* Before and after @tracee's hit is looked at: whose it is, and whether somebody's window is over. */
void gates_hit(struct tracee *tracee, const struct breakpoint *breakpoint);
void gates_after_hit(struct tracee *tracee, struct breakpoint *breakpoint);
/* @tracee goes on: who has to pay? */
void gates_resumed(struct tracee *tracee, struct session *session, uint64_t resumed_ns);
/* When gates_turn() has something to do; 0: nothing is closed. It opens what is closed, if it is time; tracees may run. */
uint64_t gates_due_ns(struct session *session);
void gates_turn(struct session *session, uint64_t now_ns);
/* The measurement is over: accounts are closed. */
void gates_finish(struct session *session);

/* Memory of a tracee as plans read it; what that costs goes to the session's account. */
struct tracee_memory {
	struct session *session;
	pid_t tid;
};

/* reading.c: decide for all functions of @image what is read and when. */
void session_set_up_functions(struct session *session, struct image *image);
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

/*
 * stacks.c: what tells the stack at @address from others; 0: it is not known. The second one does not
 * ask again where everything is.
 */
uint64_t stacks_identity(const struct tracee *tracee, uint64_t address);
uint64_t stacks_known(const struct inferior *inferior, uint64_t address);

/*
 * frames.c: the innermost measured call that @tracee, whose registers were read, is in; one that waits after a tail
 * call is not. It may have begun in another thread. NULL: none.
 */
struct open_call *frames_find(struct tracee *tracee);

/*
 * moved.c: the open call of @function at @cfa that began in another thread of the process, or the one
 * that waits for a return to @pc there; @tracee's from now on. NULL: none.
 */
struct open_call *moved_find(struct tracee *tracee, unsigned function, uint64_t cfa);
struct open_call *moved_find_waiting(struct tracee *tracee, uint64_t pc, uint64_t cfa);
/* @tracee is gone, its process is not: calls on other stacks than its own may go on elsewhere. */
void moved_keep(struct tracee *tracee);

/* counting.c: @tracee, whose stops include it, has come to @stop. */
void counting_stop(struct tracee *tracee, const struct stop *stop);
/* It is about to be resumed, and @call, which began in this stop, starts. */
void counting_begin(struct tracee *tracee, struct open_call *call);
/* Calls end in this stop. */
void counting_end(struct tracee *tracee);
/*
 * What was counted of @metric, one of COUNTED_METRICS, for @call of @tracee, which ends. Each stop is a switch,
 * neither more nor less, and none is a fault: so only time and hardware events have a part of ours in them, which
 * is to be calibrated.
 */
struct value counting_value(const struct tracee *tracee, const struct open_call *call,
			    enum metric metric);

/*
 * metrics.c: what the call of @tracee cost that ends in this stop; *@ret's metrics, and its share of the
 * account.
 */
void metrics_end(struct tracee *tracee, struct open_call *call, struct call_record *ret);
/* How long the open @call of @tracee has run, in ns, without stops and what they cost. @now_ns: if the tracee runs. */
int64_t metrics_elapsed(const struct tracee *tracee, const struct open_call *call, uint64_t now_ns);
/* @call of @stack will never end: what its caller costs without it is not known. */
void metrics_lost(struct call_stack *stack, const struct open_call *call);

/*
 * branches.c: where branches of calls lead. Probes of function @index are planted after its entry's and
 * lifted after them; @tid is any stopped tracee. Calls that are open then do not say of branches that they did not
 * come to them.
 */
void branches_set_up(struct session *session, struct measured_function *measured);
void branches_plant(struct inferior *inferior, pid_t tid, unsigned index);
void branches_lift(struct inferior *inferior, pid_t tid, unsigned index);
void branches_begin(const struct tracee *tracee, struct open_call *call);
/* @tracee has hit @breakpoint, a branch's. */
void branches_hit(struct tracee *tracee, struct breakpoint *breakpoint);
/* It will be hit again: the instruction has not run. */
void branches_take_back(struct tracee *tracee, const struct breakpoint *breakpoint);
/* What @call, which ends, says of all branches of its function; the caller frees it. NULL: nothing. */
struct value *branches_end(const struct tracee *tracee, const struct open_call *call);
/* The part of @value, the @total of @call, that its measured callees did not cost. */
struct value metrics_without_callees(const struct open_call *call, enum metric total,
				     struct value value);
/*
 * The tracee's own clock in this stop, in ns: it stands still in stops, and what they cost beyond is subtracted.
 * It may be wrong by some µs between two stops, and so even go back.
 */
int64_t metrics_clock(const struct tracee *tracee);

/* calls.c: @tracee, whose registers were read with the PC at @breakpoint, has hit it. */
void session_hit(struct session *session, struct tracee *tracee, struct breakpoint *breakpoint);
/* @call of @stack will never end. @tid: any stopped tracee, or one that is gone. */
void calls_abandon(struct inferior *inferior, pid_t tid, struct call_stack *stack,
		   struct open_call *call);
/* @call, of which the function and its frame are known, begins in @tracee, whose calls it will be put to. */
void calls_open(struct tracee *tracee, struct open_call *call);
/* @call of @tracee has not begun. */
void calls_take_back(struct tracee *tracee, struct open_call *call);
/* Is the return address of a suspected call still there? That of a live frame never changes. */
bool calls_may_return(const struct tracee *tracee, const struct open_call *call);
/* All open calls of @tracee will never end. */
void calls_abandon_all(struct tracee *tracee);
/* Nor will those of @inferior that wait for a return to @pc. */
void calls_abandon_return(struct inferior *inferior, pid_t tid, uint64_t pc);
/* So will those of functions of @module, and those that wait for a return to it. */
void calls_abandon_module(struct inferior *inferior, unsigned module);

#endif
