/* The table of tracees. */
#pragma once

#include "engine.h"

/* NULL: none. */
struct tracee *tracee_find(const struct session *session, pid_t tid);
/* @inferior may be NULL: unknown yet. */
struct tracee *tracee_table_add(struct session *session, pid_t tid, enum tracee_role role,
				struct inferior *inferior);
/*
 * @tracee becomes @role of @inferior. Returns the inferior that lost its last tracee; NULL: none.
 */
struct inferior *tracee_table_move(struct tracee *tracee, enum tracee_role role,
				   struct inferior *inferior);
/* Remove and free @tracee. Returns as above. */
struct inferior *tracee_table_remove(struct session *session, struct tracee *tracee);
