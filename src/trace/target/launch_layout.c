/*
 * At exec the stack is argc, the pointers of argv and envp, each list with a 0 behind it, the
 * auxiliary vector, and what they point to. All pointers are absolute, so the block up to the end
 * of the vector may lie lower. Source: System V ABI, AMD64, 3.4.1; execve(2), brk(2).
 */
#include "launch_layout.h"

#include <stdlib.h>
#include <sys/syscall.h>

#include "base/mem.h"

enum { PAGE = 4096, BLOCK_MAX = 1 << 24 /* of argv, envp and the vector */ };

/* Bytes from @words to behind the vector; 0: it does not end within them. */
static size_t block_size(const uint64_t *words, size_t n)
{
	size_t i = 1, lists;

	for (lists = 0; lists < 2; lists++, i++)
		while (i < n && words[i])
			i++;
	while (i + 1 < n && words[i])
		i += 2;
	return i + 1 < n ? (i + 2) * sizeof(*words) : 0;
}

static const struct region *layout_region(const struct region *regions, size_t n, uint64_t address)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (address >= regions[i].low && address < regions[i].high)
			return &regions[i];
	return NULL;
}

static bool move_block(struct target *target, pid_t pid, const struct region *stack, uint64_t from,
		       uint64_t to)
{
	const size_t most =
		stack->high - from < BLOCK_MAX ? (size_t)(stack->high - from) : BLOCK_MAX;
	uint64_t *words = mem_alloc(most);
	struct memory_read read = {.address = from, .to = words, .size = most};
	size_t size;
	bool ok;

	target->ops->read(target->self, pid, &read, 1);
	size = read.ok ? block_size(words, most / sizeof(*words)) : 0;
	ok = size && to >= stack->low && target->ops->write(target->self, pid, to, words, size);
	free(words);
	return ok;
}

static bool move_stack(struct target *target, pid_t pid, unsigned bytes, unsigned *ret)
{
	struct user_regs_struct registers;
	const struct region *stack;
	struct region *regions;
	bool ok;
	size_t n;

	if (!target->ops->get_registers(target->self, pid, &registers))
		return false;
	*ret = registers.rsp % PAGE;
	if (!bytes)
		return true;
	n = target->ops->regions(target->self, pid, &regions);
	stack = layout_region(regions, n, registers.rsp);
	ok = stack && move_block(target, pid, stack, registers.rsp, registers.rsp - bytes);
	free(regions);
	registers.rsp -= bytes;
	*ret = registers.rsp % PAGE;
	return ok && target->ops->set_registers(target->self, pid, &registers);
}

/*
 * The kernel is still in execve(2), and will set rax to 0: whatever is called first is read(2), so
 * it reads nothing, from nowhere.
 */
static bool leave_exec(struct target *target, pid_t pid, uint64_t code)
{
	const struct remote_call call = {
		.number = SYS_read, .arguments = {UINT64_MAX}, .code = code};
	int64_t ignored;

	return target->ops->system_call(target->self, pid, &call, &ignored);
}

static bool move_break(struct target *target, pid_t pid, unsigned bytes, unsigned *ret)
{
	struct user_regs_struct registers;
	struct remote_call call = {.number = SYS_brk};
	int64_t now, moved;

	if (!target->ops->get_registers(target->self, pid, &registers))
		return false;
	call.code = registers.rip;
	if (!leave_exec(target, pid, call.code) ||
	    !target->ops->system_call(target->self, pid, &call, &now) || now <= 0)
		return false;
	*ret = (uint64_t)now % PAGE;
	if (!bytes)
		return true;
	call.arguments[0] = (uint64_t)now + bytes;
	if (!target->ops->system_call(target->self, pid, &call, &moved))
		return false;
	*ret = (uint64_t)moved % PAGE;
	return moved == now + (int64_t)bytes;
}

bool launch_layout_arrange(struct target *target, pid_t pid, const struct run_layout *layout,
			   struct run_layout *ret, struct err *err)
{
	*ret = *layout;
	if (!move_stack(target, pid, layout->bytes[LAYOUT_STACK], &ret->bytes[LAYOUT_STACK]))
		return err_set(err, ERR_TARGET,
			       "its stack cannot be moved: --layout heap,pages "
			       "leaves it where it is");
	if (!move_break(target, pid, layout->bytes[LAYOUT_HEAP], &ret->bytes[LAYOUT_HEAP]))
		return err_set(err, ERR_TARGET,
			       "its heap cannot be moved: --layout stack,pages "
			       "leaves it where it is");
	return true;
}
