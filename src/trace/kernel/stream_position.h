/*
 * Where a process is in the byte streams of a TCP connection: the kernel's own counts, which miss
 * nothing, whatever the process sends and receives with.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct stream_position {
	uint64_t sending, receiving; /* the streams, see struct message */
	uint64_t sent;               /* bytes given to the kernel, sent already or not */
	uint64_t received;           /* bytes that the process took */
};

/*
 * Of the descriptor @fd of process @pid, which this process may trace. False: it is no connected
 * TCP socket, or is closed.
 */
bool stream_position_read(pid_t pid, int fd, struct stream_position *ret);
