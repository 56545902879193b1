/*
 * Who is at the other end of a pipe or a socket: somebody of the processes under experiment, who
 * pauses like all of them, or the outside?
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What was found, until it is forgotten: descriptors are used for other things after a while. */
struct other_ends {
	struct other_end *known;
	size_t n, capacity;
};

/*
 * May what comes of, or goes into, @fd of @process (one of @ours) be up to one of @ours? That of a
 * connection through the network of this host is, too. False also for files and terminals.
 */
bool other_end_is_ours(struct other_ends *ends, pid_t process, int fd, const pid_t *ours,
		       size_t n_ours);

/*
 * Does what comes of @fd, which is not of ours, come however fast @ours are? Yes, if nobody who can
 * send it is sent anything by @ours: all that write to a pipe receive nothing from them; through a
 * connection nothing was sent since this was asked last. So does a timer that goes off again and
 * again (timerfd_create(2)). False also if it is not known.
 */
bool other_end_paces(struct other_ends *ends, pid_t process, int fd, const pid_t *ours,
		     size_t n_ours);
void other_end_forget(struct other_ends *ends); /* frees all */
