/* The list's lines: a copy of the entries, sorted and filtered. */
#pragma once

#include "base/text.h"
#include "tui/explorer.h"

enum list_order {
	BY_SHARE,
	BY_SAMPLES,
	BY_FUNCTION,
	BY_METRIC,
	BY_R2,
	BY_CASES,
	BY_CALLS,
	BY_TOTAL,
	BY_SELF,
	BY_P50,
	BY_P95,
	BY_P99,
	BY_SHARE_BEFORE,
	BY_MEAN_BEFORE,
	BY_MEAN,
	BY_TIMES,
	ENTRY_ORDERS,
};

struct list_entries {
	struct arena *arena; /* owns the copies */
	struct explorer_entry *all;
	size_t n;
	size_t *shown; /* [n_shown] indices into `all`, in order; owned */
	size_t n_shown;
	enum list_order order;
	bool is_reversed;
	struct text filter;
};

void list_entries_deinit(struct list_entries *entries);
void list_entries_set(struct list_entries *entries, const struct explorer_entry *from, size_t n);
/* Rearrange after a change of the order or the filter. */
void list_entries_arrange(struct list_entries *entries);

/*
 * The number that @order goes by; NAN: unknown, or no number (BY_FUNCTION, BY_METRIC).
 */
double list_entries_number(const struct explorer_entry *entry, enum list_order order);

/* Do both name the same metric of the same function? */
bool list_entries_is_same(const struct explorer_entry *a, const struct explorer_entry *b);
bool list_entries_same_function(const struct explorer_entry *a, const struct explorer_entry *b);

/*
 * The index in `all`, or in `shown`, of the entry with the name of @like (or NULL); if there is
 * none, the number of entries.
 */
size_t list_entries_find(const struct list_entries *entries, const struct explorer_entry *like);
size_t list_entries_find_shown(const struct list_entries *entries,
			       const struct explorer_entry *like);

/* The next (@by = 1) or previous (-1) metric of @from's function, cyclically; or @from. */
size_t list_entries_next_metric(const struct list_entries *entries, size_t from, int by);

/* A copy of @entry's name alone. */
struct explorer_entry list_entries_copy_name(struct arena *arena,
					     const struct explorer_entry *entry);
