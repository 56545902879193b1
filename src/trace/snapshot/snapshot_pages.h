/*
 * Pages of a process that is held, copied when they are first read. Private to snapshot.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/plan/plan_runner.h"

struct snapshot_pages;

struct snapshot_pages *snapshot_pages_create(pid_t pid);
/*
 * It is held until then (CLOCK_MONOTONIC), which is not known at first; UINT64_MAX: as long as it
 * takes. What is not copied by then is refused.
 */
void snapshot_pages_until(struct snapshot_pages *pages, uint64_t until_ns);
/*
 * The memory is that of the thread @tid, and what is copied is given to @clean first, to take out
 * what is not the program's own: @size bytes of @address. NULL: nothing.
 */
void snapshot_pages_from(struct snapshot_pages *pages, pid_t tid,
			 void (*clean)(void *self, uint64_t address, uint8_t *bytes, size_t size),
			 void *self);
void snapshot_pages_destroy(struct snapshot_pages *pages); /* NULL is fine */

/* Copy what can be read of the @size bytes at @address. */
void snapshot_pages_copy(struct snapshot_pages *pages, uint64_t address, size_t size);

/*
 * The process is not held any more. From now on, pages that were not copied are refused, or read as
 * they are then.
 */
void snapshot_pages_limit(struct snapshot_pages *pages, bool refuse);

/* How many reads of pages were refused. */
size_t snapshot_pages_refused(const struct snapshot_pages *pages);

/* As in struct memory; @self is the pages. */
void snapshot_pages_read(void *self, struct memory_read *reads, size_t n);
