/* How many processors others leave to a program, from the kernel's account of each processor. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

struct causal_processors {
	pid_t tid; /* on whose processors the program may run */
	uint64_t began_ns;
	uint64_t busy_ns, own_ns; /* so far, when it began: all of these, and our own process */
};

/* @tid 0: those on which we may run. */
void causal_processors_begin(struct causal_processors *processors, pid_t tid);

/* Since then, if the program has run for @ran_ns: a processor is free if it or we had it. */
double causal_processors_free(const struct causal_processors *processors, uint64_t ran_ns);
