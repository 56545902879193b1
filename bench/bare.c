/*
 * What two stops cost that ptrace(2) alone takes, as a measured call has two: int3, waitpid,
 * PTRACE_CONT. Nothing that stops a program at the beginning and at the end of a call is below
 * that. Usage: bare STOPS; prints "NS ns" for two of them.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void be_stopped(long stops)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	while (stops--)
		__asm__ volatile("int3");
	_exit(0);
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

int main(int argc, char **argv)
{
	const long stops = argc > 1 ? atol(argv[1]) : 0;
	const pid_t child = stops > 0 ? fork() : -1;
	int status = 0;
	double began;

	if (child < 0)
		return 2;
	if (child == 0)
		be_stopped(stops);
	waitpid(child, &status, 0);
	began = now_ns();
	while (WIFSTOPPED(status)) {
		ptrace(PTRACE_CONT, child, NULL, NULL);
		waitpid(child, &status, 0);
	}
	printf("%.1f ns\n", 2 * (now_ns() - began) / stops);
	return 0;
}
