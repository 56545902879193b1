/*
 * A session: a process under measurement, from launch or attach to its end or detach, and the
 * processes that it starts, if they are followed.
 *
 * session_next() waits, lets the inferiors go on, and returns when there is something to tell. All
 * ptrace calls happen in the thread that calls it. Whatever happens, session_destroy() leaves no
 * breakpoint behind.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "core/metric.h"
#include "core/run.h"
#include "core/value.h"

struct recovery;
struct session;

enum session_event_kind {
	SESSION_CALL,  /* a call of a measured function has ended */
	SESSION_NOTE,  /* something that the user should know; `note` */
	SESSION_IMAGE, /* a process runs another program (exec); `image` */
	/*
	 * a signal came to this process while it waited, or everybody is halted: nothing else
	 * happened
	 */
	SESSION_PAUSE,
	/*
	 * `signal` came to a process that a prompt looks after; see session_options.prompt. It is
	 * halted
	 */
	SESSION_SIGNAL,
	SESSION_ENDED, /* there is nothing more */
};

/* A completed call. Pointers are valid until the next call of session_next(). */
struct call_record {
	unsigned image;    /* the program: 0 is the first that is measured; see session_measure() */
	unsigned function; /* index in its catalogue */
	int64_t id;        /* counts from 1, in the order in which calls start */
	int64_t parent;    /* id of the closest open measured caller in the thread; 0: none */
	int64_t process;
	int64_t thread;
	int64_t start_ns; /* since the session's start */
	/* of its thread for the measurement's sake, its beginning and end included */
	int64_t stops;
	int64_t stopped_ns; /* time in those between its beginning and its end */
	struct value metrics[METRIC_COUNT];
	/* it had begun before (session_adopt()): metrics are what it cost at least */
	bool is_adopted;
	/*
	 * in its middle, for a prompt: clocks and what it waited for went on meanwhile, so time is
	 * what it took at least
	 */
	bool was_halted;
	const struct value
		*features; /* as many as the function has; all of them are known by now */
	/* As many as the function has; NULL: they are not looked at. Numbers as in samples.h. */
	const struct value *branches;
};

struct session_event {
	enum session_event_kind kind;
	struct call_record call;
	const char *note;
	struct {
		pid_t pid;
		const char *path; /* of the program; it can be opened */
		bool is_first;    /* it is the process that was launched or attached to */
	} image;
	struct {
		pid_t process, thread;
		int number;
		/* it will end the process, unless signal_report_replace() says otherwise */
		bool is_fatal;
		/* Ctrl-C or Ctrl-Z of its terminal: it is for us, and will not be delivered */
		bool is_interrupt;
		/* it has stopped the process already; session_continue() sends it a SIGCONT */
		bool is_stop;
	} signal;
	struct ending ending;
};

struct session_options {
	unsigned metrics; /* bits 1 << enum metric; time is always measured */
	bool branches;    /* look at the outcomes of conditional branches */
	bool mappings;    /* anonymous memory that mmap gives counts as heap */
	/* what measuring may cost, as a part of the program's own time; 0: no limit */
	double max_overhead;
	bool follow_fork; /* measure the processes that it starts, too; else they are let go */
	/*
	 * A prompt looks after it: SIGINT and SIGTSTP of the terminal, and signals that end the
	 * program, halt it and are told as SESSION_SIGNAL. A program that is launched has a process
	 * group of its own, numbered like it: the terminal's foreground one, if this process was in
	 * that. To take the terminal back and give it again is the prompt's business.
	 */
	bool prompt;
	struct recovery *
		/* what must be known if this process dies; see recovery.h. NULL: nobody asks */
		guard;
};

/*
 * Launch @argv[0] (found in PATH like a shell does; @path is the file that was found and
 * catalogued) and measure the measurable functions of @catalogue, which is borrowed until the
 * session is destroyed. Functions of a library are measured while it is mapped, whenever that is.
 * NULL: nothing is measured of this program, perhaps of what it executes.
 * ERR_TARGET if it cannot be launched.
 */
bool session_launch(const struct catalogue *catalogue, const char *path, char *const argv[],
		    const struct session_options *options, struct session **ret, struct err *err);

/* The same with a process that runs. It goes on as if nobody had been there. ERR_TARGET. */
bool session_attach(const struct catalogue *catalogue, pid_t pid,
		    const struct session_options *options, struct session **ret, struct err *err);

/*
 * In answer to SESSION_IMAGE, before the next session_next(): measure @catalogue in that process.
 * Returns the number of its image; a catalogue that was given before has the one that it had.
 * Without an answer the process is not measured any more. ERR_TARGET.
 */
bool session_measure(struct session *session, const struct catalogue *catalogue, unsigned *ret,
		     struct err *err);

/*
 * Stop measuring: everything is let go, every byte restored. What comes then is the end: of the
 * process if it was launched (it is waited for), of the session at once if it was attached to.
 */
void session_detach(struct session *session);

void session_destroy(struct session *session); /* NULL is fine */

/*
 * What calibrate() found; subtracted from what calls cost that end from now on. Default: all zero.
 */
void session_set_calibration(struct session *session, const struct calibration *calibration);

bool session_next(struct session *session, struct session_event *ret, struct err *err);

/* The process that was launched or attached to; 0: it has ended. */
pid_t session_process(const struct session *session);

/* So far. Functions are indexed like the catalogue's. */
const struct account *session_account(const struct session *session);
const struct function_account *session_function_account(const struct session *session,
							unsigned image, unsigned function);

/*
 * What part of the time in which it could have been the function was measured: its probes were in
 * place. 1: always. The rest was kept off to stay within the budget of options.max_overhead.
 */
double session_function_share(const struct session *session, unsigned image, unsigned function);

/* About how many calls of it began, measured or not. False: that is not known well enough. */
bool session_function_calls(const struct session *session, unsigned image, unsigned function,
			    double *ret);

/*
 * What measuring has cost, as a part of the program's own time: an estimate, from what stops cost.
 */
double session_overhead(const struct session *session);
