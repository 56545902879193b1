/*
 * What session.c and session_halt.c have for the other files of the engine. Private to trace/ and
 * its tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "trace/session.h"
#include "trace/target/target.h"

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

/* What a stop leads to while nobody goes on. */
void session_stop_halted(struct session *session, const struct stop *stop);
/* It is over, nobody goes on by it. */
void session_end_halt(struct session *session);
