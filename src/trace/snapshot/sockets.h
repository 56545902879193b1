/* The addresses of sockets, from /proc/PID/net. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"

/* "tcp socket 127.0.0.1:80 -> 10.0.0.1:4711"; NULL: not in the process's network. */
const char *sockets_describe(pid_t pid, uint64_t inode, struct arena *arena);
