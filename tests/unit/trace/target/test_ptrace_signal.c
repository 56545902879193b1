/*
 * What the signal would do that a real thread is stopped for.
 */
#include "check.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/target/ptrace_target.h"

/* Stopped for a signal; stops again at its end if @tells_exit. */
static pid_t stopped_for(int signal, bool tells_exit)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(signal);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(WSTOPSIG(status), signal);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL,
				PTRACE_O_EXITKILL | (tells_exit ? PTRACE_O_TRACEEXIT : 0)),
			 0);
	return pid;
}

static void end(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	do {
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
	} while (WIFSTOPPED(status));
}

static void some_end_a_program_and_some_do_not(void **state)
{
	const pid_t trapped = stopped_for(SIGTRAP, false);
	const pid_t told = stopped_for(SIGCHLD, false);

	(void)state;
	assert_true(ptrace_signal_is_fatal(NULL, trapped, SIGTRAP));
	assert_false(ptrace_signal_is_fatal(NULL, told, SIGCHLD));
	end(trapped);
	end(told);
}

/* As all but one are by an exec: the stop that was fetched before is of no signal any more. */
static void nobody_dies_by_a_signal_who_was_killed_meanwhile(void **state)
{
	bool tells_exit = false;

	(void)state;
	do {
		const pid_t pid = stopped_for(SIGTRAP, tells_exit);
		siginfo_t info;

		kill(pid, SIGKILL);
		assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT), 0);
		assert_false(ptrace_signal_is_fatal(NULL, pid, SIGTRAP));
		end(pid);
		tells_exit = !tells_exit;
	} while (tells_exit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(some_end_a_program_and_some_do_not),
		cmocka_unit_test(nobody_dies_by_a_signal_who_was_killed_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
