/*
 * What a prompt wants of a session: halting it, looking at the calls that are open, changing what
 * is measured while it lives.
 *
 * A halt is a hold that lasts until session_continue(): every thread of every inferior is stopped
 * and nobody is resumed by what others do. The program does not notice but for the time; the time
 * is in no call's cost. Functions here are called between two calls of session_next().
 *
 * While it is halted session_next() tells what came meanwhile (calls that ended in their threads'
 * last stops, ends of processes), and then SESSION_PAUSE at once. SESSION_CALL comes while the
 * call's thread is still in the stop that ended it: who halts then finds its frame in a snapshot,
 * unless session_continue() came before it was asked for, or the call ended where it returned to
 * (it was adopted, left by a tail call, or its function is closed), or was withheld for its locks.
 */
#pragma once

#include "base/arena.h"
#include "session.h"
#include "snapshot.h"

/*
 * Stop everybody. ERR_TARGET: nobody is left. Nothing if it is halted. Threads in uninterruptible
 * sleep stop later.
 */
bool session_halt(struct session *session, struct err *err);
bool session_is_halted(const struct session *session);
/*
 * Everybody goes on, with signals that came meanwhile; those that were stopped by a signal before
 * stay so, unless a prompt was told: then they get a SIGCONT. As long as there is a SESSION_SIGNAL
 * or SESSION_IMAGE that was not told yet it stays halted: session_next() tells them, and goes on
 * afterwards unless that was a signal.
 */
void session_continue(struct session *session);

/*
 * Of the time since the last session_next() @ns were for something else: in the stops that are
 * going on they are nobody's cost, and not that of measuring. The session is not halted, or nothing
 * happens.
 */
void session_excuse(struct session *session, uint64_t ns);

/* A call that has begun and not ended. */
struct session_open_call {
	unsigned image, function;
	int64_t id;
	pid_t process, thread;
	/*
	 * Of the program's own time, in ns, stops excluded. They differ for calls that began before
	 * they were noticed.
	 */
	int64_t at_least_ns, at_most_ns; /* the second INT64_MAX: not known */
	bool is_adopted;                 /* it had begun before the session */
	const struct value
		*features; /* as many as the function has; those known at return are absent */
	uint64_t cfa;
};

/*
 * All of them, of each thread the innermost first, in @arena; returns how many. The session need
 * not be halted.
 */
size_t session_open_calls(struct session *session, struct arena *arena,
			  struct session_open_call **ret);

/*
 * Measure @catalogue, another one of the same program, in place of that of the image @image:
 * functions that are in both (by name and address) keep their accounts, open calls, and whether
 * they are enabled; values of features are found by their expressions. Probes of those that are in
 * the new one only are planted, of those in the old one only lifted, their calls forgotten. The new
 * catalogue may have no function. The session is halted. The image keeps its number; indices of
 * functions are from now on the new catalogue's, also in records that are not told yet. The old
 * catalogue must live on. @image may be as many as there are: nothing was measured of the first
 * process so far, and this is its program. Cost functions of a module that both have are those of
 * the old one. ERR_TARGET.
 */
bool session_replan(struct session *session, unsigned image, const struct catalogue *catalogue,
		    struct err *err);

/*
 * Every call of the function is measured from now on, whatever the budget says, and beyond it; or
 * no longer.
 */
void session_measure_every_call(struct session *session, unsigned image, unsigned function,
				bool every);

/*
 * Probes of the function are kept lifted, or no longer; calls that are open end where they return
 * to. The session is halted.
 */
void session_enable(struct session *session, unsigned image, unsigned function, bool enabled);

/*
 * The snapshot of a halted process, as snapshot_take() has it but without letting anybody go; for
 * stacks. Breakpoints of ours do not show in its memory, and PCs are those of the program. The
 * caller destroys it before session_continue().
 */
bool session_snapshot(struct session *session, pid_t pid, struct snapshot **ret, struct err *err);

/* A call that was open before the session: what its frame says. */
struct session_adoption {
	pid_t thread;
	unsigned image, function;
	uint64_t cfa, return_address;
	const struct value *features; /* copied */
	int64_t at_most_ns;           /* it began that long ago at most; INT64_MAX: not known */
};

/*
 * From now on it is an open call, which ends where it returns to. Its metrics count from now on:
 * they are what it cost at least. The session is halted; of a thread outer calls come first. False:
 * the thread is gone, or that call is open already.
 */
bool session_adopt(struct session *session, const struct session_adoption *adoption);

/* Kill the processes (SIGKILL). session_next() tells the end. */
void session_kill(struct session *session);

/*
 * When it goes on, the thread that SESSION_SIGNAL told of gets the signal @number in place of that;
 * 0: none. If there is no such thread the first process does.
 */
void signal_report_replace(struct session *session, int number);
