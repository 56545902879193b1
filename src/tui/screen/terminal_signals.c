/* Signal handlers of a process with a terminal. They have no argument, so state is global here. */
#include "terminal_signals.h"

#include <stddef.h>
#include <termios.h>
#include <unistd.h>

#include "terminal.h"

/* Always recorded; crashes; and those that do not end a process or cannot be caught. */
static const int noted[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGCONT};
static const int harmless[] = {SIGCHLD, SIGURG, SIGWINCH, SIGTTIN, SIGTTOU, SIGSTOP, SIGKILL};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS};

enum {
	N_NOTED = sizeof(noted) / sizeof(noted[0]),
	N_HARMLESS = sizeof(harmless) / sizeof(harmless[0]),
	N_CRASHES = sizeof(crashes) / sizeof(crashes[0])
};

static struct sigaction before[NSIG];
static sigset_t mask_before, mask_waiting;
static sigset_t caught; /* recorded ones */
static const struct terminal_reset *volatile to_rescue;
static volatile sig_atomic_t ending, stop_wanted, continued, is_writing;

static void signal_note(int number)
{
	if (number == SIGTSTP)
		stop_wanted = 1;
	else if (number == SIGCONT)
		continued = 1;
	else if (!ending)
		ending = number;
	if (ending && is_writing) { /* perhaps for ever, to a terminal that nobody reads */
		tcflow(to_rescue->fd, TCOON);
		tcflush(to_rescue->fd, TCOFLUSH);
	}
}

/* Then the default action: a raised signal waits for the handler's end, a fault repeats. */
static void rescue_and_crash(int number)
{
	const struct terminal_reset *rescue = to_rescue;

	to_rescue = NULL;
	if (rescue)
		terminal_reset_apply(rescue);
	sigaction(number, &before[number], NULL);
	raise(number);
}

static void catch_crashes(void)
{
	static char stack[1 << 16];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = rescue_and_crash, .sa_flags = SA_ONSTACK};
	size_t i;

	sigaltstack(&other, NULL);
	sigfillset(&action.sa_mask);
	for (i = 0; i < N_CRASHES; i++)
		sigaction(crashes[i], &action, &before[crashes[i]]);
}

static bool signal_is_in(const int *numbers, size_t n, int number)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* All that would end the process, but not what is ignored or handled already. */
static bool is_noted(int number)
{
	struct sigaction now;

	if (signal_is_in(noted, N_NOTED, number))
		return true;
	return !signal_is_in(harmless, N_HARMLESS, number) &&
	       !signal_is_in(crashes, N_CRASHES, number) && sigaction(number, NULL, &now) == 0 &&
	       now.sa_handler == SIG_DFL;
}

void terminal_signals_catch(const struct terminal_reset *rescue)
{
	const struct sigaction action = {.sa_handler = signal_note};
	int number;

	to_rescue = rescue;
	ending = stop_wanted = continued = 0;
	sigemptyset(&caught);
	for (number = 1; number < NSIG; number++)
		if (is_noted(number))
			sigaddset(&caught, number);
	sigprocmask(SIG_BLOCK, &caught, &mask_before);
	mask_waiting = mask_before;
	for (number = 1; number < NSIG; number++) {
		if (sigismember(&caught, number) != 1)
			continue;
		sigaction(number, &action, &before[number]);
		sigdelset(&mask_waiting, number);
	}
	catch_crashes();
}

void terminal_signals_release(void)
{
	int number;
	size_t i;

	to_rescue = NULL;
	for (i = 0; i < N_CRASHES; i++)
		sigaction(crashes[i], &before[crashes[i]], NULL);
	for (number = 1; number < NSIG; number++)
		if (sigismember(&caught, number) == 1)
			sigaction(number, &before[number], NULL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void terminal_signals_write(bool writes)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	is_writing = writes;
	pthread_sigmask(writes ? SIG_UNBLOCK : SIG_BLOCK, &ends, NULL);
}

const sigset_t *terminal_signals_mask(void)
{
	return &mask_waiting;
}

int terminal_signals_continued(void)
{
	int was = continued;

	continued = 0;
	return was;
}

/* It is delivered when unblocked, and stops the process there. */
void terminal_signals_stop(pid_t to)
{
	const struct sigaction stops = {.sa_handler = SIG_DFL};
	struct sigaction notes;
	sigset_t stop, own;

	stop_wanted = 0;
	sigaction(SIGTSTP, &stops, &notes);
	kill(to, SIGTSTP);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, &own);
	sigprocmask(SIG_SETMASK, &own, NULL);
	sigaction(SIGTSTP, &notes, NULL);
	continued = 0;
}

int terminal_signal(void)
{
	return ending;
}

bool terminal_stop_wanted(void)
{
	bool was = stop_wanted;

	stop_wanted = 0;
	return was;
}
