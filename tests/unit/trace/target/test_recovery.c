/*
 * The guard's table, and the rescue by it. The processes that are rescued are children with an int3
 * in their code.
 */
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/target/recovery.h"
#include "trace/rescue/emergency_detach.h"

enum { INT3 = 0xcc };

/* Two instructions, of 4 bytes and of one. */
__asm__(".pushsection .text\n"
	".type step, @function\n"
	"step:\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	".size step, . - step\n"
	".popsection\n");
uint64_t step(uint64_t n);

static const uint8_t STEP[] = {0x48, 0x8d, 0x47, 0x01};

static struct insn step_insn(void)
{
	struct insn insn = {.address = (uint64_t)step, .size = sizeof(STEP)};

	memcpy(insn.bytes, STEP, sizeof(STEP));
	return insn;
}

static struct recovery *create(void)
{
	struct recovery *guard;
	struct err err;

	assert_true(recovery_create(&guard, &err));
	return guard;
}

static void what_is_planted_is_in_the_table_until_it_is_forgotten(void **state)
{
	struct recovery *guard = create();
	const struct recovery_breakpoint *entries = recovery_table(guard)->breakpoints;
	struct insn insn = step_insn();
	unsigned number = 0, other = 0;

	(void)state;
	assert_true(recovery_plant(guard, 7, &insn, 0x1000, &number));
	assert_true(number > 0);
	assert_int_equal(entries[number].state, RECOVERY_PLANTED);
	assert_int_equal(entries[number].pid, 7);
	assert_int_equal(entries[number].address, insn.address);
	assert_int_equal(entries[number].slot, 0x1000);
	assert_memory_equal(entries[number].bytes, STEP, sizeof(STEP));
	recovery_lift(guard, number);
	assert_int_equal(entries[number].state, RECOVERY_LIFTED);
	other = number;
	assert_true(recovery_plant(guard, 7, &insn, 0x2000, &other));
	assert_int_equal(other, number);
	assert_int_equal(entries[number].slot, 0x2000);
	recovery_forget(guard, number);
	assert_int_equal(entries[number].state, RECOVERY_FREE);
	other = 0;
	assert_true(recovery_plant(guard, 8, &insn, 0, &other));
	assert_int_equal(other, number);
	recovery_destroy(guard);
}

static void a_table_that_is_full_is_told(void **state)
{
	struct recovery *guard = create();
	struct insn insn = step_insn();
	unsigned i, number = 0;

	(void)state;
	for (i = 1; i < RECOVERY_BREAKPOINTS; i++) {
		number = 0;
		assert_true(recovery_plant(guard, 7, &insn, 0, &number));
	}
	i = 0;
	assert_false(recovery_plant(guard, 7, &insn, 0, &i));
	recovery_forget(guard, number);
	assert_true(recovery_plant(guard, 7, &insn, 0, &i));
	assert_int_equal(i, number);
	recovery_destroy(guard);
}

static void more_processes_than_there_is_room_for_go_unguarded(void **state)
{
	struct recovery *guard = create();
	pid_t pid;

	(void)state;
	for (pid = 1; pid <= RECOVERY_PROCESSES + 10; pid++)
		recovery_add_process(guard, pid);
	recovery_set_stopped(guard, RECOVERY_PROCESSES + 5, true);
	recovery_remove_process(guard, RECOVERY_PROCESSES + 5);
	for (pid = 0; pid < RECOVERY_PROCESSES; pid++)
		assert_false(recovery_table(guard)->processes[pid].stopped);
	recovery_destroy(guard);
}

static void without_a_guard_nothing_is_noted(void **state)
{
	struct insn insn = step_insn();
	unsigned number = 0;

	(void)state;
	recovery_add_process(NULL, 1);
	assert_true(recovery_plant(NULL, 1, &insn, 0, &number));
	assert_int_equal(number, 0);
	recovery_lift(NULL, 0);
	recovery_forget(NULL, 0);
	recovery_add_area(NULL, 1, 4096);
	recovery_set_call(NULL, 1, NULL);
	recovery_destroy(NULL);
}

/* A child that calls step() again and again and counts, or ends if it is wrong. */
struct child {
	pid_t pid;
	atomic_ulong *count;
	int memory;
};

static struct child start(void)
{
	struct child child;
	char path[64];

	child.count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(child.count != MAP_FAILED);
	child.pid = fork();
	while (child.pid == 0) {
		if (step(*child.count) != *child.count + 1)
			_exit(1);
		++*child.count;
	}
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)child.pid);
	child.memory = open(path, O_RDWR | O_CLOEXEC);
	assert_true(child.memory >= 0);
	return child;
}

static uint8_t first_byte(const struct child *child)
{
	uint8_t byte = 0;

	assert_int_equal(pread(child->memory, &byte, 1, (off_t)step), 1);
	return byte;
}

static void plant(const struct child *child, struct recovery *guard)
{
	static const uint8_t int3 = INT3;
	struct insn insn = step_insn();
	unsigned number = 0;

	recovery_add_process(guard, child->pid);
	assert_true(recovery_plant(guard, child->pid, &insn, 0, &number));
	assert_int_equal(pwrite(child->memory, &int3, 1, insn.address), 1);
}

static void check_it_goes_on(const struct child *child)
{
	unsigned long before = *child->count;
	int i, status;

	assert_int_equal(first_byte(child), STEP[0]);
	for (i = 0; i < 60000 && *child->count < before + 1000; i++) {
		assert_int_equal(waitpid(child->pid, &status, WNOHANG), 0);
		usleep(1000);
	}
	assert_true(*child->count >= before + 1000);
}

static void end(struct child *child)
{
	int status;

	close(child->memory);
	kill(child->pid, SIGKILL);
	waitpid(child->pid, &status, 0);
	munmap(child->count, 4096);
}

static void only_an_int3_of_ours_is_replaced(void **state)
{
	static const uint8_t other[] = {INT3, 0x90};
	struct recovery *guard = create();
	struct child child = start();

	(void)state;
	kill(child.pid, SIGSTOP);
	waitpid(child.pid, NULL, WUNTRACED);
	plant(&child, guard);
	emergency_detach_text(recovery_table(guard), child.pid, child.pid + 1);
	assert_int_equal(first_byte(&child), INT3);
	emergency_detach_text(recovery_table(guard), child.pid, child.pid);
	assert_int_equal(first_byte(&child), STEP[0]);
	/* Other code is there by now, and it has an int3 of its own. */
	assert_int_equal(pwrite(child.memory, other, sizeof(other), (off_t)step), sizeof(other));
	emergency_detach_text(recovery_table(guard), child.pid, child.pid);
	assert_int_equal(first_byte(&child), INT3);
	end(&child);
	recovery_destroy(guard);
}

static void a_tracer_frees_a_tracee_that_has_run_into_an_int3(void **state)
{
	struct recovery *guard = create();
	struct child child = start();
	siginfo_t info;

	(void)state;
	assert_int_equal(ptrace(PTRACE_SEIZE, child.pid, NULL, NULL), 0);
	plant(&child, guard);
	/* It is left to be told, as it is when a crash comes first. */
	assert_int_equal(waitid(P_PID, child.pid, &info, WSTOPPED | WNOWAIT), 0);
	emergency_detach_by_tracer(recovery_table(guard));
	assert_int_equal(ptrace(PTRACE_GETREGS, child.pid, NULL, NULL), -1);
	check_it_goes_on(&child);
	end(&child);
	recovery_destroy(guard);
}

static void trace_until_killed(const struct child *child, struct recovery *guard, int ready)
{
	const struct sigaction no_stops = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	int status;

	sigaction(SIGCHLD, &no_stops, NULL); /* which would stop us for our own tracer */
	if (ptrace(PTRACE_SEIZE, child->pid, NULL, NULL) != 0)
		_exit(1);
	plant(child, guard);
	if (waitpid(child->pid, &status, 0) != child->pid || !WIFSTOPPED(status) ||
	    write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/*
 * The tracer has been told of the stop, and the kernel would let the tracee go on behind the int3.
 */
static void what_a_killed_tracer_held_goes_on_where_it_was(void **state)
{
	struct recovery *guard = create();
	struct child child = start();
	int ready[2], status;
	pid_t tracer;
	char byte;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	tracer = fork();
	if (tracer == 0)
		trace_until_killed(&child, guard, ready[1]);
	recovery_add_process(guard, child.pid);
	assert_int_equal(ptrace(PTRACE_SEIZE, tracer, NULL, PTRACE_O_TRACEEXIT), 0);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	kill(tracer, SIGKILL);
	assert_int_equal(waitpid(tracer, &status, __WALL), tracer);
	assert_int_equal(status >> 16, PTRACE_EVENT_EXIT);
	emergency_detach_before(recovery_table(guard), tracer);
	assert_int_equal(first_byte(&child), STEP[0]);
	ptrace(PTRACE_DETACH, tracer, NULL, NULL);
	assert_int_equal(waitpid(tracer, &status, __WALL), tracer);
	assert_true(WIFSIGNALED(status));
	emergency_detach_after(recovery_table(guard));
	check_it_goes_on(&child);
	close(ready[0]);
	close(ready[1]);
	end(&child);
	recovery_destroy(guard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_planted_is_in_the_table_until_it_is_forgotten),
		cmocka_unit_test(a_table_that_is_full_is_told),
		cmocka_unit_test(more_processes_than_there_is_room_for_go_unguarded),
		cmocka_unit_test(without_a_guard_nothing_is_noted),
		cmocka_unit_test(only_an_int3_of_ours_is_replaced),
		cmocka_unit_test(a_tracer_frees_a_tracee_that_has_run_into_an_int3),
		cmocka_unit_test(what_a_killed_tracer_held_goes_on_where_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
