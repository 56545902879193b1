/* The tracee's debug registers, as ptrace(2) shows them in struct user. */
#include "debug_registers.h"

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

enum { CONTROL = 7 };

static bool debug_register_poke(pid_t tid, int number, uint64_t value)
{
	return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg) + 8UL * number,
		      value) == 0;
}

/* Switched off first: the kernel refuses addresses that would be none of what is on. */
bool debug_registers_set(pid_t tid, const struct debug_registers *wanted)
{
	uint64_t on = 0;

	if (!debug_register_poke(tid, CONTROL, 0))
		return false;
	for (int i = 0; i < DEBUG_REGISTERS; i++) {
		if (!wanted->addresses[i])
			continue;
		if (!debug_register_poke(tid, i, wanted->addresses[i]))
			return false;
		on |= UINT64_C(1) << 2 * i; /* execution, of this thread */
	}
	return !on || debug_register_poke(tid, CONTROL, on);
}
