/* The file of --state: what a watch knows, for its next start. Text, a line for each subject. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "core/annotation/annotation_parse.h"
#include "watch_state.h"

struct watch_store {
	const char *path;
	const struct annotation_list *annotations; /* subject i of the state is of list[i] */
	const char *processes; /* that were watched, as watch_processes.h names them; in an arena */
};

/*
 * Read what is known of @store's annotations into @state, and the processes into @store; a file
 * that is not there is as an empty one. ERR_IO; ERR_FORMAT: it is none of ours, with the line.
 */
bool watch_store_read(struct watch_store *store, struct watch_state *state, struct arena *arena,
		      struct err *err);

/* Write it, whole or not at all. ERR_IO; ERR_USAGE: something else is there. */
bool watch_store_write(const struct watch_store *store, const struct watch_state *state,
		       struct err *err);
