/* What session.c, session_halt.c and session_stop.c offer to other files of the engine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "trace/session.h"
#include "trace/target/target.h"

/*
 * A session on @target, whose process @pid is stopped right behind exec. Takes @target, even on
 * failure. @catalogue may be NULL.
 */
bool session_create(const struct catalogue *catalogue, struct target target, pid_t pid,
		    const struct session_options *options, struct session **ret, struct err *err);

/* Likewise, but @pid runs and its threads @tids are seized. */
bool session_create_attached(const struct catalogue *catalogue, struct target target, pid_t pid,
			     const pid_t *tids, size_t n_tids,
			     const struct session_options *options, struct session **ret,
			     struct err *err);

/* Handle a stop while all stay stopped. */
void session_stop_halted(struct session *session, const struct stop *stop);
/* The halt is over; this resumes no thread. */
void session_end_halt(struct session *session);
