/* What a thread does at a SIGTRAP of ours when its tracer is dead. There is no tracer here. */
#include "check.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/target/lifeline_trap.h"

/* Each returns its argument and 1. */
__asm__(".pushsection .text\n"
	".type trap_asks, @function\n"
	"trap_asks:\n"
	"	lea 1(%rdi), %rax\n"
	"	int3\n"
	"	ret\n"
	".size trap_asks, . - trap_asks\n"
	".type trap_steps, @function\n"
	"trap_steps:\n"
	"	pushf\n"
	"	orq $0x100, (%rsp)\n"
	"	popf\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	".size trap_steps, . - trap_steps\n"
	/* Two pads: the second follows its argument, and goes on with 6 where it leads nowhere. */
	".balign 16\n"
	"trap_pads:\n"
	".int 16, 1, 12, 14\n"
	"trap_pad:\n"
	".int trap_pads_end - trap_pad, 2, trap_pad_end - trap_pad, 0\n"
	".int trap_looks - trap_pad, trap_resumes - trap_pad\n"
	".type trap_looks, @function\n"
	"trap_looks:\n"
	"	mov (%rdi), %rax\n"
	"	ret\n"
	"trap_resumes:\n"
	"	mov $6, %eax\n"
	"	ret\n"
	"trap_pad_end:\n"
	".size trap_looks, . - trap_looks\n"
	".balign 16\n"
	"trap_pads_end:\n"
	/* It notes its registers in the page that it gets, with 41 as the argument, and loses them. */
	".type trap_calls, @function\n"
	"trap_calls:\n"
	"	lea 88(%rdi), %rax\n"
	"	mov %r12, 32(%rax)\n"
	"	mov %r13, 40(%rax)\n"
	"	mov %r14, 48(%rax)\n"
	"	mov %r15, 56(%rax)\n"
	"	movq $41, 64(%rax)\n"
	"	mov %rbp, 80(%rax)\n"
	"	mov %rbx, 88(%rax)\n"
	"	mov %rsp, 120(%rax)\n"
	"	lea trap_called(%rip), %rcx\n"
	"	mov %rcx, 128(%rax)\n"
	"	movq $0x202, 136(%rax)\n"
	"	xor %ebx, %ebx\n"
	"	xor %ebp, %ebp\n"
	"	xor %r12d, %r12d\n"
	"	xor %edi, %edi\n"
	"	int3\n"
	"trap_calls_end:\n"
	"	jmp trap_calls_end - 1\n"
	"trap_called:\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	".size trap_calls, . - trap_calls\n"
	".popsection\n");
long trap_asks(long n);
long trap_looks(const long *where);
long trap_steps(long n);
long trap_calls(struct lifeline_trap *page);
extern const uint8_t trap_calls_end[], trap_pads[], trap_pads_end[];

enum { SIZE = 4096, HERE = 16 /* bytes of each function, at most */ };

static struct lifeline_trap *make_page(bool dead)
{
	struct lifeline_trap *page = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(page != MAP_FAILED);
	page->word = 7;
	lifeline_trap_init(page, (uint64_t)page);
	page->word = dead ? 0x40000000 : 7;
	if (syscall(SYS_rt_sigaction, SIGTRAP, &page->action, NULL, 8) != 0)
		abort();
	return page;
}

static void add_pads(struct lifeline_trap *page, long (*function)(long))
{
	page->pads[0].low = (uint64_t)function;
	page->pads[0].size = HERE;
}

/* What becomes of a child that does @what: its exit status, or the number of the signal, below 0. */
static int outcome(int (*what)(void))
{
	const pid_t child = fork();
	int status;

	if (child == 0)
		_exit(what());
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int ask_the_dead(void)
{
	struct lifeline_trap *page = make_page(true);

	page->pads[LIFELINE_TRAP_PADS - 1].low = (uint64_t)trap_asks;
	page->pads[LIFELINE_TRAP_PADS - 1].size = HERE;
	return (int)(trap_asks(4) + trap_asks(5));
}

static int ask_the_living(void)
{
	add_pads(make_page(false), trap_asks);
	return (int)trap_asks(4);
}

static int meet_another_int3(void)
{
	add_pads(make_page(true), trap_steps);
	return (int)trap_asks(4);
}

static int be_sent_one(void)
{
	add_pads(make_page(true), trap_asks);
	raise(SIGTRAP);
	return 0;
}

/* What @function gives to a thread with @mask beside a note of @noted; 99: its mask is not @left. */
static int masked(long (*function)(long), uint64_t mask, uint64_t noted, uint64_t left)
{
	struct lifeline_trap *page = make_page(true);
	uint64_t now;
	int result;

	add_pads(page, trap_asks);
	lifeline_trap_note_mask(page, &noted);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
	result = (int)function(4);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &now, sizeof(now));
	return now == left ? result : 99;
}

enum { OWN = 1 << (SIGUSR1 - 1), OTHER = 1 << (SIGUSR2 - 1) };

/* As the tracer blocks them; SIGKILL and SIGSTOP cannot be. */
static const uint64_t ours = ~(UINT64_C(1) << (SIGTRAP - 1));

static int step(void)
{
	return masked(trap_steps, ours, OWN, OWN);
}

static int run_to_an_int3(void)
{
	return masked(trap_asks, ours, OWN, OWN);
}

static int ask_beside_one_that_runs(void)
{
	return masked(trap_asks, OWN, OTHER, OWN);
}

static void follow(bool dead, int signal)
{
	struct lifeline_trap *page = make_page(dead);

	page->pads[1].low = (uint64_t)trap_pads;
	page->pads[1].size = (uint64_t)(trap_pads_end - trap_pads);
	if (syscall(SYS_rt_sigaction, signal, &page->action, NULL, 8) != 0)
		abort();
}

static int follow_a_bad_pointer(void)
{
	follow(true, SIGSEGV);
	return (int)trap_looks((const long *)8);
}

static int follow_beyond_a_file(void)
{
	const int file = memfd_create("", 0);
	const long *behind = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, file, 0);

	follow(true, SIGBUS);
	return (int)trap_looks(behind);
}

static int follow_while_it_lives(void)
{
	follow(false, SIGSEGV);
	return (int)trap_looks((const long *)8);
}

static int fault_elsewhere(void)
{
	follow(true, SIGSEGV);
	return *(volatile char *)SIZE;
}

static int be_sent_a_fault(void)
{
	follow(true, SIGSEGV);
	raise(SIGSEGV);
	return 0;
}

static int be_made_to_call(void)
{
	struct lifeline_trap *page = make_page(true);

	lifeline_trap_note_call(page, &(const struct user_regs_struct){.orig_rax = UINT64_MAX},
				(uint64_t)trap_calls_end);
	return (int)trap_calls(page);
}

static void the_program_goes_on_behind_an_int3_of_a_pad(void **state)
{
	(void)state;
	assert_int_equal(outcome(ask_the_dead), 11);
}

static void any_other_ends_it_as_it_would_without_us(void **state)
{
	(void)state;
	assert_int_equal(outcome(meet_another_int3), -SIGTRAP);
	assert_int_equal(outcome(be_sent_one), -SIGTRAP);
	assert_int_equal(outcome(ask_the_living), -SIGTRAP);
}

static void a_step_or_run_of_ours_leaves_nothing_but_its_own_mask(void **state)
{
	(void)state;
	assert_int_equal(outcome(step), 5);
	assert_int_equal(outcome(run_to_an_int3), 5);
	assert_int_equal(outcome(ask_beside_one_that_runs), 5);
}

static void a_load_of_a_pad_that_faults_is_passed(void **state)
{
	(void)state;
	assert_int_equal(outcome(follow_a_bad_pointer), 6);
	assert_int_equal(outcome(follow_beyond_a_file), 6);
	assert_int_equal(outcome(follow_while_it_lives), -SIGSEGV);
	assert_int_equal(outcome(fault_elsewhere), -SIGSEGV);
	assert_int_equal(outcome(be_sent_a_fault), -SIGSEGV);
}

static void who_was_made_to_do_a_system_call_gets_its_registers_back(void **state)
{
	(void)state;
	assert_int_equal(outcome(be_made_to_call), 42);
}

static void a_call_that_was_interrupted_is_made_again(void **state)
{
	struct lifeline_trap page = {.is_masked = 0};
	const struct user_regs_struct own = {
		.rip = 100, .rax = (unsigned long)-512, .orig_rax = SYS_futex, .cs = 0x33};

	(void)state;
	lifeline_trap_note_call(&page, &own, 1);
	assert_int_equal(page.call[16], 98); /* rip, rax */
	assert_int_equal(page.call[13], SYS_futex);
	assert_int_equal(page.call_end, 1);
	lifeline_trap_note_call(&page, NULL, 0);
	assert_int_equal(page.call_end, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_program_goes_on_behind_an_int3_of_a_pad),
		cmocka_unit_test(any_other_ends_it_as_it_would_without_us),
		cmocka_unit_test(a_step_or_run_of_ours_leaves_nothing_but_its_own_mask),
		cmocka_unit_test(a_load_of_a_pad_that_faults_is_passed),
		cmocka_unit_test(who_was_made_to_do_a_system_call_gets_its_registers_back),
		cmocka_unit_test(a_call_that_was_interrupted_is_made_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
