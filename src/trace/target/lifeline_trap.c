/* The handler's code, and what it reads. */
#include "lifeline_trap.h"

#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ucontext.h>

#include "trace/kernel/syscall_restart.h"

/* For the code below, which has the offsets as numbers. */
_Static_assert(offsetof(struct lifeline_trap, alive) == 56, "alive");
_Static_assert(offsetof(struct lifeline_trap, is_masked) == 64, "is_masked");
_Static_assert(offsetof(struct lifeline_trap, call_end) == 72, "call_end");
_Static_assert(offsetof(struct lifeline_trap, mask) == 80, "mask");
_Static_assert(offsetof(struct lifeline_trap, call) == 88, "call");
_Static_assert(offsetof(struct lifeline_trap, pads) == 232, "pads");
_Static_assert(offsetof(struct lifeline_trap, by_default) == 2312, "by_default");
_Static_assert(offsetof(struct lifeline_trap, code) == 2344, "code");
_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs[REG_R8]) == 40, "registers");
_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP]) == 160, "rsp");
_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP]) == 168, "rip");
_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs[REG_EFL]) == 176, "flags");
_Static_assert(offsetof(ucontext_t, uc_sigmask) == 296, "the mask");
_Static_assert(offsetof(siginfo_t, si_code) == 8, "si_code");
_Static_assert(LIFELINE_TRAP_REGISTERS == REG_EFL + 1, "registers");

_Static_assert(sizeof(struct lifeline_trap_pad) == 8, "faults");

/* edi: the signal, rsi: siginfo_t, rdx: ucontext_t. The frame has all registers. */
__asm__(".pushsection .rodata\n"
	"lifeline_trap_begin:\n"
	"	lea	lifeline_trap_begin - 2344(%rip), %rax\n"
	"	mov	56(%rax), %ecx\n"
	"	cmp	%ecx, (%rax)\n"
	"	je	9f\n" /* the tracer lives, and has let it through */
	"	mov	168(%rdx), %r8\n"
	"	mov	8(%rsi), %ecx\n"
	"	cmp	$5, %edi\n"
	"	jne	7f\n"
	"	cmp	$0x80, %ecx\n" /* SI_KERNEL: an int3 */
	"	je	1f\n"
	"	dec	%ecx\n" /* TRAP_BRKPT, TRAP_TRACE: a step */
	"	cmp	$1, %ecx\n"
	"	ja	9f\n"
	"	andq	$~0x100, 176(%rdx)\n"
	"	jmp	5f\n"
	"1:	cmp	72(%rax), %r8\n"
	"	jne	2f\n"
	"	mov	160(%rdx), %rcx\n"
	"	cmp	88 + 120(%rax), %rcx\n"
	"	jne	9f\n"
	"	lea	88(%rax), %rsi\n"
	"	lea	40(%rdx), %rdi\n"
	"	mov	$18, %ecx\n"
	"	rep movsq\n"
	"	jmp	5f\n"
	"2:	lea	232(%rax), %r9\n"
	"	mov	$128, %ecx\n"
	"3:	lea	-1(%r8), %r10\n"
	"	sub	(%r9), %r10\n"
	"	cmp	8(%r9), %r10\n"
	"	jb	8f\n"
	"	add	$16, %r9\n"
	"	dec	%ecx\n"
	"	jne	3b\n"
	/* A breakpoint in the program's code that the supervisor has lifted since. */
	"	cmpb	$0xcc, -1(%r8)\n"
	"	je	9f\n"
	"	decq	168(%rdx)\n"
	"	ret\n"
	"5:	cmpq	$0, 64(%rax)\n"
	"	je	6f\n"
	"	mov	80(%rax), %rcx\n"
	"	mov	%rcx, 296(%rdx)\n"
	"6:	ret\n"
	/* A fault: of a pad's load? */
	"7:	test	%ecx, %ecx\n"
	"	jle	9f\n" /* it was sent */
	"	lea	232(%rax), %r9\n"
	"	mov	$128, %ecx\n"
	"1:	mov	%r8, %r10\n"
	"	sub	(%r9), %r10\n"
	"	cmp	8(%r9), %r10\n"
	"	jb	2f\n"
	"	add	$16, %r9\n"
	"	dec	%ecx\n"
	"	jne	1b\n"
	"	jmp	9f\n"
	"2:	mov	(%r9), %r10\n"
	"3:	mov	%r10, %r9\n"
	"	mov	(%r9), %ecx\n"
	"	test	%ecx, %ecx\n"
	"	je	9f\n"
	"	add	%rcx, %r10\n"
	"	cmp	%r10, %r8\n"
	"	jae	3b\n"
	"	sub	%r9, %r8\n"
	"	mov	4(%r9), %ecx\n"
	"	lea	8(%r9), %r10\n"
	"4:	dec	%ecx\n"
	"	js	9f\n"
	"	cmp	%r8d, (%r10)\n"
	"	lea	8(%r10), %r10\n"
	"	jne	4b\n"
	"	mov	-4(%r10), %ecx\n"
	"	add	%r9, %rcx\n"
	"	mov	%rcx, 168(%rdx)\n"
	/* Who was stepped by us, or running to its int3, has another mask. */
	"8:	mov	296(%rdx), %rcx\n"
	"	shr	$31, %rcx\n"
	"	not	%ecx\n"
	"	test	$3, %cl\n"
	"	je	5b\n"
	"	ret\n"
	/* It takes effect when its instruction runs again, or when it is sent again. */
	"9:	mov	%edi, %r8d\n"
	"	mov	8(%rsi), %r9d\n"
	"	lea	2312(%rax), %rsi\n"
	"	xor	%edx, %edx\n"
	"	mov	$8, %r10d\n"
	"	mov	$13, %eax\n" /* rt_sigaction */
	"	syscall\n"
	"	cmp	$5, %r8d\n"
	"	je	1f\n"
	"	test	%r9d, %r9d\n"
	"	jg	6b\n"
	"1:"
	"	mov	$39, %eax\n" /* getpid */
	"	syscall\n"
	"	mov	%eax, %edi\n"
	"	mov	$186, %eax\n" /* gettid */
	"	syscall\n"
	"	mov	%eax, %esi\n"
	"	mov	%r8d, %edx\n"
	"	mov	$234, %eax\n" /* tgkill */
	"	syscall\n"
	"	ret\n"
	"lifeline_trap_restorer:\n"
	"	mov	$15, %eax\n" /* rt_sigreturn */
	"	syscall\n"
	"lifeline_trap_end:\n"
	".popsection\n");

extern const uint8_t lifeline_trap_begin[], lifeline_trap_restorer[], lifeline_trap_end[];

void lifeline_trap_init(struct lifeline_trap *page, uint64_t address)
{
	enum { RESTORER = 0x04000000 }; /* SA_RESTORER of the kernel */
	const uint64_t code = address + offsetof(struct lifeline_trap, code);

	page->alive = page->word;
	assert(lifeline_trap_end - lifeline_trap_begin <= LIFELINE_TRAP_CODE);
	memcpy(page->code, lifeline_trap_begin, (size_t)(lifeline_trap_end - lifeline_trap_begin));
	page->action = (struct lifeline_trap_action){
		.handler = code,
		.flags = (uint64_t)SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART | RESTORER,
		.restorer = code + (uint64_t)(lifeline_trap_restorer - lifeline_trap_begin),
	};
}

bool lifeline_trap_is_code(const uint8_t *code)
{
	return !memcmp(code, lifeline_trap_begin,
		       (size_t)(lifeline_trap_end - lifeline_trap_begin));
}

void lifeline_trap_note_call(struct lifeline_trap *page, const struct user_regs_struct *own,
			     uint64_t end)
{
	struct user_regs_struct is = own ? *own : (struct user_regs_struct){0};

	page->call_end = 0;
	if (!own)
		return;
	/* The kernel does not restart the call that it was in when a handler returns to it. */
	if (syscall_restart_goes_on(&is))
		syscall_restart_undo(&is);
	memcpy(page->call,
	       (uint64_t[]){is.r8, is.r9, is.r10, is.r11, is.r12, is.r13, is.r14, is.r15, is.rdi,
			    is.rsi, is.rbp, is.rbx, is.rdx, is.rax, is.rcx, is.rsp, is.rip,
			    is.eflags},
	       sizeof(page->call));
	page->call_end = end;
}

void lifeline_trap_note_mask(struct lifeline_trap *page, const uint64_t *own)
{
	page->is_masked = 0;
	if (!own)
		return;
	page->mask = *own;
	page->is_masked = 1;
}
