/* The kernel's register order to DWARF's. */
#include "registers.h"

void registers_by_number(const struct user_regs_struct *registers, uint64_t *ret)
{
	const uint64_t order[] = {
		registers->rax, registers->rdx, registers->rcx, registers->rbx, registers->rsi,
		registers->rdi, registers->rbp, registers->rsp, registers->r8,  registers->r9,
		registers->r10, registers->r11, registers->r12, registers->r13, registers->r14,
		registers->r15, registers->rip,
	};

	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		ret[i] = order[i];
}
