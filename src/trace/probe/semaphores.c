/* Others may raise and lower them, too: what is written is one more or less than what is there. */
#include "semaphores.h"

#include <inttypes.h>

#include "base/mem.h"

static bool counter_read(const struct target *target, pid_t tid, uint64_t address, uint16_t *ret)
{
	struct memory_read read = {.address = address, .to = ret, .size = sizeof(*ret)};

	target->ops->read(target->self, tid, &read, 1);
	return read.ok;
}

static bool counter_write(const struct target *target, pid_t tid, uint64_t address, uint16_t count)
{
	return target->ops->write(target->self, tid, address, &count, sizeof(count));
}

static bool semaphores_have(const struct semaphores *semaphores, uint64_t address)
{
	for (size_t i = 0; i < semaphores->n; i++)
		if (semaphores->list[i].address == address)
			return true;
	return false;
}

/* @count: as it is when it is raised. */
static bool semaphores_add(struct semaphores *semaphores, uint64_t address, uint16_t count)
{
	struct semaphore semaphore = {.address = address};

	if (!recovery_raise(semaphores->guard, semaphores->pid, address, count, &semaphore.guarded))
		return false;
	semaphores->list = mem_grow(semaphores->list, &semaphores->capacity, semaphores->n + 1,
				    sizeof(*semaphores->list));
	semaphores->list[semaphores->n++] = semaphore;
	return true;
}

bool semaphores_raise(struct semaphores *semaphores, pid_t tid, uint64_t address, struct err *err)
{
	const struct target *target = semaphores->target;
	uint16_t count;

	if (semaphores_have(semaphores, address))
		return true;
	if (!counter_read(target, tid, address, &count) || count == UINT16_MAX ||
	    !semaphores_add(semaphores, address, count + 1))
		return err_set(err, ERR_TARGET, "its semaphore at %#" PRIx64 " cannot be raised",
			       address);
	if (counter_write(target, tid, address, count + 1))
		return true;
	recovery_forget(semaphores->guard, semaphores->list[--semaphores->n].guarded);
	return err_set(err, ERR_TARGET, "its semaphore at %#" PRIx64 " cannot be written", address);
}

void semaphores_lower_in(const struct semaphores *semaphores, pid_t tid)
{
	uint16_t count;

	for (size_t i = 0; i < semaphores->n; i++)
		if (counter_read(semaphores->target, tid, semaphores->list[i].address, &count) &&
		    count)
			counter_write(semaphores->target, tid, semaphores->list[i].address,
				      count - 1);
}

void semaphores_lower(struct semaphores *semaphores, pid_t tid)
{
	semaphores_lower_in(semaphores, tid);
	semaphores_forget(semaphores, 0, UINT64_MAX);
}

void semaphores_copy(const struct semaphores *semaphores, struct semaphores *ret)
{
	uint16_t count;

	for (size_t i = 0; i < semaphores->n; i++)
		if (counter_read(ret->target, ret->pid, semaphores->list[i].address, &count))
			semaphores_add(ret, semaphores->list[i].address, count);
}

void semaphores_forget(struct semaphores *semaphores, uint64_t low, uint64_t high)
{
	size_t n = 0;

	for (size_t i = 0; i < semaphores->n; i++) {
		const struct semaphore *semaphore = &semaphores->list[i];

		if (semaphore->address >= low && semaphore->address < high)
			recovery_forget(semaphores->guard, semaphore->guarded);
		else
			semaphores->list[n++] = *semaphore;
	}
	semaphores->n = n;
}
