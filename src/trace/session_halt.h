/*
 * What a prompt needs of a session: halting it, listing open calls, changing what is measured.
 *
 * A halt stops every thread of every inferior until session_continue(); its time is in no call's
 * cost. Call these functions between calls of session_next(), which, while halted, returns what
 * came meanwhile (calls that ended in their threads' last stops, ends of processes), and then
 * SESSION_PAUSE at once. SESSION_CALL is returned while its thread is still in the stop that ended
 * the call, so after a halt its frame is in a snapshot, unless session_continue() came first, or
 * the call ended at its return address (adopted, left by a tail call, or of a closed function), or
 * was withheld for its locks.
 */
#pragma once

#include "base/arena.h"
#include "session.h"
#include "snapshot.h"

/*
 * Stop all threads; does nothing if halted. ERR_TARGET: none is left. Threads in uninterruptible
 * sleep stop later.
 */
bool session_halt(struct session *session, struct err *err);
bool session_is_halted(const struct session *session);
/*
 * Resume all threads, with the signals that came meanwhile. Threads stopped by a signal before stay
 * stopped, unless that was a reported SESSION_SIGNAL: then they get a SIGCONT. While a
 * SESSION_SIGNAL or SESSION_IMAGE is unreported it stays halted: session_next() returns it, and
 * resumes afterwards unless it was a signal.
 */
void session_continue(struct session *session);

/*
 * The caller is about to do something else for long: no functions are measured from now on, whose
 * stops would last as long, until their next windows; those always measured are. Does nothing
 * while halted.
 */
void session_rest(struct session *session);

/*
 * The caller spent @ns since the last session_next() on something else: charge them neither to the
 * program nor to measuring. Does nothing while halted.
 */
void session_excuse(struct session *session, uint64_t ns);

/* A call that has begun and not ended. */
struct session_open_call {
	unsigned image, function;
	int64_t id;
	pid_t process, thread;
	/*
	 * The program's own time, in ns, stops excluded. Bounds differ for calls already open when
	 * first noticed.
	 */
	int64_t at_least_ns, at_most_ns; /* INT64_MAX: no upper bound */
	bool is_adopted;                 /* began before the session */
	/* as many as the function has; those known at return are absent */
	const struct value *features;
	uint64_t cfa;
};

/*
 * All open calls, innermost first within each thread, in @arena; returns how many. Without a halt,
 * calls that pads follow are not among them, if their thread runs.
 */
size_t session_open_calls(struct session *session, struct arena *arena,
			  struct session_open_call **ret);

/*
 * Measure @catalogue, another one of the same program, in place of that of @image, which keeps its
 * number. The session must be halted. Functions in both (by name and address) keep accounts, open
 * calls, and whether they are enabled; features are matched by their expressions. Probes only in
 * the new one are planted; those only in the old one are lifted, and their calls forgotten. The new
 * catalogue may have no function; the old one must live on. Function indices are the new
 * catalogue's from now on, also in records not yet returned. @image may equal the number of images:
 * nothing of the first process was measured so far, and this is its program. Cost functions of a
 * module in both are the old one's. ERR_TARGET.
 */
bool session_replan(struct session *session, unsigned image, const struct catalogue *catalogue,
		    struct err *err);

/* What a prompt is to see of a function's calls; with any of it they are exempt from the budget. */
struct session_watch {
	/*
	 * SESSION_CALL comes of every call, while its thread is stopped at its end, and
	 * session_open_calls() knows it while that runs: so pads do not follow these calls.
	 */
	bool ends;
	/* SESSION_BEGAN comes while the thread is stopped where the call begins. */
	bool beginnings;
	/*
	 * NULL: of every call, each a stop; else at least of those for which one of these plans,
	 * run where the call begins, does not give 0. Borrowed until the function is watched anew.
	 */
	const struct read_plan *filters;
	size_t n_filters;
	/*
	 * Link-time addresses in its code, where instructions begin: SESSION_LINE comes before one
	 * of them is executed. Borrowed likewise.
	 */
	const uint64_t *lines;
	size_t n_lines;
};

/*
 * From now on. The halted process has noticed its calls otherwise until it goes on. Other lines
 * than before need a halt.
 */
void session_watch(struct session *session, unsigned image, unsigned function,
		   const struct session_watch *watch);

/* Of this open call SESSION_CALL is to come while its thread is stopped at its end. Halted. */
void session_await(struct session *session, pid_t thread, int64_t id);

/*
 * Keep the probes of the function lifted, or no longer; open calls then end at their return
 * address. The session must be halted.
 */
void session_enable(struct session *session, unsigned image, unsigned function, bool enabled);

/*
 * What its calls cost is known precisely, or no longer: of the records and of the governor's budget
 * it gets a tenth of what others get.
 */
void session_tell_known(struct session *session, unsigned image, unsigned function, bool known);

/*
 * The snapshot of a halted process, like snapshot_take() but without resuming threads; for stacks.
 * It shows memory without our breakpoints, and PCs of the program. The caller destroys it before
 * session_continue(). ERR_ codes as there.
 */
bool session_snapshot(struct session *session, pid_t pid, struct snapshot **ret, struct err *err);

/* A call that was open before the session, from its frame. */
struct session_adoption {
	pid_t thread;
	unsigned image, function;
	uint64_t cfa, return_address;
	const struct value *features; /* copied */
	int64_t at_most_ns;           /* it began at most that long ago; INT64_MAX: unknown */
};

/*
 * Add it as an open call, which ends at its return address. Its metrics count from now on: lower
 * bounds. The session must be halted; outer calls of a thread come first. False: the thread is
 * gone, or that call is open already.
 */
bool session_adopt(struct session *session, const struct session_adoption *adoption);

/* Kill the processes (SIGKILL). session_next() reports the end. */
void session_kill(struct session *session);

/*
 * On resume, deliver signal @number (0: none) in place of the one that SESSION_SIGNAL reported; to
 * the first process, if that thread is gone.
 */
void signal_report_replace(struct session *session, int number);

/*
 * Pausing single threads, between calls of session_next(). session_hold() asks @tid to stop, and
 * keeps it there until session_release(); it stops within session_next(), at once if it runs.
 * False: there is no such thread of the program. session_is_held(): it has stopped. Who leaves, or
 * ends, releases all.
 */
bool session_hold(struct session *session, pid_t tid);
bool session_is_held(const struct session *session, pid_t tid);
void session_release(struct session *session, pid_t tid);

/* The threads of the program, at most @capacity; returns how many. */
size_t session_threads(const struct session *session, pid_t *ret, size_t capacity);

/* Bring the accounts of functions up to date with what pads have counted. */
void session_count(struct session *session);
/*
 * Calls of a function of the program's that have begun: of all threads; or of one, that its pads
 * have counted.
 */
uint64_t session_begun(const struct session *session, unsigned function);
uint64_t session_begun_in(const struct session *session, unsigned function, pid_t tid);

/*
 * What to add to link-time addresses of the first program in @process. False: it is not known yet,
 * or that runs another one.
 */
bool session_load_bias(const struct session *session, pid_t process, uint64_t *ret);
