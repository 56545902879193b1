/* Reserving memory for pads, area by area, and mapping blocks. */
#include "pad_area.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/mem.h"
#include "pad_block.h"
#include "trace/probe/mapping.h"
#include "trace/target/lifeline.h"
#include "trace/target/lifeline_trap.h"

enum { ALIGNMENT = 16 };

struct pad_mapping {
	struct mapping mapping;
	uint64_t used; /* bytes, of code */
};

struct pad_area {
	struct mapper mapper;
	struct pad_mapping *mappings;
	size_t n, capacity;
	struct lifeline *line; /* NULL: none yet */
	uint64_t guarded;      /* signals that the lifeline's handler was set for */
	struct pad_life life;
};

struct pad_area *pad_area_create(const struct target *target, uint64_t code)
{
	struct pad_area *area = mem_alloc(sizeof(*area));

	area->mapper = (struct mapper){target, code};
	return area;
}

void pad_area_destroy(struct pad_area *area)
{
	if (!area)
		return;
	lifeline_destroy(area->line);
	free(area->mappings);
	free(area);
}

struct pad_area *pad_area_copy(const struct pad_area *area)
{
	struct pad_area *copy = pad_area_create(area->mapper.target, area->mapper.code);

	copy->mappings =
		mem_grow(copy->mappings, &copy->capacity, area->n + 1, sizeof(*copy->mappings));
	if (area->n)
		memcpy(copy->mappings, area->mappings, area->n * sizeof(*copy->mappings));
	copy->n = area->n;
	copy->line = lifeline_share(area->line);
	copy->life = area->life;
	copy->guarded = area->guarded;
	return copy;
}

static bool pad_area_map(struct pad_area *area, pid_t tid, uint64_t near, struct mapping mapping,
			 struct err *err)
{
	if (area->n == RECOVERY_AREAS / 2)
		return err_set(err, ERR_TARGET, "the pads need too much memory");
	if (!mapping_make(&area->mapper, tid, near, &mapping, err))
		return false;
	area->mappings =
		mem_grow(area->mappings, &area->capacity, area->n + 1, sizeof(*area->mappings));
	area->mappings[area->n++] = (struct pad_mapping){.mapping = mapping};
	if (area->line && mapping.kind == RECOVERY_PADS)
		lifeline_add_pads(area->line, mapping.address, mapping.size);
	return true;
}

/* A mapping within reach of @near with @size bytes left; NULL: none. */
static struct pad_mapping *find_room(const struct pad_area *area, uint64_t near, uint64_t size)
{
	for (size_t i = 0; i < area->n; i++) {
		struct pad_mapping *room = &area->mappings[i];

		if (room->mapping.kind == RECOVERY_PADS &&
		    mapping_reaches(room->mapping.address, room->mapping.size, near) &&
		    room->used + size <= room->mapping.size)
			return room;
	}
	return NULL;
}

bool pad_area_allocate(struct pad_area *area, pid_t tid, uint64_t size, uint64_t near,
		       uint64_t *ret, struct err *err)
{
	const uint64_t whole = (size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
	struct pad_mapping *room;

	if (whole > PAD_AREA_SIZE)
		return err_set(err, ERR_TARGET, "a pad of %lu bytes is too long", size);
	room = find_room(area, near, whole);
	if (!room) {
		const struct mapping mapping = {.size = PAD_AREA_SIZE, .kind = RECOVERY_PADS};

		if (!pad_area_map(area, tid, near, mapping, err))
			return false;
		room = &area->mappings[area->n - 1];
	}
	*ret = room->mapping.address + room->used;
	room->used += whole;
	return true;
}

void pad_area_reuse(struct pad_area *area)
{
	for (size_t i = 0; i < area->n; i++)
		area->mappings[i].used = 0;
}

bool pad_area_contains(const struct pad_area *area, uint64_t pc)
{
	for (size_t i = 0; i < area->n; i++)
		if (area->mappings[i].mapping.kind == RECOVERY_PADS &&
		    pc - area->mappings[i].mapping.address < area->mappings[i].mapping.size)
			return true;
	return false;
}

bool pad_area_map_blocks(struct pad_area *area, pid_t tid, size_t n, uint64_t *ret, struct err *err)
{
	const struct mapping mapping = {.size = n * PAD_BLOCK_SIZE, .kind = RECOVERY_BLOCKS};

	if (!pad_area_map(area, tid, 0, mapping, err))
		return false;
	*ret = area->mappings[area->n - 1].mapping.address;
	return true;
}

bool pad_area_is_block(const struct pad_area *area, uint64_t address)
{
	for (size_t i = 0; i < area->n; i++) {
		const struct mapping *mapping = &area->mappings[i].mapping;

		if (mapping->kind == RECOVERY_BLOCKS &&
		    address - mapping->address < mapping->size &&
		    (address - mapping->address) % PAD_BLOCK_SIZE == 0)
			return true;
	}
	return false;
}

static bool area_call(const struct pad_area *area, pid_t tid, uint64_t number,
		      const uint64_t arguments[4], int64_t *ret)
{
	const struct target *target = area->mapper.target;
	struct remote_call call = {.number = (long)number, .code = area->mapper.code};

	memcpy(call.arguments, arguments, 4 * sizeof(*arguments));

	return target->ops->system_call(target->self, tid, &call, ret) && *ret >= 0;
}

/* The inferior's part, which it cannot write to. */
static bool area_map_line(struct pad_area *area, pid_t tid, int fd, struct err *err)
{
	const struct mapping mapping = {.size = LIFELINE_SIZE, .kind = RECOVERY_LIFE, .fd = fd};

	area->line = lifeline_create(tid, fd, &area->life.alive);
	if (!area->line)
		return err_set(err, ERR_TARGET, "no memory can be shared with the program");
	if (!pad_area_map(area, tid, 0, mapping, err))
		return false;
	area->life.address = (int32_t)area->mappings[area->n - 1].mapping.address;
	lifeline_place(area->line, (uint64_t)area->life.address);
	for (size_t i = 0; i < area->n; i++)
		if (area->mappings[i].mapping.kind == RECOVERY_PADS)
			lifeline_add_pads(area->line, area->mappings[i].mapping.address,
					  area->mappings[i].mapping.size);
	return true;
}

bool pad_area_live(struct pad_area *area, pid_t tid, uint64_t zero, struct err *err)
{
	int64_t fd, ignored;
	bool done;

	if (area->life.address)
		return true;
	if (!area_call(area, tid, SYS_memfd_create,
		       (uint64_t[4]){zero, MFD_CLOEXEC | MFD_ALLOW_SEALING}, &fd))
		return err_set(err, ERR_TARGET, "the program could not be made to share memory");
	done = area_map_line(area, tid, (int)fd, err);
	area_call(area, tid, SYS_close, (uint64_t[4]){(uint64_t)fd}, &ignored);
	return done;
}

struct pad_life pad_area_life(const struct pad_area *area)
{
	return area->life;
}

/* Memory for an action, which nothing is in while no thread is in a pad; 0: none. */
static uint64_t area_find_action(const struct pad_area *area)
{
	for (size_t i = 0; i < area->n; i++)
		if (area->mappings[i].mapping.kind == RECOVERY_BLOCKS)
			return area->mappings[i].mapping.address +
			       offsetof(struct pad_block, scratch);
	return 0;
}

static bool area_action(const struct pad_area *area, pid_t tid, int signal, uint64_t action,
			uint64_t old)
{
	int64_t ignored;

	return area_call(area, tid, SYS_rt_sigaction,
			 (uint64_t[]){(uint64_t)signal, action, old, 8}, &ignored);
}

static uint64_t area_place(const struct pad_area *area, size_t offset)
{
	return (uint64_t)area->life.address + offset;
}

static uint64_t area_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

void pad_area_guard(struct pad_area *area, pid_t tid, int signal)
{
	const uint64_t action = area_place(area, offsetof(struct lifeline_trap, action));
	const uint64_t old = area_find_action(area);

	if (area->line && old && area_action(area, tid, signal, action, old))
		area->guarded |= area_bit(signal);
}

uint64_t pad_area_guarded(const struct pad_area *area)
{
	return area->guarded;
}

/* Unless the program has set a handler of its own since. */
static void area_unguard(struct pad_area *area, pid_t tid, int signal)
{
	const struct target *target = area->mapper.target;
	const uint64_t old = area_find_action(area);
	uint64_t handler;
	struct memory_read read = {.address = old, .to = &handler, .size = sizeof(handler)};

	if (!(area->guarded & area_bit(signal)) || !area_action(area, tid, signal, 0, old))
		return;
	target->ops->read(target->self, tid, &read, 1);
	if (read.ok && handler == area_place(area, offsetof(struct lifeline_trap, code)))
		area_action(area, tid, signal,
			    area_place(area, offsetof(struct lifeline_trap, by_default)), 0);
	area->guarded &= ~area_bit(signal);
}

void pad_area_unmap(struct pad_area *area, pid_t tid)
{
	area_unguard(area, tid, SIGBUS);
	area_unguard(area, tid, SIGSEGV);
	area_unguard(area, tid, SIGTRAP);
	while (area->n)
		mapping_remove(&area->mapper, tid, &area->mappings[--area->n].mapping);
}
