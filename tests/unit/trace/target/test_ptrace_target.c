/*
 * Requests to a live tracee: single steps, many writes at once, the gs base, and the stop before a
 * thread ends. The tracee is a child that is put at the code below.
 */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "trace/target/ptrace_launch.h"

__asm__(".pushsection .text\n"
	"at_idle:\n"
	"	pause\n"
	"	jmp at_idle\n"
	"at_steps:\n"
	"	lea 1(%rax), %rax\n"
	"at_steps_2:\n"
	"	inc %rbx\n"
	"at_steps_3:\n"
	"	jmp at_idle\n"
	"at_syscall:\n"
	"	syscall\n"
	"	jmp at_idle\n"
	"at_fault:\n"
	"	mov (%rdi), %rax\n"
	"at_fault_2:\n"
	"	jmp at_idle\n"
	"at_pushf:\n"
	"	pushf\n"
	"at_pushf_2:\n"
	"	jmp at_idle\n"
	"at_int3:\n"
	"	int3\n"
	"at_int3_2:\n"
	"	jmp at_idle\n"
	"at_gs:\n"
	"	movq %gs:8, %rax\n"
	"at_gs_2:\n"
	"	jmp at_idle\n"
	".popsection\n");
void at_idle(void);
void at_steps(void);
void at_steps_2(void);
void at_steps_3(void);
void at_syscall(void);
void at_fault(void);
void at_fault_2(void);
void at_pushf(void);
void at_pushf_2(void);
void at_int3(void);
void at_int3_2(void);
void at_gs(void);
void at_gs_2(void);

/* What parent and child share. */
struct shared {
	atomic_int signal, value; /* that a handler was called with */
	atomic_bool may_go, may_end;
	uint64_t words[2]; /* the second is what gs:8 reads */
	uint64_t own[2];   /* of a second thread */
	_Atomic uint64_t got, got_own;
};

static struct shared *shared;

static void on_signal(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	shared->value = info->si_value.sival_int;
	shared->signal = number;
	if (number == SIGSEGV)
		registers[REG_RIP] = (greg_t)at_fault_2;
}

static void be_tracee(void (*run)(void))
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	run();
	_exit(0);
}

static struct stop next_stop(const struct target *target)
{
	struct stop stop;

	assert_int_equal(target->ops->wait(target->self, 0, &stop), WAIT_STOP);
	return stop;
}

static pid_t start(void (*run)(void), struct target *ret)
{
	pid_t pid;
	pid_t *tids;
	struct err err;
	size_t n;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED);
	pid = fork();
	if (pid == 0)
		be_tracee(run);
	assert_true(ptrace_target_attach(pid, ret, &tids, &n, &err));
	free(tids);
	return pid;
}

/* Stopped in at_idle(). */
static pid_t start_idle(struct target *ret)
{
	struct user_regs_struct registers;
	pid_t pid = start(at_idle, ret);
	uint64_t ignored;

	for (;;) {
		assert_true(ret->ops->interrupt(ret->self, pid));
		assert_int_equal(next_stop(ret).kind, STOP_EVENT);
		assert_true(ret->ops->get_registers(ret->self, pid, &registers));
		if (registers.rip - (uint64_t)at_idle < 4)
			return pid;
		assert_true(ret->ops->resume(ret->self, pid, 0, &ignored));
	}
}

static void end(struct target *target, pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	while (waitpid(-1, &status, __WALL) > 0)
		if (WIFSTOPPED(status))
			ptrace(PTRACE_CONT, pid, NULL, NULL);
	target->ops->destroy(target->self);
	munmap(shared, 4096);
}

static struct user_regs_struct registers_of(const struct target *target, pid_t tid)
{
	struct user_regs_struct registers;

	assert_true(target->ops->get_registers(target->self, tid, &registers));
	return registers;
}

static void put_at(const struct target *target, pid_t tid, void (*code)(void))
{
	struct user_regs_struct registers = registers_of(target, tid);

	registers.rip = (uint64_t)code;
	registers.orig_rax = -1;
	registers.rax = registers.rbx = 100;
	assert_true(target->ops->set_registers(target->self, tid, &registers));
}

static int step(const struct target *target, pid_t tid)
{
	int signal = -1;

	assert_true(target->ops->step(target->self, tid, &signal));
	return signal;
}

static void await(const atomic_int *what, int number)
{
	while (*what != number)
		usleep(1000);
}

static void resume(const struct target *target, pid_t tid, int signal)
{
	uint64_t ignored;

	assert_true(target->ops->resume(target->self, tid, signal, &ignored));
}

static void a_step_executes_one_instruction(void **state)
{
	struct user_regs_struct registers;
	struct target target;
	pid_t pid = start_idle(&target);

	(void)state;
	put_at(&target, pid, at_steps);
	assert_int_equal(step(&target, pid), 0);
	registers = registers_of(&target, pid);
	assert_int_equal(registers.rip, (uint64_t)at_steps_2);
	assert_int_equal(registers.rax, 101);
	assert_int_equal(registers.rbx, 100);
	assert_int_equal(step(&target, pid), 0);
	registers = registers_of(&target, pid);
	assert_int_equal(registers.rip, (uint64_t)at_steps_3);
	assert_int_equal(registers.rbx, 101);
	end(&target, pid);
}

static void signals_that_come_wait_until_the_step_is_over(void **state)
{
	struct target target;
	pid_t pid = start_idle(&target);
	struct stop stop;

	(void)state;
	put_at(&target, pid, at_steps);
	kill(pid, SIGUSR1);
	assert_int_equal(step(&target, pid), 0);
	assert_int_equal(registers_of(&target, pid).rip, (uint64_t)at_steps_2);
	resume(&target, pid, 0);
	stop = next_stop(&target);
	assert_int_equal(stop.kind, STOP_SIGNAL);
	assert_int_equal(stop.number, SIGUSR1);
	resume(&target, pid, SIGUSR1);
	await(&shared->signal, SIGUSR1);
	end(&target, pid);
}

static void a_signal_that_is_being_delivered_keeps_what_comes_with_it(void **state)
{
	const union sigval value = {.sival_int = 4711};
	struct target target;
	pid_t pid = start_idle(&target);

	(void)state;
	resume(&target, pid, 0);
	sigqueue(pid, SIGUSR1, value);
	assert_int_equal(next_stop(&target).number, SIGUSR1);
	put_at(&target, pid, at_steps);
	assert_int_equal(step(&target, pid), 0);
	assert_int_equal(shared->signal, 0);
	resume(&target, pid, SIGUSR1);
	await(&shared->signal, SIGUSR1);
	assert_int_equal(shared->value, 4711);
	end(&target, pid);
}

static void the_step_of_a_stopped_process_leaves_it_stopped(void **state)
{
	struct target target;
	pid_t pid = start_idle(&target);
	struct stop stop;

	(void)state;
	resume(&target, pid, 0);
	kill(pid, SIGSTOP);
	stop = next_stop(&target);
	assert_int_equal(stop.kind, STOP_SIGNAL);
	resume(&target, pid, SIGSTOP);
	assert_int_equal(next_stop(&target).kind, STOP_GROUP);
	put_at(&target, pid, at_steps);
	assert_int_equal(step(&target, pid), 0);
	assert_int_equal(registers_of(&target, pid).rip, (uint64_t)at_steps_2);
	resume(&target, pid, 0);
	assert_int_equal(next_stop(&target).kind, STOP_GROUP);
	end(&target, pid);
}

static void an_interrupt_that_is_due_is_not_lost(void **state)
{
	struct target target;
	pid_t pid = start_idle(&target);

	(void)state;
	put_at(&target, pid, at_steps);
	assert_true(target.ops->interrupt(target.self, pid));
	assert_int_equal(step(&target, pid), 0);
	assert_int_equal(registers_of(&target, pid).rip, (uint64_t)at_steps_2);
	resume(&target, pid, 0);
	assert_int_equal(next_stop(&target).kind, STOP_EVENT);
	end(&target, pid);
}

static void a_system_call_is_not_stepped_into(void **state)
{
	struct target target;
	pid_t pid = start_idle(&target);
	int signal;

	(void)state;
	put_at(&target, pid, at_syscall);
	assert_false(target.ops->step(target.self, pid, &signal));
	assert_int_equal(registers_of(&target, pid).rip, (uint64_t)at_syscall);
	end(&target, pid);
}

static void sleep_long(void)
{
	shared->signal = 1;
	for (;;)
		sleep(1000);
}

static void nor_one_that_it_is_in(void **state)
{
	struct target target;
	pid_t pid = start(sleep_long, &target);
	struct user_regs_struct registers;
	int signal;

	(void)state;
	await(&shared->signal, 1);
	do {
		usleep(1000);
		assert_true(target.ops->interrupt(target.self, pid));
		assert_int_equal(next_stop(&target).kind, STOP_EVENT);
		registers = registers_of(&target, pid);
		if ((int64_t)registers.orig_rax < 0)
			resume(&target, pid, 0);
	} while ((int64_t)registers.orig_rax < 0);
	assert_false(target.ops->step(target.self, pid, &signal));
	end(&target, pid);
}

static void a_fault_of_the_instruction_is_told_and_can_be_delivered(void **state)
{
	struct user_regs_struct registers;
	struct target target;
	pid_t pid = start_idle(&target);

	(void)state;
	put_at(&target, pid, at_fault);
	registers = registers_of(&target, pid);
	registers.rdi = 8;
	assert_true(target.ops->set_registers(target.self, pid, &registers));
	assert_int_equal(step(&target, pid), SIGSEGV);
	assert_int_equal(registers_of(&target, pid).rip, (uint64_t)at_fault);
	resume(&target, pid, SIGSEGV);
	await(&shared->signal, SIGSEGV); /* its action is what it was */
	end(&target, pid);
}

static void an_int3_is_told(void **state)
{
	struct target target;
	pid_t pid = start_idle(&target);

	(void)state;
	put_at(&target, pid, at_int3);
	assert_int_equal(step(&target, pid), SIGTRAP);
	assert_int_equal(registers_of(&target, pid).rip, (uint64_t)at_int3_2);
	end(&target, pid);
}

static void no_trap_flag_is_pushed(void **state)
{
	struct target target;
	pid_t pid = start_idle(&target);
	uint64_t flags = 0;
	struct memory_read read = {.to = &flags, .size = sizeof(flags)};

	(void)state;
	put_at(&target, pid, at_pushf);
	assert_int_equal(step(&target, pid), 0);
	read.address = registers_of(&target, pid).rsp;
	target.ops->read(target.self, pid, &read, 1);
	assert_true(read.ok);
	assert_int_equal(flags & 0x100, 0);
	assert_int_equal(flags & 2, 2); /* always set: flags they are */
	assert_int_equal(registers_of(&target, pid).eflags & 0x100, 0);
	end(&target, pid);
}

static void what_was_killed_makes_no_step(void **state)
{
	struct target target;
	pid_t pid = start_idle(&target);
	struct stop stop;
	int signal;

	(void)state;
	put_at(&target, pid, at_steps);
	kill(pid, SIGKILL);
	assert_false(target.ops->step(target.self, pid, &signal));
	stop = next_stop(&target);
	assert_int_equal(stop.kind, STOP_KILLED);
	assert_int_equal(stop.tid, pid);
	end(&target, pid);
}

enum { WRITES = 3000 };

static uint64_t places[WRITES];
static const uint64_t unwritable = 1;

static void many_places_are_written_also_those_that_are_read_only(void **state)
{
	static uint64_t numbers[WRITES];
	static struct memory_write writes[WRITES + 2];
	struct target target;
	pid_t pid = start_idle(&target);
	uint64_t found[2];
	struct memory_read reads[] = {
		{.address = (uint64_t)&places[WRITES - 1], .to = &found[0], .size = 8},
		{.address = (uint64_t)&unwritable, .to = &found[1], .size = 8},
	};
	size_t i;

	(void)state;
	resume(&target, pid, 0); /* it need not be stopped */
	for (i = 0; i < WRITES; i++) {
		numbers[i] = i + 1;
		writes[i] = (struct memory_write){(uint64_t)&places[i], &numbers[i], 8};
	}
	writes[WRITES - 1].address = (uint64_t)&unwritable;
	writes[WRITES] = (struct memory_write){(uint64_t)&places[WRITES - 1], &numbers[6], 8};
	assert_true(target.ops->write_many(target.self, pid, writes, WRITES + 1));
	target.ops->read(target.self, pid, reads, 2);
	assert_int_equal(found[0], 7);
	assert_int_equal(found[1], WRITES);
	writes[1].address = 8; /* not mapped */
	numbers[6] = 8;
	assert_false(target.ops->write_many(target.self, pid, writes, WRITES + 1));
	target.ops->read(target.self, pid, reads, 2);
	assert_int_equal(found[0], 8);
	end(&target, pid);
}

static uint64_t read_gs(const struct target *target, pid_t tid, uint64_t base)
{
	struct user_regs_struct registers = registers_of(target, tid);

	registers.gs_base = base;
	assert_true(target->ops->set_registers(target->self, tid, &registers));
	put_at(target, tid, at_gs);
	assert_int_equal(step(target, tid), 0);
	return registers_of(target, tid).rax;
}

static void the_gs_base_of_a_thread_is_what_it_was_set_to(void **state)
{
	struct target target;
	pid_t pid = start_idle(&target);

	(void)state;
	shared->words[1] = 17;
	shared->own[1] = 18;
	assert_int_equal(registers_of(&target, pid).gs_base, 0);
	assert_int_equal(read_gs(&target, pid, (uint64_t)shared->words), 17);
	assert_int_equal(read_gs(&target, pid, (uint64_t)shared->own), 18);
	resume(&target, pid, 0);
	usleep(2000);
	assert_true(target.ops->interrupt(target.self, pid));
	assert_int_equal(next_stop(&target).kind, STOP_EVENT);
	assert_int_equal(registers_of(&target, pid).gs_base, (uint64_t)shared->own);
	end(&target, pid);
}

static uint64_t gs_word(void)
{
	uint64_t word;

	__asm__ volatile("movq %%gs:8, %0" : "=r"(word));
	return word;
}

static void *second_thread(void *unused)
{
	shared->got_own = gs_word();
	while (!shared->may_end)
		usleep(1000);
	return unused;
}

static void run_two_threads(void)
{
	pthread_t thread;

	while (!shared->may_go)
		usleep(1000);
	pthread_create(&thread, NULL, second_thread, NULL);
	shared->got = gs_word();
	pthread_join(thread, NULL);
	while (true)
		sleep(1000);
}

/* Resume whoever stops until there is a stop of @kind. */
static struct stop run_until(const struct target *target, enum stop_kind kind)
{
	for (;;) {
		struct stop stop = next_stop(target);

		if (stop.kind == kind)
			return stop;
		if (stop.kind == STOP_EXITED || stop.kind == STOP_KILLED)
			fail_msg("%d ended", (int)stop.tid);
		resume(target, stop.tid, 0);
	}
}

static void set_gs(const struct target *target, pid_t tid, uint64_t base)
{
	struct user_regs_struct registers = registers_of(target, tid);

	registers.gs_base = base;
	assert_true(target->ops->set_registers(target->self, tid, &registers));
}

static void a_new_thread_gets_one_of_its_own_and_stops_before_it_ends(void **state)
{
	struct target target;
	pid_t pid = start(run_two_threads, &target);
	uint64_t word = 0;
	struct memory_read read = {.address = (uint64_t)shared->own, .to = &word, .size = 8};
	struct stop birth, stop;

	(void)state;
	shared->words[1] = 17;
	shared->own[0] = 5;
	shared->own[1] = 18;
	assert_true(target.ops->interrupt(target.self, pid));
	assert_int_equal(next_stop(&target).kind, STOP_EVENT);
	set_gs(&target, pid, (uint64_t)shared->words);
	assert_true(target.ops->tell_exits(target.self, pid));
	shared->may_go = true;
	resume(&target, pid, 0);
	birth = next_stop(&target);
	if (birth.kind == STOP_CLONE) {
		resume(&target, pid, 0);
		birth = next_stop(&target);
	} else {
		assert_int_equal(run_until(&target, STOP_CLONE).child, birth.tid);
		resume(&target, pid, 0);
	}
	assert_int_equal(birth.kind, STOP_EVENT);
	assert_int_not_equal(birth.tid, pid);
	set_gs(&target, birth.tid, (uint64_t)shared->own);
	resume(&target, birth.tid, 0);
	while (shared->got != 17 || shared->got_own != 18)
		usleep(1000);
	shared->may_end = true;
	stop = run_until(&target, STOP_EXITING);
	assert_int_equal(stop.tid, birth.tid);
	assert_int_equal(registers_of(&target, stop.tid).gs_base, (uint64_t)shared->own);
	target.ops->read(target.self, stop.tid, &read, 1);
	assert_int_equal(word, 5);
	resume(&target, stop.tid, 0);
	assert_int_equal(next_stop(&target).kind, STOP_EXITED);
	end(&target, pid);
}

static void nobody_stops_before_the_end_who_was_not_asked_to(void **state)
{
	struct target target;
	pid_t pid = start_idle(&target);
	struct user_regs_struct registers;

	(void)state;
	put_at(&target, pid, at_syscall);
	registers = registers_of(&target, pid);
	registers.rax = 60; /* exit */
	registers.rdi = 3;
	assert_true(target.ops->set_registers(target.self, pid, &registers));
	resume(&target, pid, 0);
	assert_int_equal(next_stop(&target).kind, STOP_EXITED);
	target.ops->destroy(target.self);
	munmap(shared, 4096);
}

/* It is stopped at its end already, where no SIGKILL wakes it. */
static void what_was_launched_is_ended_at_its_end(void **state)
{
	char *const argv[] = {"true", NULL};
	struct target target;
	struct err err;
	pid_t tid;

	(void)state;
	assert_true(ptrace_launch(&(struct launch){"/bin/true", argv, false}, &target, &tid, &err));
	assert_true(target.ops->tell_exits(target.self, tid));
	resume(&target, tid, 0);
	run_until(&target, STOP_EXITING);
	alarm(20);
	target.ops->destroy(target.self);
	alarm(0);
	assert_int_equal(kill(tid, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_executes_one_instruction),
		cmocka_unit_test(signals_that_come_wait_until_the_step_is_over),
		cmocka_unit_test(a_signal_that_is_being_delivered_keeps_what_comes_with_it),
		cmocka_unit_test(the_step_of_a_stopped_process_leaves_it_stopped),
		cmocka_unit_test(an_interrupt_that_is_due_is_not_lost),
		cmocka_unit_test(a_system_call_is_not_stepped_into),
		cmocka_unit_test(nor_one_that_it_is_in),
		cmocka_unit_test(a_fault_of_the_instruction_is_told_and_can_be_delivered),
		cmocka_unit_test(an_int3_is_told),
		cmocka_unit_test(no_trap_flag_is_pushed),
		cmocka_unit_test(what_was_killed_makes_no_step),
		cmocka_unit_test(many_places_are_written_also_those_that_are_read_only),
		cmocka_unit_test(the_gs_base_of_a_thread_is_what_it_was_set_to),
		cmocka_unit_test(a_new_thread_gets_one_of_its_own_and_stops_before_it_ends),
		cmocka_unit_test(nobody_stops_before_the_end_who_was_not_asked_to),
		cmocka_unit_test(what_was_launched_is_ended_at_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
