/*
 * What the tests of real processes share: the programs of fixtures/trace/, which say themselves
 * whether they were harmed, and whose memory and threads are compared with what they were.
 */
#ifndef FATHOM_TESTS_LIVE_PROGRAM_H
#define FATHOM_TESTS_LIVE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "dwarf_fixture.h"
#include "trace/session.h"

enum { PROGRAM_TEXT = 65536 };

struct program {
	pid_t pid;
	FILE *output;
	char path[4096];
	char maps[PROGRAM_TEXT];
};

/* Start the fixture @name, until it says that it is ready. */
void program_start(void **state, const char *name, char *const arguments[], struct program *ret);

/* Until it has so many. */
void program_await_threads(const struct program *program, unsigned n);

/* Let the threads come up, so that their stacks are among the maps. */
void program_settle(struct program *program);

/* The file @name of /proc/PID. */
bool program_read(pid_t pid, const char *name, char *ret, size_t size);

void assert_code_is_as_in_file(const struct program *program);

/* No code is mapped that is of no file: nothing is left of pads. */
void assert_no_code_is_ours(const struct program *program);

/* The states of its threads are among @states, soon, and nobody traces them. */
void assert_threads(const struct program *program, const char *states);
void assert_unharmed(struct program *program, const char *states);

/* Count the lines that it prints when it is asked to end; each must have @right. */
size_t program_finish(struct program *program, const char *right);

/* What notices calls in the sessions of a test. */
extern enum session_probes live_probes;

/* run_with_fixtures() twice: with stops, then with pads. */
int run_by_both(int argc, char **argv, struct CMUnitTest *tests, size_t n);

/* A session on process @pid, without a limit. */
struct session *session_of(const struct catalogue *catalogue, pid_t pid);

/* The fixture's functions that @pattern names. */
struct catalogue *program_catalogue(const struct program *program, const char *pattern);

/* Without failures, and notes are one. Limits of ranks are passed over. */
void session_must_halt(struct session *session);
struct session_event session_must_next(struct session *session);

/* Likewise, and a call: with pads there are pauses, too. */
struct session_event session_must_call(struct session *session);

/* Take calls, until there were @n; what the first parameter was is known. */
void session_take_calls(struct session *session, unsigned n);

/* Detach, and that is the end. */
void session_leave_well(struct session *session);

#endif
