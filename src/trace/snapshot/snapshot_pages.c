/* Copies of pages: reading twice gives the same, and costs one system call. */
#include "snapshot_pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <uthash.h>

#include "base/clock.h"
#include "base/mem.h"

enum { PAGE = 4096, AT_ONCE = 16, PAGES_MAX = 1 << 16 };

struct page {
	uint64_t number;
	bool ok;
	uint8_t *bytes; /* NULL unless `ok` */
	UT_hash_handle hh;
};

struct snapshot_pages {
	pid_t pid;
	uint64_t until_ns;
	struct page *list;
	size_t n;
	size_t refused;
	pid_t tid; /* whose memory; 0: the process's */
	void (*clean)(void *self, uint64_t address, uint8_t *bytes, size_t size);
	void *self;
	enum { HELD, REFUSES, READS } mode;
};

struct snapshot_pages *snapshot_pages_create(pid_t pid)
{
	struct snapshot_pages *pages = mem_alloc(sizeof(*pages));

	pages->pid = pid;
	return pages;
}

void snapshot_pages_until(struct snapshot_pages *pages, uint64_t until_ns)
{
	pages->until_ns = until_ns;
}

void snapshot_pages_from(struct snapshot_pages *pages, pid_t tid,
			 void (*clean)(void *self, uint64_t address, uint8_t *bytes, size_t size),
			 void *self)
{
	pages->tid = tid;
	pages->clean = clean;
	pages->self = self;
}

void snapshot_pages_destroy(struct snapshot_pages *pages)
{
	struct page *each, *next;

	if (!pages)
		return;
	HASH_ITER (hh, pages->list, each, next) {
		HASH_DEL(pages->list, each);
		free(each->bytes);
		free(each);
	}
	free(pages);
}

void snapshot_pages_limit(struct snapshot_pages *pages, bool refuse)
{
	pages->mode = refuse ? REFUSES : READS;
}

size_t snapshot_pages_refused(const struct snapshot_pages *pages)
{
	return pages->refused;
}

static struct page *page_find(const struct snapshot_pages *pages, uint64_t number)
{
	struct page *page;

	HASH_FIND(hh, pages->list, &number, sizeof(number), page);
	return page;
}

/*
 * Copy up to AT_ONCE pages from @number on; an unreadable one ends it, and is recorded if it is the
 * first.
 */
static size_t page_copy(struct snapshot_pages *pages, uint64_t number, size_t n)
{
	struct iovec local[AT_ONCE], remote[AT_ONCE];
	uint8_t *bytes[AT_ONCE];
	ssize_t got;
	size_t n_got;

	for (size_t i = 0; i < n; i++) {
		bytes[i] = malloc(PAGE);
		local[i] = (struct iovec){bytes[i], bytes[i] ? PAGE : 0};
		remote[i] = (struct iovec){(void *)((number + i) * PAGE), PAGE};
	}
	got = process_vm_readv(pages->tid ? pages->tid : pages->pid, local, n, remote, n, 0);
	n_got = got > 0 ? (size_t)got / PAGE : 0;
	for (size_t i = 0; i < n; i++) {
		struct page *page;

		if (i >= n_got)
			free(bytes[i]);
		if ((i >= n_got && i > 0) || page_find(pages, number + i)) {
			if (i < n_got)
				free(bytes[i]);
			continue;
		}
		page = mem_alloc(sizeof(*page));
		page->number = number + i;
		page->ok = i < n_got;
		page->bytes = page->ok ? bytes[i] : NULL;
		if (page->ok && pages->clean)
			pages->clean(pages->self, page->number * PAGE, page->bytes, PAGE);
		HASH_ADD(hh, pages->list, number, sizeof(page->number), page);
		pages->n++;
	}
	return n_got;
}

static bool is_in_time(const struct snapshot_pages *pages)
{
	return clock_now_ns() <= pages->until_ns;
}

static bool may_copy(const struct snapshot_pages *pages)
{
	if (pages->n >= PAGES_MAX)
		return false;
	switch (pages->mode) {
	case HELD:
		return is_in_time(pages);
	case REFUSES:
		return false;
	case READS:
		break;
	}
	return true;
}

void snapshot_pages_copy(struct snapshot_pages *pages, uint64_t address, size_t size)
{
	uint64_t first = address / PAGE;
	size_t n = (address % PAGE + size + PAGE - 1) / PAGE;

	while (n && may_copy(pages)) {
		const size_t some = n < AT_ONCE ? n : AT_ONCE;

		if (page_copy(pages, first, some) < some)
			return;
		first += some;
		n -= some;
	}
}

/* Up to the page's end. Returns the size; 0: unreadable. */
static size_t read_page(struct snapshot_pages *pages, uint64_t address, uint8_t *to, size_t size)
{
	const size_t offset = address % PAGE;
	const size_t n = size < PAGE - offset ? size : PAGE - offset;
	struct page *page = page_find(pages, address / PAGE);

	if (!page && may_copy(pages)) {
		page_copy(pages, address / PAGE, 1);
		page = page_find(pages, address / PAGE);
	}
	pages->refused += !page;
	if (!page || !page->ok)
		return 0;
	memcpy(to, page->bytes + offset, n);
	return n;
}

void snapshot_pages_read(void *self, struct memory_read *reads, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t address = reads[i].address;
		uint8_t *to = reads[i].to;
		size_t left = reads[i].size, some = 1;

		for (; left && some; left -= some, address += some, to += some)
			some = read_page(self, address, to, left);
		reads[i].ok = left == 0;
	}
}
