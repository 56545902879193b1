/*
 * The table of tracees. Private to trace/ and its tests.
 */
#pragma once

#include "engine.h"

/* NULL: there is none. */
struct tracee *tracee_find(const struct session *session, pid_t tid);
/* @inferior may be NULL: it is not known yet. */
struct tracee *tracee_table_add(struct session *session, pid_t tid, enum tracee_role role,
				struct inferior *inferior);
/* @tracee is @role of @inferior. Returns the inferior that has no tracee any more; NULL: none. */
struct inferior *tracee_table_move(struct tracee *tracee, enum tracee_role role,
				   struct inferior *inferior);
/* Remove and free @tracee. Returns as above. */
struct inferior *tracee_table_remove(struct session *session, struct tracee *tracee);
