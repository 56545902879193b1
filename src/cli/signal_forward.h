/*
 * Forwards termination signals to the measured program, so that fathom outlives it and can model
 * and store the measurement.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

struct signal_forward {
	/* Called for every such signal, in the forwarder's thread; may be NULL. */
	void (*told)(void *self);
	void *self;
	/* Private. */
	pthread_t thread;
	pid_t process;
	int process_fd; /* -1: the kernel has none */
	bool running;
	atomic_bool over; /* the process has ended */
};

/*
 * From now on forward SIGTERM and SIGHUP to @process; from the second one on, kill it. After its
 * end they become SIGINT to this process. SIGQUIT, which a terminal sends to both, SIGPIPE and
 * SIGXFSZ are ignored for good: trouble with the tool's own output must not end the program.
 */
void signal_forward_start(struct signal_forward *forwarder, pid_t process);

/*
 * Signal @number came to another process of the tool. It is forwarded unless one already was, and
 * does not count towards the second one, which kills.
 */
void signal_forward_echo(int number);

/* The process has ended: stop. An all-zero forwarder is fine. */
void signal_forward_stop(struct signal_forward *forwarder);
