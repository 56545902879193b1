/* Removes files in a signal handler; their names are static, as handlers have no argument. */
#include "temp_cleanup.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES_MOST = 8 };

static const int ending[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
			     SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};

enum { N_ENDING = sizeof(ending) / sizeof(ending[0]) };

static struct {
	char name[PATH_MAX];
	volatile sig_atomic_t is_there;
} files[NAMES_MOST];

static volatile sig_atomic_t writer;

/* Kill the writer first, or it would create the files again. Then the default action follows. */
static void tidy(int number)
{
	const struct sigaction end = {.sa_handler = SIG_DFL};

	if (writer) {
		kill(writer, SIGKILL);
		waitpid(writer, NULL, 0);
	}
	for (size_t i = 0; i < NAMES_MOST; i++)
		if (files[i].is_there)
			unlink(files[i].name);
	sigaction(number, &end, NULL);
	raise(number);
}

void temp_cleanup_catch(void)
{
	struct sigaction action = {.sa_handler = tidy}, before;

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < N_ENDING; i++)
		if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
}

sigset_t temp_cleanup_hold(void)
{
	sigset_t blocked, before;

	sigemptyset(&blocked);
	for (size_t i = 0; i < N_ENDING; i++)
		sigaddset(&blocked, ending[i]);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	return before;
}

void temp_cleanup_release(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

void temp_cleanup_add(const char *name)
{
	for (size_t i = 0; i < NAMES_MOST; i++)
		if (!files[i].is_there) {
			snprintf(files[i].name, sizeof(files[i].name), "%s", name);
			files[i].is_there = true;
			return;
		}
}

void temp_cleanup_forget(const char *name)
{
	for (size_t i = 0; i < NAMES_MOST; i++)
		if (files[i].is_there && !strcmp(files[i].name, name))
			files[i].is_there = false;
}

void temp_cleanup_set_writer(pid_t child)
{
	writer = child;
}
