/*
 * Tracer and supervisor: forking, forwarding signals, noticing an end. emergency_detach.c does the
 * rest. Mutable globals are unavoidable: signal handlers have no argument.
 */
#include "trace/supervisor.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/front.h"

#include "emergency_detach.h"
#include "keeper.h"

static struct recovery_table *volatile to_rescue;
static struct sigaction before[NSIG];

/* Catchable signals that end a process by default. */
static const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGILL,    SIGTRAP, SIGABRT, SIGBUS,
			     SIGFPE,  SIGUSR1, SIGSEGV,   SIGUSR2,   SIGPIPE, SIGALRM, SIGTERM,
			     SIGXCPU, SIGPROF, SIGVTALRM, SIGSTKFLT, SIGIO,   SIGPWR,  SIGSYS};

/* Signals to the supervisor that it forwards to the tracer. */
static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

enum {
	N_DEADLY = sizeof(deadly) / sizeof(deadly[0]),
	N_PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0])
};

/*
 * The session may be inconsistent, so only the table is used. Then the signal takes its original
 * effect.
 */
static void rescue_and_die(int number)
{
	struct recovery_table *table = to_rescue;

	to_rescue = NULL;
	if (table)
		emergency_detach_by_tracer(table);
	sigaction(number, &before[number], NULL);
	raise(number);
}

static void catch_deadly(void)
{
	static char stack[1 << 16];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = rescue_and_die, .sa_flags = SA_ONSTACK};

	sigaltstack(&other, NULL);
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < N_DEADLY; i++) {
		sigaction(deadly[i], NULL, &before[deadly[i]]);
		if (before[deadly[i]].sa_handler != SIG_IGN)
			sigaction(deadly[i], &action, NULL);
	}
}

static void release_deadly(void)
{
	for (size_t i = 0; i < N_DEADLY; i++)
		if (before[deadly[i]].sa_handler != SIG_IGN)
			sigaction(deadly[i], &before[deadly[i]], NULL);
}

/* Stops of tracees must not raise SIGCHLD, each of which would stop us for the supervisor. */
static void be_quiet(void)
{
	static const int ignored[] = {SIGTSTP, SIGTTIN, SIGTTOU};
	const struct sigaction no_stops = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};

	sigaction(SIGCHLD, &no_stops, NULL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
}

static const char TRACER_NAME[] = "tracer";

/* @seized: closed by the supervisor when it is ready. */
static void become_tracer(struct recovery *guard, pid_t supervisor, int seized)
{
	char byte;

	to_rescue = recovery_table(guard);
	setpgid(0, 0);
	be_quiet();
	catch_deadly();
	/* Killing by name (killall, pkill) then hits the supervisor alone, which harms nothing. */
	prctl(PR_SET_NAME, TRACER_NAME);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != supervisor)
		_exit(SUPERVISED_KILLED + SIGKILL);
	while (read(seized, &byte, 1) < 0 && errno == EINTR)
		;
	close(seized);
}

static void waited_for(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGCHLD);
	sigaddset(ret, SIGTSTP);
	for (size_t i = 0; i < N_PASSED_ON; i++)
		sigaddset(ret, passed_on[i]);
}

struct supervisor {
	struct recovery_table *table;
	pid_t tracer;
	bool tracing; /* we trace the tracer, for its stop at its end */
	bool rescued;
};

static void supervisor_seize(struct supervisor *supervisor)
{
	supervisor->tracing =
		ptrace(PTRACE_SEIZE, supervisor->tracer, NULL, PTRACE_O_TRACEEXIT) == 0;
}

static void supervisor_let_go(struct supervisor *supervisor, int signal)
{
	ptrace(PTRACE_DETACH, supervisor->tracer, NULL, (long)signal);
	supervisor->tracing = false;
}

static bool supervisor_has_ended(const struct supervisor *supervisor)
{
	return supervisor->table->ended;
}

/* The tracer has stopped for us: at its end, or with a signal meant for it. */
static void supervisor_on_stop(struct supervisor *supervisor, int status)
{
	int event = status >> 16;

	if (event == PTRACE_EVENT_EXIT) {
		if (!supervisor_has_ended(supervisor)) {
			emergency_detach_before(supervisor->table, supervisor->tracer);
			supervisor->rescued = true;
		}
		supervisor_let_go(supervisor, 0);
	} else if (supervisor_has_ended(supervisor)) {
		supervisor_let_go(supervisor, event ? 0 : WSTOPSIG(status));
	} else if (event == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP) {
		ptrace(PTRACE_LISTEN, supervisor->tracer, NULL, NULL);
		kill(supervisor->tracer, SIGCONT); /* its program would stand still, too */
	} else {
		ptrace(PTRACE_CONT, supervisor->tracer, NULL, (long)(event ? 0 : WSTOPSIG(status)));
	}
}

/* Without the stop at its end it is late, but better than never. */
static void on_end(struct supervisor *supervisor)
{
	if (!supervisor->rescued && !supervisor_has_ended(supervisor))
		emergency_detach_before(supervisor->table, supervisor->tracer);
	emergency_detach_after(supervisor->table);
	supervisor->table->ended = true;
}

/* Handle news of the tracer. Returns whether it has ended. */
static bool supervisor_look(struct supervisor *supervisor, int *ret)
{
	int status;

	while (waitpid(supervisor->tracer, &status, WNOHANG | __WALL) == supervisor->tracer) {
		if (WIFSTOPPED(status)) {
			supervisor_on_stop(supervisor, status);
			continue;
		}
		on_end(supervisor);
		*ret = WIFEXITED(status) ? WEXITSTATUS(status)
					 : SUPERVISED_KILLED + WTERMSIG(status);
		return true;
	}
	return false;
}

static bool supervisor_interrupt(struct supervisor *supervisor)
{
	int status;

	if (!supervisor->tracing)
		return false;
	ptrace(PTRACE_INTERRUPT, supervisor->tracer, NULL, NULL);
	if (waitpid(supervisor->tracer, &status, __WALL) != supervisor->tracer ||
	    !WIFSTOPPED(status))
		return false;
	if (status >> 16 != PTRACE_EVENT_EXIT) {
		supervisor_let_go(supervisor, status >> 16 ? 0 : WSTOPSIG(status));
		return true;
	}
	supervisor_on_stop(supervisor, status);
	return false;
}

/* A stopped supervisor would block the tracer, so it detaches meanwhile. */
static void stop_a_while(struct supervisor *supervisor)
{
	bool seize_again = supervisor_interrupt(supervisor);

	raise(SIGSTOP);
	if (seize_again)
		supervisor_seize(supervisor);
}

static int supervisor_run(struct supervisor *supervisor)
{
	struct front_signals counted = {.passed = {0}};
	siginfo_t info;
	sigset_t set;
	int number, status;

	waited_for(&set);
	while (!supervisor_look(supervisor, &status)) {
		number = sigwaitinfo(&set, &info);
		if (number == SIGTSTP)
			stop_a_while(supervisor);
		else if (number > 0 && number != SIGCHLD && !front_is_echo(&counted, &info))
			kill(supervisor->tracer, number);
	}
	return status;
}

static bool fork_tracer(struct recovery *guard, struct supervisor *ret, const int seized[2],
			struct err *err)
{
	pid_t self = getpid();
	sigset_t set, own;

	waited_for(&set);
	sigprocmask(SIG_BLOCK, &set, &own);
	*ret = (struct supervisor){.table = recovery_table(guard), .tracer = fork()};
	if (ret->tracer == 0) {
		close(seized[1]);
		become_tracer(guard, self, seized[0]);
	}
	if (ret->tracer <= 0)
		sigprocmask(SIG_SETMASK, &own, NULL);
	if (ret->tracer < 0)
		return err_set_errno(err, ERR_TARGET, errno, "cannot fork");
	return true;
}

static bool supervisor_fork(struct recovery *guard, struct supervisor *supervisor, struct err *err)
{
	int seized[2];

	if (pipe(seized) != 0)
		return err_set_errno(err, ERR_TARGET, errno, "cannot make a pipe");
	if (!fork_tracer(guard, supervisor, seized, err)) {
		close(seized[0]);
		close(seized[1]);
		return false;
	}
	if (supervisor->tracer == 0)
		return true;
	setpgid(supervisor->tracer, supervisor->tracer);
	supervisor_seize(supervisor);
	close(seized[0]);
	close(seized[1]);
	keeper_start(recovery_table(guard), supervisor->tracer);
	return true;
}

bool supervisor_start(enum supervised *ret_role, struct recovery **ret, int *ret_status,
		      struct err *err)
{
	struct supervisor supervisor = {.tracer = 0};
	struct recovery *guard;

	if (!recovery_create(&guard, err))
		return false;
	if (!supervisor_fork(guard, &supervisor, err)) {
		recovery_destroy(guard);
		return false;
	}
	if (supervisor.tracer == 0) {
		*ret_role = SUPERVISED_TRACER;
		*ret = guard;
		return true;
	}
	*ret_status = supervisor_run(&supervisor);
	*ret_role = SUPERVISED_OVER;
	recovery_destroy(guard);
	return true;
}

void supervisor_end(struct recovery *guard)
{
	recovery_table(guard)->ended = true;
	to_rescue = NULL;
	prctl(PR_SET_PDEATHSIG, 0);
	release_deadly();
	raise(SIGCONT); /* only lets the supervisor see the end */
	recovery_destroy(guard);
}
