/* Entry of the program: finds the command and runs it; else the prompt. */
#include <fcntl.h>
#include <nss.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cmd/cmd.h"
#include "cli/host.h"
#include "cli/message.h"
#include "cli/output.h"
#include "core/cxx_name.h"
#include "prompt/prompt.h"

/* Is @word nothing that is there, but nearly a command? That is said. */
static bool is_misspelt(const char *word)
{
	struct arena *arena = arena_create();
	const char *near = NULL;
	bool is_there = *word == '-' || strspn(word, "0123456789") == strlen(word) ||
			access(word, F_OK) == 0 || host_find_program(arena, word);

	arena_destroy(arena);
	for (size_t i = 0; !is_there && i < command_table_size; i++)
		if (cxx_name_distance(command_table[i]->usage.name, word, 2) <
		    (strlen(word) > 4 ? 3 : 2))
			near = command_table[i]->usage.name;
	if (near)
		message_error("there is no command '%s', and no program, process or profile of "
			      "that name: did you mean fathom %s?",
			      word, near);
	return near;
}

static int help(int argc, char **argv)
{
	char option[] = "--help";
	char *asked[] = {NULL, option, NULL};
	const struct command *command;

	if (argc < 2) {
		cmd_print_all();
		return EXIT_DONE;
	}
	command = cmd_find(argv[1]);
	if (!command) {
		if (!is_misspelt(argv[1]))
			message_error("there is no command '%s': see fathom help", argv[1]);
		return EXIT_UNUSABLE;
	}
	asked[0] = argv[1];
	return cmd_main(command, 2, asked);
}

/*
 * A closed standard stream would become the next file that is opened. O_CLOEXEC: a launched program
 * finds it closed, as before. Results for a closed one are an error, as to write there fails.
 */
static void fill_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", (fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) | O_CLOEXEC) != fd)
			return;
}

/* What was printed may be lost, as on a full device. */
static void check_printed(int status, void *unused)
{
	(void)unused;
	if (status != EXIT_DONE || (fflush(stdout) == 0 && !ferror(stdout)))
		return;
	message_error("cannot write the results: %s", strerror(output_failure(stdout)));
	_exit(EXIT_UNUSABLE);
}

/*
 * Libraries read files through mmap(): if one is truncated meanwhile (rebuilt), reading its lost
 * pages raises SIGBUS and cannot be resumed.
 */
static void say_that_pages_are_gone(int signal)
{
	static const char text[] =
		"fathom: a file became shorter while it was read: try again when "
		"nothing writes it\n";

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_TARGET);
	_exit(EXIT_UNUSABLE);
}

/* A file beyond ulimit -f is an error of the write, EFBIG. A launched program gets the default. */
static void go_on_without_room(int signal)
{
	(void)signal;
}

int main(int argc, char **argv)
{
	const struct command *command;

	fill_standard_streams();
	on_exit(check_printed, NULL);
	if (getenv("DEBUGINFOD_URLS"))
		host_limit_servers();
#ifdef FATHOM_STATIC
	/* Others than files are read by libraries, which must be those of the same C library. */
	__nss_configure_lookup("passwd", "files");
#endif
	signal(SIGBUS, say_that_pages_are_gone);
	if (signal(SIGXFSZ, go_on_without_room) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN); /* as a launched program found it */
	if (argc < 2)
		return prompt_main(&command_session.usage, argc, argv);
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("fathom " FATHOM_VERSION);
		return EXIT_DONE;
	}
	command = cmd_find(argv[1]);
	if (command == &command_session)
		return prompt_main(&command_session.usage, argc - 1, argv + 1);
	if (!command && is_misspelt(argv[1]))
		return EXIT_UNUSABLE;
	return command ? cmd_main(command, argc - 1, argv + 1)
		       : prompt_main(&command_session.usage, argc, argv);
}
