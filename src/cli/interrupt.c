/* Counts signals in static variables, as handlers have no argument. */
#include "interrupt.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#include "base/front.h"

/* The first two also where only the terminal interrupts. */
static const int by_any[] = {SIGINT, SIGXCPU, SIGTERM, SIGHUP, SIGQUIT};
static struct sigaction before[sizeof(by_any) / sizeof(by_any[0]) + 1];
static struct front_signals counted;
static unsigned n_started;
static volatile sig_atomic_t count;
static volatile sig_atomic_t time_is_over;
static volatile sig_atomic_t is_final;
static volatile sig_atomic_t sent;     /* one by somebody, who is no terminal */
static volatile sig_atomic_t is_spent; /* the processor time that is allowed, see tracer_limits.h */

enum { TICK_US = 20000 };

static const double shortest = 1e-6; /* 0 would be never */

static void tick(double wanted)
{
	const double seconds = fmax(wanted, shortest);
	const struct itimerval timer = {
		.it_value = {.tv_sec = seconds, .tv_usec = fmod(seconds, 1) * 1e6},
		.it_interval = {.tv_usec = TICK_US}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void interrupt_note(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (front_is_echo(&counted, info))
		return;
	is_final = is_final || signal == SIGTERM || signal == SIGHUP;
	if (info->si_code == SI_USER || info->si_code == SI_QUEUE)
		sent = 1;
	if (signal == SIGXCPU) {
		is_spent = 1;
		tick(TICK_US / 1e6);
	} else if (signal != SIGALRM) {
		count++;
		tick(TICK_US / 1e6);
	} else if (count == 0 && !is_spent && !time_is_over) {
		time_is_over = 1;
	}
}

static void catch (int signal, struct sigaction *ret)
{
	/* Without SA_RESTART: blocking calls return. */
	struct sigaction action = {.sa_sigaction = interrupt_note, .sa_flags = SA_SIGINFO};

	sigfillset(&action.sa_mask);
	sigaction(signal, &action, ret);
}

void interrupt_start(enum interrupt_by by, double seconds)
{
	n_started = by == INTERRUPT_BY_ANY ? sizeof(by_any) / sizeof(by_any[0]) : 2;
	counted = (struct front_signals){.passed = {0}};
	count = time_is_over = is_final = is_spent = sent = 0;
	catch (SIGALRM, &before[n_started]);
	for (unsigned i = 0; i < n_started; i++)
		catch (by_any[i], &before[i]);
	if (seconds > 0)
		tick(seconds);
}

unsigned interrupt_count(void)
{
	return count + (time_is_over || is_spent);
}

bool interrupt_is_final(void)
{
	return is_final;
}

bool interrupt_take_sent(void)
{
	const bool one = sent;

	sent = 0;
	return one;
}

bool interrupt_is_pending(void)
{
	return n_started && (count || is_spent);
}

void interrupt_stop(void)
{
	const struct itimerval never = {.it_value = {.tv_sec = 0}};

	if (!n_started)
		return;
	setitimer(ITIMER_REAL, &never, NULL);
	for (unsigned i = 0; i < n_started; i++)
		sigaction(by_any[i], &before[i], NULL);
	sigaction(SIGALRM, &before[n_started], NULL);
	n_started = 0;
}
