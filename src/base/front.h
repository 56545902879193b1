/*
 * The front: the process that was started. It only waits and passes signals on, so that the
 * measured program does not stand still when somebody stops it (SIGSTOP); a child that is stopped
 * it lets go on. Both are in one process group, as one process would be: what a terminal sends
 * reaches them all.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/*
 * Returns in a child, called @name, that does the work; the front ends as that does. If the front
 * is killed, the child gets @on_death. Where there can be no child, this process is it.
 */
void front_start(const char *name, int on_death);

/*
 * SIGINT and SIGQUIT, which a shell has its background commands ignore, end this process again.
 * Else one would be lost or not by when it comes, as a measurement catches them. Call it first.
 */
void front_heed(void);

struct front_signals {
	unsigned passed[NSIG], direct[NSIG];
};

/*
 * Was this signal counted already? One that is sent to the whole group comes from its sender and,
 * before or after, from the front. @counted begins with 0. May be called in handlers.
 */
bool front_is_echo(struct front_signals *counted, const siginfo_t *info);
