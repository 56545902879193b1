/* Reading and writing the registers of a stopped tracee (ptrace(2)). */
#include "register_cache.h"

#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>

bool register_cache_get(struct register_cache *cache, pid_t tid, struct user_regs_struct *ret)
{
	struct user_regs_struct registers;

	register_cache_forget(cache);
	if (ptrace(PTRACE_GETREGS, tid, NULL, &registers) != 0)
		return false;
	*ret = registers;
	*cache = (struct register_cache){tid, registers};
	return true;
}

/* Setting the PC has no other effect: orig_rax, for a restarted system call, stays. */
static bool differ_in_pc_alone(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	struct user_regs_struct moved = *a;

	moved.rip = b->rip;
	return !memcmp(&moved, b, sizeof(moved));
}

bool register_cache_set(struct register_cache *cache, pid_t tid,
			const struct user_regs_struct *registers)
{
	bool pc_alone = cache->tid == tid && differ_in_pc_alone(&cache->registers, registers);

	register_cache_forget(cache);
	if (pc_alone ? ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, regs.rip),
			      registers->rip) != 0
		     : ptrace(PTRACE_SETREGS, tid, NULL, registers) != 0)
		return false;
	*cache = (struct register_cache){tid, *registers};
	return true;
}

void register_cache_forget(struct register_cache *cache)
{
	cache->tid = 0;
}
