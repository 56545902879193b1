/* The table of tracees, and how many each inferior has. tracee_control.c ends their calls. */
#include "tracee_table.h"

#include <stdlib.h>

#include "base/mem.h"

struct tracee *tracee_find(const struct session *session, pid_t tid)
{
	struct tracee *found;

	HASH_FIND_INT(session->tracees, &tid, found);
	return found;
}

static void tracee_enter(struct tracee *tracee, enum tracee_role role, struct inferior *inferior)
{
	tracee->role = role;
	tracee->inferior = inferior;
	if (!inferior)
		return;
	inferior->n_tracees++;
	inferior->n_threads += role == TRACEE_THREAD;
}

static struct inferior *tracee_exit(struct tracee *tracee)
{
	struct inferior *inferior = tracee->inferior;

	tracee->inferior = NULL;
	if (!inferior)
		return NULL;
	inferior->n_threads -= tracee->role == TRACEE_THREAD;
	return --inferior->n_tracees ? NULL : inferior;
}

struct tracee *tracee_table_add(struct session *session, pid_t tid, enum tracee_role role,
				struct inferior *inferior)
{
	struct tracee *tracee = mem_alloc(sizeof(*tracee));

	tracee->tid = tid;
	tracee_enter(tracee, role, inferior);
	HASH_ADD_INT(session->tracees, tid, tracee);
	return tracee;
}

struct inferior *tracee_table_move(struct tracee *tracee, enum tracee_role role,
				   struct inferior *inferior)
{
	struct inferior *left = tracee_exit(tracee);

	tracee_enter(tracee, role, inferior);
	return left == inferior ? NULL : left;
}

struct inferior *tracee_table_remove(struct session *session, struct tracee *tracee)
{
	struct inferior *left = tracee_exit(tracee);

	HASH_DEL(session->tracees, tracee);
	free(tracee->allocations.framed);
	free(tracee->framed_transfers.list);
	free(tracee->requests.list);
	free(tracee->allocations.sites);
	free(tracee);
	return left;
}
