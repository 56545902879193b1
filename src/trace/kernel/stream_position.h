/*
 * Where a process is in the byte streams of a connection: of TCP the kernel's own counts, which
 * miss nothing, whatever the process sends and receives with. Of unix sockets and pipes there are
 * none; the kernel says who belongs to whom.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/messages.h"

/* The more certain to carry requests the greater. */
enum connection { CONNECTION_NONE, CONNECTION_PIPE, CONNECTION_UNIX, CONNECTION_TCP };

struct stream_position {
	enum connection connection;
	enum message_way way;
	uint64_t sending, receiving; /* the streams, see struct message; of a pipe both are it */
	uint64_t sent;               /* bytes given to the kernel, sent already or not; TCP */
	uint64_t received;           /* bytes that the process took; TCP */
	bool waiting;                /* what was received, and not taken yet */
	bool accepted;   /* this end has accepted the other's connection; not: unknown */
	uint64_t cookie; /* of the socket, for ever, or of the pipe; 0: it is none */
};

/* A pipe's cookie: its device shifted by STREAM_PIPE_DEVICE, its inode, and a bit no socket has. */
enum { STREAM_PIPE_DEVICE = 40 };
#define STREAM_PIPE (UINT64_C(1) << 63)

/*
 * Of the descriptor @fd of process @pid, which this process may trace. False: it is no connected
 * TCP socket, or is closed.
 */
bool stream_position_read(pid_t pid, int fd, struct stream_position *ret);

/* The same, also of connected unix sockets that keep the order, and of pipes. */
bool stream_position_read_any(pid_t pid, int fd, struct stream_position *ret);

/* Of this host's moments, see struct messages: a host is its boot and this process's clocks. */
uint64_t stream_position_clock(void);
