/*
 * Calls of one function as rows of tables: which columns there are, and what a call says in them.
 *
 * The columns are the metrics, the features, and, behind them, those branches that some call has
 * told something of. A table gets the columns that came since it was made when a call is put into
 * it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/catalogue/catalogue.h"
#include "core/samples/samples.h"
#include "trace/session.h"

/* Branches of a function that have columns, at most. */
enum { BRANCH_COLUMNS = 256 };

struct call_table {
	const struct function *function;
	const char *module;          /* as samples name it */
	const struct label *classes; /* of the catalogue, sorted by number */
	size_t n_classes;
	unsigned metrics; /* bits 1 << enum metric */
	/* Private. */
	uint8_t *branches;            /* [n_branches of the function]: what is known of each */
	bool blind;                   /* of some call they were not looked at */
	size_t shown[BRANCH_COLUMNS]; /* those that have columns, in the columns' order */
	size_t n_shown;
	struct value *row;
	size_t row_capacity;
};

/* The first five are set. */
void call_table_init(struct call_table *table);
void call_table_deinit(struct call_table *table);

/* An empty table. */
struct samples *call_table_make(const struct call_table *table);

/* What a call tells of branches, be it kept or not. */
void call_table_note(struct call_table *table, const struct call_record *call);

/* Put @call into the row @row of @samples, which may be the one behind the last. */
void call_table_put(struct call_table *table, struct samples *samples, size_t row,
		    const struct call_record *call);

/* Has a call come to the branch more than once? */
bool call_table_has_looped(const struct call_table *table, size_t branch);
