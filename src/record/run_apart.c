/* Forks; the child's messages are those of `run`, and go to the same standard error. */
#include "run_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/message.h"
#include "launcher.h"

/* Of a page; 16 bytes are the alignment that the stack keeps. */
enum { PAD_STEPS = 256, PAD_STEP = 16 };

/* Swap the byte that is drawn for @run with that of one before it, or itself. */
static void shuffle_one(struct random_state *random, struct run_layout *layouts, size_t run,
			enum layout_part part)
{
	const size_t other = random_next(random) % (run + 1);
	const unsigned kept = layouts[run].bytes[part];

	layouts[run].bytes[part] = layouts[other].bytes[part];
	layouts[other].bytes[part] = kept;
}

void run_apart_layouts(struct random_state *random, unsigned parts, size_t n,
		       struct run_layout *ret)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = (struct run_layout){.arranged = true};
		for (enum layout_part part = 0; part < LAYOUT_PARTS; part++) {
			const size_t step = (i * PAD_STEPS + random_next(random) % PAD_STEPS) / n;

			if (parts & 1u << part)
				ret[i].bytes[part] =
					part == LAYOUT_PAGES ? 1 : (unsigned)step * PAD_STEP;
			shuffle_one(random, ret, i, part);
		}
	}
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

/* The child's status. A signal to this process alone ends the run, and with it the program. */
static int await(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		if (interrupt_take_sent())
			sigqueue(child, SIGTERM, (union sigval){.sival_int = 0});
	return status;
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
	status = await(child);
	if (WIFSIGNALED(status) && interrupt_count())
		return true;
	if (WIFSIGNALED(status))
		return err_set(err, ERR_IO, "a measurement of %s was killed by signal %d",
			       options->arguments[0], WTERMSIG(status));
	return WEXITSTATUS(status) == EXIT_DONE ||
	       err_set(err, WEXITSTATUS(status) == EXIT_TARGET ? ERR_TARGET : ERR_IO, "%s", "");
}
