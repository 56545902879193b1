/*
 * Forwards termination signals to the measured program; once it has ended, the measurement is
 * modelled and stored.
 */
#pragma once

#include <pthread.h>
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
};

/*
 * From now on SIGTERM and SIGHUP go to @process, and kill it from the second one on (when it has
 * ended, they become a SIGINT to this process); SIGQUIT, which a terminal sends to both, SIGPIPE
 * and SIGXFSZ are ignored. They stay ignored: trouble with the tool's own output must not end the
 * program.
 */
void signal_forward_start(struct signal_forward *forwarder, pid_t process);

/*
 * A signal that came for another process of the tool. It is forwarded unless one was, and is not
 * the first of two that kill.
 */
void signal_forward_echo(int number);

/* The process has ended: stop. An all-zero forwarder is fine. */
void signal_forward_stop(struct signal_forward *forwarder);
