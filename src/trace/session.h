/*
 * A session: a process under measurement, from launch or attach to its end or detach, and its child
 * processes, if they are followed.
 *
 * session_next() waits, resumes the inferiors, and returns when there is an event. All ptrace calls
 * happen in the thread that calls it. session_destroy() leaves no breakpoint behind, whatever
 * happened.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "core/feature.h"
#include "core/messages.h"
#include "core/metric.h"
#include "core/run.h"
#include "core/value.h"

struct recovery;
struct session;

enum session_event_kind {
	SESSION_CALL,  /* a call of a measured function has ended */
	SESSION_BEGAN, /* one of which session_watch() was to tell; `call` without what it cost */
	SESSION_LINE,  /* a thread is at one of the lines of session_watch(), stopped; `line` */
	SESSION_LIMIT, /* calls of a function may be missing from now on; `limit` */
	SESSION_NOTE,  /* for the user; `note` */
	SESSION_IMAGE, /* a process runs another program (exec); `image` */
	/* a signal interrupted the wait, all is halted, or SESSION_TURNS stops told nothing */
	SESSION_PAUSE,
	/* with session_options.prompt: `signal` came to a process, which is halted */
	SESSION_SIGNAL,
	SESSION_ENDED, /* the last event */
};

/* After so many stops the caller may look at the time, and at signals. */
enum { SESSION_TURNS = 32 };

/* The limit of ranks below which all calls are: none is missing. */
#define SESSION_RANK_ALL (UINT64_C(1) << 32)

/* What a call's own calls of one function cost in sum; not those that others made meanwhile. */
struct callee_sum {
	unsigned function; /* index in the catalogue */
	unsigned unknown;  /* bits of metrics for which it is not known */
	uint64_t calls;
	double costs[METRIC_SUMS];
};

struct callee_sums {
	struct callee_sum *list; /* [n], each function once */
	size_t n, capacity;      /* capacity is private */
};

/* What was allocated by one call in the code. */
struct site_sum {
	/* in the catalogue, and the link-time return address; or the program's, if in none */
	unsigned module;
	uint64_t addr;
	uint64_t bytes;
};

struct site_sums {
	size_t n;
	struct site_sum list[];
};

/* A call that has ended. Pointers are valid until the next session_next(). */
struct call_record {
	unsigned image;    /* program; 0: the first measured; see session_measure() */
	unsigned function; /* index in its catalogue */
	int64_t id;        /* from 1, in the order in which calls start */
	int64_t parent;    /* id of the innermost open measured caller in the thread; 0: none */
	int64_t process;
	int64_t thread;
	uint32_t rank; /* uniform chance, drawn when it began */
	/*
	 * ranks at or above it may be missing among the function's calls: what the limit was at the
	 * least while this one was open
	 */
	uint64_t limit;
	int64_t start_ns; /* since the session's start */
	/* stops of its thread for measuring, its beginning and end included */
	int64_t stops;
	/* time in those, from its beginning to its end; with METRIC_REMOTE in its pads, too */
	int64_t stopped_ns;
	/* had no processor though it could have run; not in its time */
	int64_t waited_ns;
	struct value metrics[METRIC_MEASURED];
	/*
	 * began while another function's pads took a good part of its thread's time: what they cost
	 * its own calls is uncertain
	 */
	bool is_beside;
	/* began before the session (session_adopt()): metrics are lower bounds */
	bool is_adopted;
	/*
	 * a prompt halted it: clocks and what it waited for went on, so its time is a lower bound
	 */
	bool was_halted;
	enum call_exit exit;
	/*
	 * As many as the function has; all are known. FROM_RETURN ones are ABSENT_NOT_REACHED of a
	 * call that did not return.
	 */
	const struct value *features;
	struct messages messages; /* with METRIC_REMOTE */
	/* As many as the function has; NULL: not recorded. Numbers as in samples.h. */
	const struct value *branches;
	/* With self metrics: of all its callees, whichever were kept. NULL: not known. */
	const struct callee_sums *callees;
	/* With session_options.sites: what `mem` is the sum of. NULL: not known. */
	const struct site_sums *sites;
};

struct session_event {
	enum session_event_kind kind;
	struct call_record call;
	struct {
		unsigned image, function;
		uint64_t limit; /* of ranks: calls at or above it may be missing */
	} limit;
	const char *note;
	struct {
		unsigned image, function;
		uint64_t addr;
		pid_t thread;
	} line;
	struct {
		pid_t pid;
		const char *path; /* of the program; can be opened */
		bool is_first;    /* the launched or attached process */
	} image;
	struct {
		pid_t process, thread;
		int number;
		/* ends the process, unless signal_report_replace() changes it */
		bool is_fatal;
		/* Ctrl-C or Ctrl-Z of its terminal: meant for us, not delivered */
		bool is_interrupt;
		/* has stopped the process; session_continue() sends a SIGCONT */
		bool is_stop;
	} signal;
	struct ending ending;
};

/* trace/state/tsc_clock.h */
struct cpuid_leaf;
struct tsc_clock;

struct session_options {
	unsigned metrics; /* bits 1 << enum metric; time is always measured */
	bool every_call;  /* leave out none, however fast they come */
	bool branches;    /* look at the outcomes of conditional branches */
	bool loops;       /* count the turns of loops */
	bool sites;       /* with METRIC_MEM: note which calls in the code allocate */
	bool mappings;    /* anonymous memory that mmap gives counts as heap */
	/* limit of the measuring cost, relative to the program's own time; 0: none */
	double max_overhead;
	enum session_probes probes;
	const struct cpuid_leaf *power; /* 0x80000007 of the processor; NULL: of this one */
	/* for pads, only read at the beginning; NULL: rated then, which takes 2 ms */
	const struct tsc_clock *clock;
	bool follow_fork; /* measure child processes too; else they are detached */
	/*
	 * A prompt is attached: SIGINT and SIGTSTP of the terminal, and signals that end the
	 * program, halt it and are reported as SESSION_SIGNAL. A launched program gets its own
	 * process group, numbered like it: the terminal's foreground group, if this process was in
	 * that. Switching the terminal back and forth is the prompt's job.
	 */
	bool prompt;
	struct run_layout layout; /* of a program to be launched */
	bool apart;               /* never share the processor of the only thread */
	struct recovery *guard;   /* see recovery.h; NULL: no supervisor */
	/* what calibrate() found is subtracted; only read at the beginning; NULL: nothing */
	const struct calibration *calibration;
};

/* Will such a session measure calls by pads, where it can? False: *@ret_why is a phrase. */
bool session_pads_possible(const struct session_options *options, const char **ret_why);

/*
 * Measure a copy of this process that calls @copy and ends; @catalogue has this program as its only
 * module. Nothing is loaded, so it begins soon on a busy machine, too.
 */
bool session_launch_copy(const struct catalogue *catalogue, void (*copy)(void),
			 const struct session_options *options, struct session **ret,
			 struct err *err);

/*
 * Launch @argv[0] (found in PATH like a shell does; @path is the file that was found and
 * catalogued) and measure the functions of @catalogue, which is borrowed until the session is
 * destroyed. Functions of a library are measured while it is mapped. NULL: measure nothing of this
 * program, perhaps of what it executes. ERR_TARGET if it cannot be launched.
 */
bool session_launch(const struct catalogue *catalogue, const char *path, char *const argv[],
		    const struct session_options *options, struct session **ret, struct err *err);

/* The same for a running process, which continues undisturbed after detach. ERR_TARGET. */
bool session_attach(const struct catalogue *catalogue, pid_t pid,
		    const struct session_options *options, struct session **ret, struct err *err);

/*
 * The answer to SESSION_IMAGE, before the next session_next(): measure @catalogue in that process.
 * *@ret is the number of its image, the same for the same catalogue. Without an answer the process
 * is no longer measured. ERR_TARGET.
 */
bool session_measure(struct session *session, const struct catalogue *catalogue, unsigned *ret,
		     struct err *err);

/*
 * Stop measuring: restore every byte and detach all threads. The session ends when a launched
 * process does (it is waited for), at once if it was attached to.
 */
void session_detach(struct session *session);

void session_destroy(struct session *session); /* NULL is fine */

bool session_next(struct session *session, struct session_event *ret, struct err *err);

/* The launched or attached process; 0: it has ended. */
pid_t session_process(const struct session *session);

/* Accounts so far. Functions are indexed like the catalogue's. */
const struct account *session_account(const struct session *session);
const struct function_account *session_function_account(const struct session *session,
							unsigned image, unsigned function);

/*
 * The share of the possible time in which the function's probes were in place. 1: always; less if
 * they were lifted to stay within options.max_overhead.
 */
double session_function_share(const struct session *session, unsigned image, unsigned function);

/* Estimated number of its calls, measured or not. False: too uncertain. */
bool session_function_calls(const struct session *session, unsigned image, unsigned function,
			    double *ret);

/* The estimated cost of measuring, relative to the program's own time, from what stops cost. */
double session_overhead(const struct session *session);
