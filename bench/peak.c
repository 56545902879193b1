/*
 * Runs a command and says how long it took and how much memory.
 *
 * Usage: peak FILE COMMAND ARGUMENT...
 *
 * FILE gets the seconds of the clock and the peak resident set, in bytes, of the largest process:
 * the command's own, or one that it waited for. A launcher of its own, since a process begins with
 * the peak of the one that started it, and an interpreter's is more than that of some tools. The
 * exit status is the command's, 126 when a signal ended it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	double begin;
	FILE *file;
	pid_t pid;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: %s FILE COMMAND ARGUMENT...\n", *argv);
		return 2;
	}
	begin = now_seconds();
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM); /* whoever ends the launcher means the command */
		execvp(argv[2], argv + 2);
		fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
		perror("peak");
		return 1;
	}
	file = fopen(argv[1], "w");
	if (!file ||
	    fprintf(file, "%.6f %ld\n", now_seconds() - begin, usage.ru_maxrss * 1024L) < 0 ||
	    fclose(file) != 0) {
		perror(argv[1]);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
