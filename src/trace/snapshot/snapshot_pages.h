/* Pages of a stopped process, copied when first read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/plan/plan_runner.h"

struct snapshot_pages;

struct snapshot_pages *snapshot_pages_create(pid_t pid);
/* Refuse pages not copied before @until_ns (CLOCK_MONOTONIC); UINT64_MAX: no limit. */
void snapshot_pages_until(struct snapshot_pages *pages, uint64_t until_ns);
/*
 * Read the memory of thread @tid; @clean (NULL: none) first takes what is not the program's own out
 * of a copy: @size bytes of @address.
 */
void snapshot_pages_from(struct snapshot_pages *pages, pid_t tid,
			 void (*clean)(void *self, uint64_t address, uint8_t *bytes, size_t size),
			 void *self);
void snapshot_pages_destroy(struct snapshot_pages *pages); /* NULL is fine */

/* Copy what is readable of the @size bytes at @address. */
void snapshot_pages_copy(struct snapshot_pages *pages, uint64_t address, size_t size);

/* The process runs again: refuse pages not copied, or read them as they are then. */
void snapshot_pages_limit(struct snapshot_pages *pages, bool refuse);

/* Number of refused reads. */
size_t snapshot_pages_refused(const struct snapshot_pages *pages);

/* As in struct memory; @self is the pages. */
void snapshot_pages_read(void *self, struct memory_read *reads, size_t n);
