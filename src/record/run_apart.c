/* Forks; the child's messages are those of `run`, and go to the same standard error. */
#include "run_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/message.h"
#include "launcher.h"

/* Of a page; 16 bytes are the alignment that the stack keeps. */
enum { PAD_STEPS = 256, PAD_STEP = 16 };

struct run_layout run_apart_layout(struct random_state *random, unsigned parts)
{
	struct run_layout layout = {.arranged = true};
	enum layout_part part;

	for (part = 0; part < LAYOUT_PARTS; part++)
		if (parts & 1u << part)
			layout.bytes[part] = part == LAYOUT_PAGES
						     ? 1
						     : random_next(random) % PAD_STEPS * PAD_STEP;
	return layout;
}

static void pad_environment(unsigned bytes)
{
	char pad[PAD_STEPS * PAD_STEP + 1] = "";

	memset(pad, '-', bytes);
	if (bytes)
		setenv("FATHOM_LAYOUT", pad, 1);
}

static bool finish_nothing(struct measurement *m, struct err *err)
{
	(void)m;
	(void)err;
	return true;
}

static void leave_streams(void)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nothing < 0)
		return;
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	close(nothing);
}

/* Returns the exit status. */
static int measure_here(const struct options *options)
{
	struct measurement m = {
		.options = options, .arena = arena_create(), .finish = finish_nothing};
	struct err err;
	bool ok;

	leave_streams();
	ok = launcher_measure(&m, &err);
	measure_release(&m);
	if (ok)
		return EXIT_DONE;
	return message_status(false, &err);
}

bool run_apart(const struct options *options, const struct run_place *place, struct err *err)
{
	struct options measuring = *options;
	const pid_t child = fork();
	int status;

	if (child < 0)
		return err_set_errno(err, ERR_IO, errno, "no process for a run");
	if (child == 0) {
		measuring.report = NULL;
		interrupt_stop();
		measuring.layout = place->layout;
		pad_environment(place->layout.bytes[LAYOUT_ENVIRONMENT]);
		if (place->folder && chdir(place->folder) != 0)
			exit(EXIT_UNUSABLE);
		exit(measure_here(&measuring));
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFSIGNALED(status))
		return err_set(err, ERR_IO, "a measurement of %s was killed by signal %d",
			       options->arguments[0], WTERMSIG(status));
	return WEXITSTATUS(status) == EXIT_DONE ||
	       err_set(err, WEXITSTATUS(status) == EXIT_TARGET ? ERR_TARGET : ERR_IO, "%s", "");
}
