/* The tracer's side: the memory, and the mutex in it. */
#include "lifeline.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/kernel/proc_file.h"

struct lifeline {
	pthread_mutex_t *mutex; /* at the beginning of the memory */
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

struct lifeline *lifeline_create(pid_t tid, int fd, int32_t *ret_alive)
{
	void *memory = lifeline_map(tid, fd);
	struct lifeline *line;

	if (memory == MAP_FAILED)
		return NULL;
	line = mem_alloc(sizeof(*line));
	*line = (struct lifeline){.mutex = memory, .users = 1};
	if (!lifeline_lock(line->mutex)) {
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
	pthread_mutex_unlock(line->mutex);
	munmap(line->mutex, LIFELINE_SIZE);
	free(line);
}

void lifeline_cut_all(void)
{
	enum { LINES_MAX = 4096 };
	struct robust_list_head *head;
	struct robust_list *entry;
	size_t size;

	if (syscall(SYS_get_robust_list, 0, &head, &size) != 0)
		return;
	entry = head->list.next;
	for (int i = 0; i < LINES_MAX && entry != &head->list; i++) {
		atomic_store((_Atomic uint32_t *)((uint8_t *)entry + head->futex_offset),
			     FUTEX_OWNER_DIED);
		entry = entry->next;
	}
}
