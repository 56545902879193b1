/*
 * Termination signals to the tool are for the program that it measures: what was measured is then
 * modelled and stored.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

struct signal_forward {
	/* Of every such signal, too, in the forwarder's thread; NULL: nobody wants to know. */
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
 * and SIGXFSZ are ignored. For good: nothing that happens to the tool's own output may end the
 * program.
 */
void signal_forward_start(struct signal_forward *forwarder, pid_t process);

/*
 * A signal that came for another process of the tool. It is forwarded unless one was, and is not
 * the first of two that kill.
 */
void signal_forward_echo(int number);

/* No more: the process has ended. A forwarder that is all zero is fine. */
void signal_forward_stop(struct signal_forward *forwarder);
