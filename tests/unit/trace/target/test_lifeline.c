/* A word that says whether its tracer lives. */
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/target/lifeline.h"

struct report {
	_Atomic int32_t alive; /* as the tracer's calls returned; 0: not yet */
	_Atomic int32_t found; /* by the tracee, when it runs on; 0: not yet */
};

static void *share(size_t size, int fd, int protection)
{
	void *memory =
		mmap(NULL, size, protection, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	assert_true(memory != MAP_FAILED);
	return memory;
}

/* What a tracee sees as soon as it runs again. */
static void be_traced(int fd, struct report *report)
{
	const _Atomic int32_t *word = share(LIFELINE_SIZE, fd, PROT_READ);

	raise(SIGSTOP);
	report->found = *word;
	_exit(0);
}

static void trace_until_killed(pid_t tracee, int fd, struct report *report)
{
	int32_t alive = 0;

	if (ptrace(PTRACE_SEIZE, tracee, NULL, NULL) != 0 ||
	    ptrace(PTRACE_INTERRUPT, tracee, NULL, NULL) != 0 ||
	    waitpid(tracee, NULL, __WALL) != tracee || !lifeline_create(tracee, fd, &alive))
		_exit(1);
	kill(tracee, SIGCONT);
	report->alive = alive;
	for (;;)
		pause();
}

static void tracees_find_it_changed_when_their_tracer_was_killed(void **state)
{
	const int fd = memfd_create("", MFD_ALLOW_SEALING);
	struct report *report = share(sizeof(*report), -1, PROT_READ | PROT_WRITE);
	const _Atomic int32_t *word = share(LIFELINE_SIZE, fd, PROT_READ);
	pid_t tracee, tracer;

	(void)state;
	tracee = fork();
	if (tracee == 0)
		be_traced(fd, report);
	waitpid(tracee, NULL, WUNTRACED);
	tracer = fork();
	if (tracer == 0)
		trace_until_killed(tracee, fd, report);
	while (!report->alive)
		assert_int_equal(waitpid(tracer, NULL, WNOHANG), 0);
	assert_int_equal(*word, report->alive);
	assert_int_equal(report->found, 0);
	kill(tracer, SIGKILL);
	assert_int_equal(waitpid(tracer, NULL, 0), tracer);
	assert_int_equal(waitpid(tracee, NULL, 0), tracee);
	assert_int_equal(report->found, *word);
	assert_int_not_equal(*word, report->alive);
	munmap(report, sizeof(*report));
	close(fd);
}

static void the_last_user_ends_it(void **state)
{
	const int fd = memfd_create("", MFD_ALLOW_SEALING);
	struct lifeline *line, *other;
	const _Atomic int32_t *word;
	int32_t alive;

	(void)state;
	line = lifeline_create(getpid(), fd, &alive);
	assert_non_null(line);
	word = share(LIFELINE_SIZE, fd, PROT_READ);
	assert_int_equal(mprotect((void *)word, LIFELINE_SIZE, PROT_READ | PROT_WRITE), -1);
	assert_int_equal(ftruncate(fd, 0), -1);
	other = lifeline_share(line);
	lifeline_destroy(line);
	assert_int_equal(*word, alive);
	lifeline_destroy(other);
	assert_int_not_equal(*word, alive);
	lifeline_destroy(NULL);
	assert_null(lifeline_share(NULL));
	assert_null(lifeline_create(getpid(), 9999, &alive));
	close(fd);
}

static void all_are_let_go_at_once(void **state)
{
	struct lifeline *lines[2];
	const _Atomic int32_t *words[2];
	int32_t alive[2];
	int fds[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		fds[i] = memfd_create("", MFD_ALLOW_SEALING);
		lines[i] = lifeline_create(getpid(), fds[i], &alive[i]);
		assert_non_null(lines[i]);
		words[i] = share(LIFELINE_SIZE, fds[i], PROT_READ);
		assert_int_equal(*words[i], alive[i]);
	}
	lifeline_let_go();
	for (int i = 0; i < 2; i++) {
		assert_int_not_equal(*words[i], alive[i]);
		lifeline_destroy(lines[i]);
		close(fds[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracees_find_it_changed_when_their_tracer_was_killed),
		cmocka_unit_test(the_last_user_ends_it),
		cmocka_unit_test(all_are_let_go_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
