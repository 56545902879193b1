/*
 * A session: one inferior under measurement, from launch to its end.
 *
 * session_next() waits, lets the inferior go on, and returns when there is something to tell. All
 * ptrace calls happen in the thread that calls it. Whatever happens, session_destroy() leaves no
 * breakpoint behind.
 */
#ifndef FATHOM_TRACE_SESSION_H
#define FATHOM_TRACE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "core/catalogue.h"
#include "core/metric.h"
#include "core/run.h"
#include "core/value.h"

struct session;

enum session_event_kind {
	SESSION_CALL,  /* a call of a measured function has ended */
	SESSION_NOTE,  /* something that the user should know; `note` */
	SESSION_ENDED, /* the inferior has ended; there is nothing more */
};

/* A completed call. Pointers are valid until the next call of session_next(). */
struct call_record {
	unsigned function; /* index in the catalogue */
	int64_t id;        /* counts from 1, in the order in which calls start */
	int64_t parent;    /* id of the closest open measured caller in the thread; 0: none */
	int64_t thread;
	int64_t start_ns; /* since the session's start */
	struct value metrics[METRIC_COUNT];
	const struct value
		*features; /* as many as the function has; all of them are known by now */
};

struct session_event {
	enum session_event_kind kind;
	struct call_record call;
	const char *note;
	struct ending ending;
};

/*
 * Launch @argv[0] (found in PATH like a shell does; @path is the file that was found and
 * catalogued) and measure the measurable functions of @catalogue, which is borrowed until the
 * session is destroyed. Functions of a library are measured while it is mapped, whenever that is.
 * ERR_TARGET if it cannot be launched.
 */
bool session_launch(const struct catalogue *catalogue, const char *path, char *const argv[],
		    struct session **ret, struct err *err);
void session_destroy(struct session *session); /* NULL is fine */

/*
 * What calibrate() found; subtracted from the durations of calls that end from now on. Default: 0.
 */
void session_set_stop_bias(struct session *session, double bias_ns);

bool session_next(struct session *session, struct session_event *ret, struct err *err);

/* The process that was launched. */
pid_t session_process(const struct session *session);

/* So far. Functions are indexed like the catalogue's. */
const struct account *session_account(const struct session *session);
const struct function_account *session_function_account(const struct session *session,
							unsigned function);

#endif
