/* The C library and sanitizers of x86-64 use fs, so gs is free. */
#include "code_runner.h"

#include <asm/prctl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { ROOM = 1 << 20, HANDLER_STACK = 1 << 16 };

/* What runs; the assembler code below and the signal handler find it here. */
struct code_state code_runner_state;
const void *code_runner_begin;
uint64_t code_runner_stack;
static const struct assembler *running;
static const struct pad_faults *running_faults;

void code_runner_call(void);
extern const char code_runner_back[];

#define EACH_GENERAL(MOVE) \
	MOVE(rax, 0)       \
	MOVE(rdx, 8)       \
	MOVE(rcx, 16)      \
	MOVE(rbx, 24)      \
	MOVE(rsi, 32)      \
	MOVE(rdi, 40)      \
	MOVE(rbp, 48)      \
	MOVE(rsp, 56)      \
	MOVE(r8, 64)       \
	MOVE(r9, 72)       \
	MOVE(r10, 80)      \
	MOVE(r11, 88)      \
	MOVE(r12, 96)      \
	MOVE(r13, 104)     \
	MOVE(r14, 112)     \
	MOVE(r15, 120)
#define LOAD_IT(name, at)  "mov code_runner_state+" #at "(%rip), %" #name "\n"
#define STORE_IT(name, at) "mov %" #name ", code_runner_state+" #at "(%rip)\n"

__asm__(".text\n"
	"code_runner_call:\n"
	"push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"mov %rsp, code_runner_stack(%rip)\n"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"movups code_runner_state+128+16*\\n(%rip), %xmm\\n\n"
	".endr\n"
	"ldmxcsr code_runner_state+384(%rip)\n" EACH_GENERAL(
		LOAD_IT) "jmp *code_runner_begin(%rip)\n"
			 "code_runner_back:\n" EACH_GENERAL(
				 STORE_IT) ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
					   "movups %xmm\\n, code_runner_state+128+16*\\n(%rip)\n"
					   ".endr\n"
					   "stmxcsr code_runner_state+384(%rip)\n"
					   "mov code_runner_stack(%rip), %rsp\n"
					   "movl $0x1f80, -8(%rsp)\n ldmxcsr -8(%rsp)\n"
					   "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
					   "ret\n");

struct assembler code_runner_start(void *block)
{
	void *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED || syscall(SYS_arch_prctl, ARCH_SET_GS, block))
		abort();
	return (struct assembler){.bytes = room, .capacity = ROOM, .address = (uintptr_t)room};
}

void code_runner_end(struct assembler *code)
{
	static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *0(%rip) */
	const uint64_t target = (uintptr_t)code_runner_back;

	assembler_bytes(code, jump, sizeof(jump));
	assembler_bytes(code, &target, sizeof(target));
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	const uint64_t at = (uint64_t)*pc - running->address;

	(void)info;
	for (size_t i = 0; running_faults && i < running_faults->n; i++) {
		if (running_faults->list[i].at != at)
			continue;
		*pc = (greg_t)(running->address + running_faults->list[i].resume);
		return;
	}
	signal(sig, SIG_DFL);
}

static void catch_faults(void)
{
	static char stack[HANDLER_STACK];
	const stack_t handler_stack = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};

	action.sa_sigaction = on_fault;
	if (sigaltstack(&handler_stack, NULL) || sigaction(SIGSEGV, &action, NULL) ||
	    sigaction(SIGBUS, &action, NULL))
		abort();
}

void code_runner_run(struct assembler *code, const struct pad_faults *faults,
		     struct code_state *state)
{
	code_runner_end(code);
	if (code->failed)
		abort();
	running = code;
	running_faults = faults;
	catch_faults();
	code_runner_state = *state;
	code_runner_begin = code->bytes;
	code_runner_call();
	*state = code_runner_state;
}

void code_runner_stop(struct assembler *code)
{
	munmap(code->bytes, code->capacity);
}
