/*
 * The list's lines: a copy of what was given, in the order that the reader wants, without what the
 * filter leaves out.
 */
#pragma once

#include "base/text.h"
#include "explorer.h"

enum list_order {
	BY_SHARE,
	BY_SAMPLES,
	BY_FUNCTION,
	BY_METRIC,
	BY_R2,
	BY_CASES,
	ENTRY_ORDERS,
};

struct list_entries {
	struct arena *arena; /* owns the copies */
	struct explorer_entry *all;
	size_t n;
	size_t *shown; /* [n_shown] indices of `all`, in order; allocated */
	size_t n_shown;
	enum list_order order;
	bool is_reversed;
	struct text filter;
};

void list_entries_deinit(struct list_entries *entries);
void list_entries_set(struct list_entries *entries, const struct explorer_entry *from, size_t n);
/* After a change of the order or the filter. */
void list_entries_arrange(struct list_entries *entries);

/* The same metric of the same function. */
bool list_entries_is_same(const struct explorer_entry *a, const struct explorer_entry *b);
bool list_entries_same_function(const struct explorer_entry *a, const struct explorer_entry *b);

/*
 * The index in `all`, or in `shown`, of the entry that is the same as @like (or NULL); the number
 * of entries: none is.
 */
size_t list_entries_find(const struct list_entries *entries, const struct explorer_entry *like);
size_t list_entries_find_shown(const struct list_entries *entries,
			       const struct explorer_entry *like);

/*
 * The entry of the same function @by further on (1 or -1), around; the index of @from if there is
 * only one.
 */
size_t list_entries_next_metric(const struct list_entries *entries, size_t from, int by);

/* A copy of what names @entry; the rest of it is dropped. */
struct explorer_entry list_entries_copy_name(struct arena *arena,
					     const struct explorer_entry *entry);
