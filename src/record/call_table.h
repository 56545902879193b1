/*
 * Calls of one function as rows of tables.
 *
 * Columns are the metrics, the features, then those that come late: branches, how calls ended, and
 * callees. A branch gets its column when a call that is put has reached it and no call so far has
 * reached it twice; FEATURE_EXIT when a call that is put did not return; those of a callee
 * (core/samples/callee_columns.h) when one that is put has called it; that of a site
 * (core/samples/part_columns.h) when one that is put has allocated there. Putting a call into a
 * table adds the columns that are new since the table was made.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/catalogue/catalogue.h"
#include "core/samples/samples.h"
#include "trace/session.h"

/* Most columns of branches of a function. */
enum { BRANCH_COLUMNS = 256, CALLEE_COLUMNS = 128, SITE_COLUMNS = 16 /* and one of others */ };

struct call_table {
	const struct function *function;
	const char *module;          /* as samples name it */
	const struct label *classes; /* of the catalogue, sorted by number */
	size_t n_classes;
	const struct text_pool *texts; /* NULL: none */
	unsigned metrics;              /* bits 1 << enum metric */
	bool adapts;                   /* calls have the key of core/samples/asked_rows.h */
	/* Of the catalogue; NULL: callees get no columns. */
	const struct function *functions;
	size_t n_functions;
	struct site_names *site_names; /* NULL: sites get no columns */
	/* Private. */
	uint8_t *branches;   /* [n_branches of the function] what is known of each */
	bool blind;          /* some call was not observed for branches */
	bool misses_callees; /* of some call they were not known */
	bool misses_sites;   /* likewise */
	const char *sites[SITE_COLUMNS + 1];
	size_t n_sites;
	/*
	 * Branches with columns, in their order; n_branches of the function is FEATURE_EXIT, and
	 * behind that are the callees, a number for each and what it costs, and then `sites`.
	 */
	size_t shown[BRANCH_COLUMNS + 1 + CALLEE_COLUMNS + SITE_COLUMNS + 1];
	bool has_exit;
	size_t n_shown, n_branches_shown, n_callees_shown;
	struct value *row;
	size_t row_capacity;
};

/* The public fields are set. */
void call_table_init(struct call_table *table);
void call_table_deinit(struct call_table *table);

struct samples *call_table_make(const struct call_table *table);

/* Note the branches of a call, kept or not. */
void call_table_note(struct call_table *table, const struct call_record *call);

/* Put @call into the row @row of @samples, which may be one past the last. */
void call_table_put(struct call_table *table, struct samples *samples, size_t row,
		    const struct call_record *call);

/* Has a call reached the branch more than once? */
bool call_table_has_looped(const struct call_table *table, size_t branch);
