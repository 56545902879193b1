/* The rescue. The processes that are rescued are children with an int3 or a jump in their code. */
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
	"gap: .fill 5, 1, 0xcc\n"
	".popsection\n");
uint64_t step(uint64_t n);
void gap(void);

static const uint8_t STEP[] = {0x48, 0x8d, 0x47, 0x01};

/* Pads for all of step(), one of which asks. */
__asm__(".pushsection .text\n"
	"pads:\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	"asking_pad:\n"
	"	int3\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	"pads_end:\n"
	".popsection\n");
void pads(void);
void asking_pad(void);
void pads_end(void);

static uint8_t blocks[4096];

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
	while (!*child.count) /* in a system call, as fork(), a thread is never behind an int3 */
		usleep(100);
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

static struct recovery_jump jump_to(void (*pad)(void))
{
	const int32_t displacement = (uint64_t)pad - ((uint64_t)step + RECOVERY_JUMP);
	struct recovery_jump jump = {
		.address = (uint64_t)step, .size = RECOVERY_JUMP, .jump = {0xe9}};

	memcpy(jump.original, (const void *)(uintptr_t)step, RECOVERY_JUMP);
	memcpy(jump.jump + 1, &displacement, sizeof(displacement));
	return jump;
}

/* The stopped child has a pad and blocks from now on. */
static void plant_pad(const struct child *child, struct recovery *guard, void (*pad)(void))
{
	const struct recovery_jump jump = jump_to(pad);
	unsigned number = 0;

	recovery_add_process(guard, child->pid);
	recovery_add_area(guard, child->pid,
			  &(struct recovery_area){.address = (uint64_t)pads,
						  .size = (uint64_t)pads_end - (uint64_t)pads,
						  .kind = RECOVERY_PADS});
	recovery_add_area(guard, child->pid,
			  &(struct recovery_area){.address = (uint64_t)blocks,
						  .size = sizeof(blocks),
						  .kind = RECOVERY_BLOCKS});
	assert_true(recovery_plant_jump(guard, child->pid, &jump, &number));
	assert_int_equal(pwrite(child->memory, jump.jump, RECOVERY_JUMP, jump.address),
			 RECOVERY_JUMP);
}

static void assert_right_text(const struct child *child)
{
	uint8_t bytes[RECOVERY_JUMP];

	assert_int_equal(pread(child->memory, bytes, sizeof(bytes), (off_t)step), sizeof(bytes));
	assert_memory_equal(bytes, (const void *)(uintptr_t)step, sizeof(bytes));
}

static void stop_child(const struct child *child)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SEIZE, child->pid, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, child->pid, NULL, NULL), 0);
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	assert_true(WIFSTOPPED(status));
}

/* Not inside of step(), where the jump is going to be. */
static void leave_step(const struct child *child)
{
	struct user_regs_struct registers;
	int status;

	do {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, child->pid, NULL, NULL), 0);
		assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
		assert_int_equal(ptrace(PTRACE_GETREGS, child->pid, NULL, &registers), 0);
	} while (registers.rip - (uint64_t)step < RECOVERY_JUMP);
}

static void only_a_jump_of_ours_is_replaced(void **state)
{
	static const uint8_t other[RECOVERY_JUMP] = {0xe9, 1, 2, 3, 4};
	struct recovery *guard = create();
	struct child child = start();
	uint8_t found[RECOVERY_JUMP];

	(void)state;
	kill(child.pid, SIGSTOP);
	waitpid(child.pid, NULL, WUNTRACED);
	plant_pad(&child, guard, pads);
	emergency_detach_text(recovery_table(guard), child.pid, child.pid);
	assert_int_equal(first_byte(&child), 0xe9); /* others may run */
	assert_int_equal(pwrite(child.memory, other, sizeof(other), (off_t)step), sizeof(other));
	emergency_detach_jumps(recovery_table(guard), child.pid, child.pid);
	assert_int_equal(pread(child.memory, found, sizeof(found), (off_t)step), sizeof(found));
	assert_memory_equal(found, other, sizeof(other));
	end(&child);
	recovery_destroy(guard);
}

static void a_tracer_frees_what_runs_in_pads(void **state)
{
	struct recovery *guard = create();
	struct child child = start();

	(void)state;
	stop_child(&child);
	leave_step(&child);
	plant_pad(&child, guard, pads);
	assert_int_equal(ptrace(PTRACE_CONT, child.pid, NULL, NULL), 0);
	emergency_detach_by_tracer(recovery_table(guard));
	assert_right_text(&child);
	check_it_goes_on(&child);
	end(&child);
	recovery_destroy(guard);
}

/* step() has a short jump to the gap, and that the one to the pad. */
static void plant_short(const struct child *child, struct recovery *guard)
{
	const uint64_t from = (uint64_t)step, middle = (uint64_t)gap;
	const int32_t displacement = (uint64_t)pads - (middle + RECOVERY_JUMP);
	struct recovery_jump far = {.address = middle, .size = RECOVERY_JUMP, .jump = {0xe9}};
	struct recovery_jump near = {
		.address = from, .size = 2, .jump = {0xeb, (uint8_t)(middle - (from + 2))}};
	unsigned number = 0;

	recovery_add_process(guard, child->pid);
	memcpy(far.original, (const void *)(uintptr_t)gap, RECOVERY_JUMP);
	memcpy(far.jump + 1, &displacement, sizeof(displacement));
	assert_true(recovery_plant_jump(guard, child->pid, &far, &number));
	assert_int_equal(pwrite(child->memory, far.jump, RECOVERY_JUMP, (off_t)middle),
			 RECOVERY_JUMP);
	memcpy(near.original, (const void *)(uintptr_t)step, 2);
	number = 0;
	assert_true(recovery_plant_jump(guard, child->pid, &near, &number));
	assert_int_equal(pwrite(child->memory, near.jump, 2, (off_t)from), 2);
}

static void go_to_gap(const struct child *child)
{
	struct user_regs_struct registers;
	int status;

	do {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, child->pid, NULL, NULL), 0);
		assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
		assert_int_equal(ptrace(PTRACE_GETREGS, child->pid, NULL, &registers), 0);
	} while (registers.rip != (uint64_t)gap);
	/* It stays there, without the signal of a step. */
	assert_int_equal(ptrace(PTRACE_INTERRUPT, child->pid, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_CONT, child->pid, NULL, NULL), 0);
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	assert_int_equal(ptrace(PTRACE_GETREGS, child->pid, NULL, &registers), 0);
	assert_int_equal(registers.rip, (uint64_t)gap);
}

/* What the gap is part of comes back, and it is on its way to the pad. */
static void a_thread_in_a_gap_goes_on_in_its_pad(void **state)
{
	struct recovery *guard = create();
	struct child child = start();
	uint8_t bytes[RECOVERY_JUMP];

	(void)state;
	stop_child(&child);
	leave_step(&child);
	plant_short(&child, guard);
	go_to_gap(&child);
	emergency_detach_by_tracer(recovery_table(guard));
	assert_right_text(&child);
	assert_int_equal(pread(child.memory, bytes, sizeof(bytes), (off_t)gap), sizeof(bytes));
	assert_memory_equal(bytes, (const void *)(uintptr_t)gap, sizeof(bytes));
	check_it_goes_on(&child);
	end(&child);
	recovery_destroy(guard);
}

static void a_pad_that_asked_a_tracer_that_ends_goes_on(void **state)
{
	struct recovery *guard = create();
	struct child child = start();
	siginfo_t info;

	(void)state;
	stop_child(&child);
	leave_step(&child);
	plant_pad(&child, guard, asking_pad);
	assert_int_equal(ptrace(PTRACE_CONT, child.pid, NULL, NULL), 0);
	assert_int_equal(waitid(P_PID, child.pid, &info, WSTOPPED | WNOWAIT), 0);
	emergency_detach_by_tracer(recovery_table(guard));
	assert_right_text(&child);
	check_it_goes_on(&child);
	end(&child);
	recovery_destroy(guard);
}

static void what_a_tracer_was_just_stepping_is_freed(void **state)
{
	const uint64_t most = ~(UINT64_C(1) << (SIGTRAP - 1));
	struct recovery *guard = create();
	struct child child = start();
	uint64_t own;
	siginfo_t info;
	char line[4096];
	FILE *file;
	bool unblocked = false;

	(void)state;
	stop_child(&child);
	recovery_add_process(guard, child.pid);
	assert_int_equal(ptrace(PTRACE_GETSIGMASK, child.pid, sizeof(own), &own), 0);
	recovery_set_mask(guard, child.pid, own);
	assert_int_equal(ptrace(PTRACE_SETSIGMASK, child.pid, sizeof(most), &most), 0);
	assert_int_equal(ptrace(PTRACE_SINGLESTEP, child.pid, NULL, NULL), 0);
	assert_int_equal(waitid(P_PID, child.pid, &info, WSTOPPED | WNOWAIT), 0);
	emergency_detach_by_tracer(recovery_table(guard));
	check_it_goes_on(&child);
	snprintf(line, sizeof(line), "/proc/%d/status", (int)child.pid);
	file = fopen(line, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		unblocked |= !strcmp(line, "SigBlk:\t0000000000000000\n");
	fclose(file);
	assert_true(unblocked);
	end(&child);
	recovery_destroy(guard);
}

/* This process stands for its parent, of which all is known. */
static void of_a_copy_that_is_not_known_yet_its_parents_breakpoints_count(void **state)
{
	static const uint8_t int3 = INT3;
	struct recovery *guard = create();
	struct child child = start();
	struct insn insn = step_insn();
	const struct recovery_jump jump = jump_to(pads);
	unsigned number = 0;

	(void)state;
	for (int jumps = 0; jumps < 2; jumps++) {
		stop_child(&child);
		leave_step(&child);
		recovery_set_mask(guard, child.pid, 0); /* it was a step of ours */
		recovery_add_process(guard, getpid());
		recovery_begin_copy(guard, getpid(), child.pid);
		number = 0;
		if (jumps) {
			assert_true(recovery_plant_jump(guard, getpid(), &jump, &number));
			assert_int_equal(
				pwrite(child.memory, jump.jump, RECOVERY_JUMP, (off_t)step),
				RECOVERY_JUMP);
		} else {
			assert_true(recovery_plant(guard, getpid(), &insn, 0, &number));
			assert_int_equal(pwrite(child.memory, &int3, 1, insn.address), 1);
		}
		emergency_detach_by_tracer(recovery_table(guard));
		assert_right_text(&child);
		check_it_goes_on(&child);
		recovery_forget(guard, number);
		recovery_remove_process(guard, child.pid);
	}
	end(&child);
	recovery_destroy(guard);
}

/* Begins to trace; false: it cannot. */
typedef bool traces(const struct child *child, struct recovery *guard);

/* A tracer of @child that was killed, and is kept where it ends. */
static pid_t killed_tracer(const struct child *child, struct recovery *guard, traces *trace)
{
	const struct sigaction no_stops = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	int ready[2], status;
	pid_t tracer;
	char byte;

	assert_int_equal(pipe(ready), 0);
	tracer = fork();
	if (tracer == 0) {
		sigaction(SIGCHLD, &no_stops, NULL); /* which would stop us for our own tracer */
		if (!trace(child, guard) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(ptrace(PTRACE_SEIZE, tracer, NULL, PTRACE_O_TRACEEXIT), 0);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	kill(tracer, SIGKILL);
	assert_int_equal(waitpid(tracer, &status, __WALL), tracer);
	assert_int_equal(status >> 16, PTRACE_EVENT_EXIT);
	return tracer;
}

static void let_tracer_end(pid_t tracer)
{
	int status;

	ptrace(PTRACE_DETACH, tracer, NULL, NULL);
	assert_int_equal(waitpid(tracer, &status, __WALL), tracer);
	assert_true(WIFSIGNALED(status));
}

static bool trace_pad(const struct child *child, struct recovery *guard)
{
	recovery_add_process(guard, child->pid);
	stop_child(child);
	leave_step(child);
	plant_pad(child, guard, pads);
	return ptrace(PTRACE_CONT, child->pid, NULL, NULL) == 0;
}

/* Its thread runs in and out of the pad meanwhile, also while half a jump would kill it. */
static void what_runs_in_pads_of_a_killed_tracer_goes_on(void **state)
{
	struct recovery *guard = create();
	struct child child = start();
	pid_t tracer;

	(void)state;
	tracer = killed_tracer(&child, guard, trace_pad);
	assert_int_equal(first_byte(&child), 0xe9);
	emergency_detach_before(recovery_table(guard), tracer);
	let_tracer_end(tracer);
	emergency_detach_after(recovery_table(guard));
	assert_right_text(&child);
	check_it_goes_on(&child);
	end(&child);
	recovery_destroy(guard);
}

static bool trace_step(const struct child *child, struct recovery *guard)
{
	int status;

	recovery_add_process(guard, child->pid);
	if (ptrace(PTRACE_SEIZE, child->pid, NULL, NULL) != 0)
		return false;
	plant(child, guard);
	return waitpid(child->pid, &status, 0) == child->pid && WIFSTOPPED(status);
}

/*
 * The tracer has been told of the stop, and the kernel would let the tracee go on behind the int3.
 */
static void what_a_killed_tracer_held_goes_on_where_it_was(void **state)
{
	struct recovery *guard = create();
	struct child child = start();
	pid_t tracer;

	(void)state;
	tracer = killed_tracer(&child, guard, trace_step);
	emergency_detach_before(recovery_table(guard), tracer);
	assert_int_equal(first_byte(&child), STEP[0]);
	let_tracer_end(tracer);
	emergency_detach_after(recovery_table(guard));
	check_it_goes_on(&child);
	end(&child);
	recovery_destroy(guard);
}

/* Its program counter is behind a breakpoint of one byte. */
static bool hold_behind(const struct child *child, struct recovery *guard)
{
	struct user_regs_struct registers;
	struct insn insn = {.size = 1};
	unsigned number = 0;

	stop_child(child);
	if (ptrace(PTRACE_GETREGS, child->pid, NULL, &registers) != 0)
		return false;
	insn.address = registers.rip - 1;
	recovery_add_process(guard, child->pid);
	recovery_plant(guard, child->pid, &insn, 0, &number);
	recovery_set_stopped_otherwise(guard, child->pid, false);
	return true;
}

static bool hold_otherwise(const struct child *child, struct recovery *guard)
{
	const bool holds = hold_behind(child, guard);

	recovery_set_stopped_otherwise(guard, child->pid, true);
	return holds;
}

static void who_was_interrupted_behind_a_breakpoint_has_not_met_it(void **state)
{
	(void)state;
	for (int otherwise = 0; otherwise < 2; otherwise++) {
		struct recovery *guard = create();
		struct child child = start();
		const pid_t tracer =
			killed_tracer(&child, guard, otherwise ? hold_otherwise : hold_behind);

		emergency_detach_before(recovery_table(guard), tracer);
		assert_int_equal(recovery_table(guard)->at_breakpoint[0],
				 otherwise ? 0 : child.pid);
		let_tracer_end(tracer);
		end(&child);
		recovery_destroy(guard);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_an_int3_of_ours_is_replaced),
		cmocka_unit_test(a_tracer_frees_a_tracee_that_has_run_into_an_int3),
		cmocka_unit_test(only_a_jump_of_ours_is_replaced),
		cmocka_unit_test(a_tracer_frees_what_runs_in_pads),
		cmocka_unit_test(a_thread_in_a_gap_goes_on_in_its_pad),
		cmocka_unit_test(a_pad_that_asked_a_tracer_that_ends_goes_on),
		cmocka_unit_test(what_a_tracer_was_just_stepping_is_freed),
		cmocka_unit_test(of_a_copy_that_is_not_known_yet_its_parents_breakpoints_count),
		cmocka_unit_test(what_runs_in_pads_of_a_killed_tracer_goes_on),
		cmocka_unit_test(what_a_killed_tracer_held_goes_on_where_it_was),
		cmocka_unit_test(who_was_interrupted_behind_a_breakpoint_has_not_met_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
