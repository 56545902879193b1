/*
 * What threads wait for.
 *
 * Source: the manual pages of the system calls; for mutexes the layout of the GNU C library, in
 * which pthread_mutex_t begins with the futex and has its owner 8 bytes behind.
 */
#pragma once

#include "core/verdict/stack.h"
#include "snapshot.h"

/*
 * What @thread waits for in its system call; texts live in @arena. While @snapshot keeps it
 * stopped, so that descriptors and memory are of that moment.
 */
void wait_reason_describe(const struct snapshot *snapshot, const struct stopped_thread *thread,
			  struct arena *arena, struct stack_wait *ret);

/* Name the sockets in a phrase of wait_reason_describe() by their addresses; may take longer. */
const char *wait_reason_name_sockets(pid_t pid, const char *what, struct arena *arena);
