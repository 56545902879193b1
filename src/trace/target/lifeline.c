/* The tracer's side: the memory, and the mutex in it. */
#include "lifeline.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "lifeline_trap.h"
#include "recovery.h"
#include "trace/kernel/proc_file.h"

/* Of all lifelines, for a signal handler, which has no argument. */
static struct lifeline_trap *volatile pages[RECOVERY_PROCESSES];

struct lifeline {
	struct lifeline_trap *page;
	size_t slot; /* of its page */
	unsigned n_pads;
	unsigned users;
};

/* The mutex has pointers that the C library follows: nobody else may ever write there. */
static bool lifeline_seal(int file)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

	return fcntl(file, F_ADD_SEALS, seals) == 0;
}

static void *lifeline_map(pid_t tid, int fd)
{
	void *memory = MAP_FAILED;
	char name[32];
	int file;

	snprintf(name, sizeof(name), "fd/%d", fd);
	if (!proc_open(tid, name, O_RDWR, &file))
		return MAP_FAILED;
	if (ftruncate(file, LIFELINE_SIZE) == 0)
		memory = mmap(NULL, LIFELINE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (memory != MAP_FAILED && !lifeline_seal(file)) {
		munmap(memory, LIFELINE_SIZE);
		memory = MAP_FAILED;
	}
	close(file);
	return memory;
}

/* Its first word is the number of this thread then, where the C library is as we know it. */
static bool lifeline_lock(pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attributes;
	bool done;

	pthread_mutexattr_init(&attributes);
	done = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
	       pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
	       pthread_mutex_init(mutex, &attributes) == 0 && pthread_mutex_lock(mutex) == 0;
	pthread_mutexattr_destroy(&attributes);
	return done && *(const int32_t *)mutex == gettid();
}

static size_t free_slot(void)
{
	size_t i = 0;

	while (i < RECOVERY_PROCESSES && pages[i])
		i++;
	return i;
}

struct lifeline *lifeline_create(pid_t tid, int fd, int32_t *ret_alive)
{
	const size_t slot = free_slot();
	struct lifeline *line;
	void *memory;

	if (slot == RECOVERY_PROCESSES)
		return NULL;
	memory = lifeline_map(tid, fd);
	if (memory == MAP_FAILED)
		return NULL;
	line = mem_alloc(sizeof(*line));
	*line = (struct lifeline){.page = memory, .slot = slot, .users = 1};
	pages[slot] = memory;
	if (!lifeline_lock(&line->page->mutex)) {
		lifeline_destroy(line);
		return NULL;
	}
	*ret_alive = *(const int32_t *)memory;
	return line;
}

struct lifeline *lifeline_share(struct lifeline *line)
{
	if (line)
		line->users++;
	return line;
}

void lifeline_destroy(struct lifeline *line)
{
	if (!line || --line->users)
		return;
	pages[line->slot] = NULL;
	pthread_mutex_unlock(&line->page->mutex);
	munmap(line->page, LIFELINE_SIZE);
	free(line);
}

void lifeline_let_go(void)
{
	for (size_t i = 0; i < RECOVERY_PROCESSES; i++)
		if (pages[i])
			pages[i]->word = 0;
}

void lifeline_place(struct lifeline *line, uint64_t address)
{
	lifeline_trap_init(line->page, address);
}

void lifeline_add_pads(struct lifeline *line, uint64_t address, uint64_t size)
{
	if (line->n_pads == LIFELINE_TRAP_PADS)
		return;
	line->page->pads[line->n_pads].low = address;
	line->page->pads[line->n_pads++].size = size;
}

void lifeline_note_call(const struct user_regs_struct *own, uint64_t end)
{
	for (size_t i = 0; i < RECOVERY_PROCESSES; i++)
		if (pages[i])
			lifeline_trap_note_call(pages[i], own, end);
}

void lifeline_note_mask(const uint64_t *own)
{
	for (size_t i = 0; i < RECOVERY_PROCESSES; i++)
		if (pages[i])
			lifeline_trap_note_mask(pages[i], own);
}
