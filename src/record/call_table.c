/* Turns calls into rows. record/recorder.c chooses the calls to keep. */
#include "call_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/arena.h"
#include "core/messages.h"
#include "core/catalogue/rare.h"
#include "core/samples/asked_rows.h"
#include "core/samples/callee_columns.h"
#include "core/samples/part_columns.h"
#include "core/text_pool.h"
#include "dwarf/site_names.h"
#include "profile/profile.h"

/* What is known of a branch: it has a column; a call reached it twice. */
enum { SHOWN = 1, LOOPED = 2 };
/* Categories of a feature that is text: of data, of names in code. */
enum { TEXTS_MAX = 32, NAMES_MAX = 1024 };

void call_table_init(struct call_table *table)
{
	table->branches = mem_alloc(table->function->n_branches);
}

void call_table_deinit(struct call_table *table)
{
	free(table->branches);
	free(table->row);
}

static void row_add_metrics(const struct call_table *table, struct samples *samples)
{
	enum metric metric;

	for (metric = 0; metric < METRIC_MEASURED; metric++)
		if (table->metrics & 1u << metric)
			samples_add_column(samples,
					   &(struct column){.name = metric_info(metric)->keyword,
							    .role = COLUMN_METRIC,
							    .metric = metric});
}

/* Whatever names a call for other programs' calls. */
static size_t keys_of(const struct call_table *table)
{
	return table->metrics & 1u << METRIC_REMOTE ? MESSAGE_KEYS : 0;
}

static void row_add_tenth(const struct call_table *table, struct samples *samples)
{
	if (table->adapts)
		samples_add_column(samples,
				   &(struct column){.name = ASKED_ROWS_KEY, .role = COLUMN_KEY});
}

static void row_add_keys(const struct call_table *table, struct samples *samples)
{
	for (size_t i = 0; i < keys_of(table); i++)
		samples_add_column(samples,
				   &(struct column){.name = messages_keys[i], .role = COLUMN_KEY});
}

static void add_features(const struct call_table *table, struct samples *samples)
{
	for (size_t i = 0; i < table->function->n_features; i++) {
		const struct feature *feature = &table->function->features[i];

		samples_add_column(samples, &(struct column){.name = feature->expression,
							     .role = COLUMN_FEATURE,
							     .type = feature->type,
							     .provenance = feature->provenance,
							     .depth = feature->depth});
	}
}

static size_t first_feature(const struct call_table *table)
{
	return __builtin_popcount(table->metrics);
}

static size_t first_late(const struct call_table *table)
{
	return first_feature(table) + table->function->n_features + keys_of(table) + table->adapts;
}

/* No call in @samples reached it. */
static void add_branch(const struct call_table *table, struct samples *samples, size_t branch)
{
	const struct branch_site *site = &table->function->branches[branch];
	const bool is_loop = site->kind == BRANCH_TURNS;
	const struct column as_branch = {.name = site->name, .role = COLUMN_BRANCH};
	const struct column as_feature = {.name = site->name,
					  .role = COLUMN_FEATURE,
					  .type = FEATURE_INT,
					  .provenance = FROM_RETURN};
	const size_t index = samples_add_column(samples, is_loop ? &as_feature : &as_branch);

	if (!table->blind && !is_loop)
		memset(samples->columns[index].absence,
		       site->is_rare ? ABSENT_NOT_ASKED : ABSENT_NOT_REACHED, samples->n_rows);
}

/* All calls in @samples have returned, which is 0. */
static void add_exit(struct samples *samples)
{
	const size_t index =
		samples_add_column(samples, &(struct column){.name = FEATURE_EXIT,
							     .role = COLUMN_FEATURE,
							     .type = FEATURE_ENUM,
							     .provenance = FROM_RETURN});
	enum call_exit exit;

	memset(samples->columns[index].absence, PRESENT, samples->n_rows);
	for (exit = 0; exit < CALL_EXIT_COUNT; exit++)
		samples_add_label(samples, index, exit, feature_exit_labels[exit].name);
}

enum { CALLEE_WHAT = METRIC_SUMS + 1 }; /* METRIC_SUMS: the number of calls */

static size_t callee_number(const struct call_table *table, unsigned callee, unsigned what)
{
	return table->function->n_branches + 1 + callee * CALLEE_WHAT + what;
}

static size_t site_number(const struct call_table *table, size_t site)
{
	return callee_number(table, (unsigned)table->n_functions, 0) + site;
}

/* *@ret_what: a metric, METRIC_SUMS for the number of calls. False: @shown is no callee's. */
static bool is_callee(const struct call_table *table, size_t shown, unsigned *ret_callee,
		      unsigned *ret_what)
{
	const size_t first = callee_number(table, 0, 0);

	if (shown < first || shown >= site_number(table, 0))
		return false;
	*ret_callee = (unsigned)((shown - first) / CALLEE_WHAT);
	*ret_what = (shown - first) % CALLEE_WHAT;
	return true;
}

/* No call in @samples has called it, as far as is known. */
static void add_callee(const struct call_table *table, struct samples *samples, unsigned callee,
		       unsigned what)
{
	struct arena *arena = arena_create();
	const char *name = callee_columns_name(arena, table->functions[callee].name,
					       what == METRIC_SUMS ? METRIC_COUNT : what);
	const size_t index =
		samples_add_column(samples, &(struct column){.name = name, .role = COLUMN_KEY});

	if (!table->misses_callees)
		memset(samples->columns[index].absence, PRESENT, samples->n_rows);
	arena_destroy(arena);
}

/* No call in @samples has allocated there, as far as is known. */
static void add_site_column(const struct call_table *table, struct samples *samples,
			    const char *name)
{
	struct arena *arena = arena_create();
	const struct column like = {.name = arena_printf(arena, PART_COLUMN_SITE "%s)", name),
				    .role = COLUMN_KEY};
	const size_t index = samples_add_column(samples, &like);

	if (!table->misses_sites)
		memset(samples->columns[index].absence, PRESENT, samples->n_rows);
	arena_destroy(arena);
}

/* Columns that are new since @samples was made. */
static void add_late(const struct call_table *table, struct samples *samples)
{
	unsigned callee, what;

	for (size_t i = samples->n_columns - first_late(table); i < table->n_shown; i++)
		if (table->shown[i] < table->function->n_branches)
			add_branch(table, samples, table->shown[i]);
		else if (is_callee(table, table->shown[i], &callee, &what))
			add_callee(table, samples, callee, what);
		else if (table->shown[i] >= site_number(table, 0))
			add_site_column(table, samples,
					table->sites[table->shown[i] - site_number(table, 0)]);
		else
			add_exit(samples);
}

struct samples *call_table_make(const struct call_table *table)
{
	const struct function *function = table->function;
	struct samples *samples =
		samples_create(function->name, function->linkage, function->file, function->line);

	samples_set_module(samples, table->module);
	row_add_metrics(table, samples);
	add_features(table, samples);
	row_add_keys(table, samples);
	row_add_tenth(table, samples);
	return samples;
}

void call_table_note(struct call_table *table, const struct call_record *call)
{
	table->blind = table->blind || !call->branches;
	table->misses_callees = table->misses_callees || !call->callees;
	table->misses_sites = table->misses_sites || !call->sites;
	for (size_t i = 0; call->branches && i < table->function->n_branches; i++)
		if (call->branches[i].absence == ABSENT_LOOPED)
			table->branches[i] |= LOOPED;
}

static void row_note_branch(struct call_table *table, size_t branch)
{
	if (table->n_branches_shown == BRANCH_COLUMNS ||
	    first_late(table) + table->n_shown >= PROFILE_COLUMNS_MAX)
		return;
	table->branches[branch] |= SHOWN;
	table->shown[table->n_shown++] = branch;
	table->n_branches_shown++;
}

static void show_branches(struct call_table *table, const struct call_record *call)
{
	for (size_t i = 0; call->branches && i < table->function->n_branches; i++)
		if (call->branches[i].absence == PRESENT && !table->branches[i])
			row_note_branch(table, i);
}

/* A feature of the program may have the name: then that stays. */
static void show_exit(struct call_table *table, const struct call_record *call)
{
	const struct function *function = table->function;

	if (call->exit == CALL_RETURNED || table->has_exit ||
	    first_late(table) + table->n_shown >= PROFILE_COLUMNS_MAX)
		return;
	for (size_t i = 0; i < function->n_features; i++)
		if (!strcmp(function->features[i].expression, FEATURE_EXIT))
			return;
	table->has_exit = true;
	table->shown[table->n_shown++] = function->n_branches;
}

/* Namesakes' columns could not be told apart. */
static bool has_own_name(const struct call_table *table, unsigned callee)
{
	for (size_t i = 0; i < table->n_functions; i++)
		if (i != callee && !strcmp(table->functions[i].name, table->functions[callee].name))
			return false;
	return true;
}

static bool is_callee_shown(const struct call_table *table, unsigned callee)
{
	for (size_t i = 0; i < table->n_shown; i++)
		if (table->shown[i] == callee_number(table, callee, METRIC_SUMS))
			return true;
	return false;
}

/* The number of its calls, and the sums whose self metrics are measured. */
static void show_callee(struct call_table *table, unsigned callee)
{
	const unsigned sums = table->metrics >> METRIC_SELF & ((1u << METRIC_SUMS) - 1);
	const unsigned wanted = sums | 1u << METRIC_SUMS;
	const size_t n = (size_t)__builtin_popcount(wanted);

	if (callee >= table->n_functions || table->n_callees_shown + n > CALLEE_COLUMNS ||
	    first_late(table) + table->n_shown + n > PROFILE_COLUMNS_MAX ||
	    is_callee_shown(table, callee) || !has_own_name(table, callee))
		return;
	for (unsigned what = 0; what < CALLEE_WHAT; what++)
		if (wanted & 1u << what)
			table->shown[table->n_shown++] = callee_number(table, callee, what);
	table->n_callees_shown += n;
}

static void show_callees(struct call_table *table, const struct call_record *call)
{
	for (size_t i = 0; call->callees && i < call->callees->n; i++)
		show_callee(table, call->callees->list[i].function);
}

static const char *name_of_site(const struct call_table *table, const struct site_sum *sum)
{
	return site_names_find(table->site_names, sum->module, sum->addr);
}

/* n_sites: it has none. */
static size_t site_of_name(const struct call_table *table, const char *name)
{
	size_t i = 0;

	while (i < table->n_sites && table->sites[i] != name)
		i++;
	return i;
}

/* The last column is that of all others. */
static void show_site(struct call_table *table, const char *name)
{
	const size_t n = table->n_sites;

	if (n > SITE_COLUMNS || site_of_name(table, name) < n ||
	    first_late(table) + table->n_shown >= PROFILE_COLUMNS_MAX)
		return;
	table->shown[table->n_shown++] = site_number(table, n);
	table->sites[table->n_sites++] = n < SITE_COLUMNS ? name : PART_COLUMN_OTHERS;
}

static void show_sites(struct call_table *table, const struct call_record *call)
{
	for (size_t i = 0; table->site_names && call->sites && i < call->sites->n; i++)
		show_site(table, name_of_site(table, &call->sites->list[i]));
}

/* Only numbers that occur are labelled: a catalogue may have thousands of classes. */
static int row_compare_labels(const void *a, const void *b)
{
	const struct label *x = a;
	const struct label *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void label(struct call_table *table, struct samples *samples, size_t index,
		  const struct feature *feature, double number)
{
	const struct label key = {.number = number};
	const struct label *labels = table->classes;
	size_t n = table->n_classes;
	const struct label *found;
	const char *text;

	if (samples_label(&samples->columns[index], number))
		return;
	if (feature->type == FEATURE_ENUM) {
		labels = feature->labels;
		n = feature->n_labels;
	}
	found = n ? bsearch(&key, labels, n, sizeof(*labels), row_compare_labels) : NULL;
	if (found)
		samples_add_label(samples, index, number, found->name);
	if (feature->type != FEATURE_STRING)
		return;
	text = table->texts ? text_pool_find(table->texts, (uint64_t)number) : NULL;
	if (text && samples->columns[index].n_labels < (feature->is_name ? NAMES_MAX : TEXTS_MAX))
		samples_add_label(samples, index, number, text);
	else
		table->row[index] = (struct value){.absence = ABSENT_VARIOUS};
}

/* A text too many has no name, and becomes absent. */
static void label_row(struct call_table *table, struct samples *samples)
{
	const struct function *function = table->function;
	size_t index = first_feature(table);

	for (size_t i = 0; i < function->n_features; i++, index++) {
		const struct feature *feature = &function->features[i];

		if ((feature->type == FEATURE_ENUM || feature->type == FEATURE_CLASS ||
		     feature->type == FEATURE_STRING) &&
		    table->row[index].absence == PRESENT)
			label(table, samples, index, feature, table->row[index].number);
	}
}

static struct value callee_value(const struct call_record *call, unsigned callee, unsigned what)
{
	if (!call->callees)
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	for (size_t i = 0; i < call->callees->n; i++) {
		const struct callee_sum *sum = &call->callees->list[i];

		if (sum->function != callee)
			continue;
		if (what == METRIC_SUMS)
			return (struct value){.number = (double)sum->calls};
		return sum->unknown & 1u << what ? (struct value){.absence = ABSENT_CALLEE}
						 : (struct value){.number = sum->costs[what]};
	}
	return (struct value){.number = 0};
}

static struct value site_value(const struct call_table *table, const struct call_record *call,
			       size_t site)
{
	double bytes = 0;

	if (!call->sites)
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	for (size_t i = 0; i < call->sites->n; i++) {
		const struct site_sum *sum = &call->sites->list[i];
		const size_t of = site_of_name(table, name_of_site(table, sum));

		if (of == site || (of == table->n_sites && site == SITE_COLUMNS))
			bytes += (double)sum->bytes;
	}
	return (struct value){.number = bytes};
}

static struct value late_value(const struct call_table *table, const struct call_record *call,
			       size_t shown)
{
	unsigned callee, what;

	if (is_callee(table, shown, &callee, &what))
		return callee_value(call, callee, what);
	if (shown >= site_number(table, 0))
		return site_value(table, call, shown - site_number(table, 0));
	if (shown == table->function->n_branches)
		return (struct value){.number = call->exit};
	return call->branches ? call->branches[shown]
			      : (struct value){.absence = ABSENT_NOT_MEASURED};
}

static void row_fill(struct call_table *table, const struct call_record *call)
{
	struct value *cell = table->row;
	double keys[MESSAGE_KEYS];
	enum metric metric;

	for (metric = 0; metric < METRIC_MEASURED; metric++)
		if (table->metrics & 1u << metric)
			*cell++ = call->metrics[metric];
	for (size_t i = 0; i < table->function->n_features; i++)
		*cell++ = call->features[i];
	messages_numbers(&call->messages, keys);
	for (size_t i = 0; i < keys_of(table); i++)
		*cell++ = (struct value){.number = keys[i]};
	if (table->adapts)
		*cell++ = (struct value){.number = rare_is_read(call->rank)};
	for (size_t i = 0; i < table->n_shown; i++)
		*cell++ = late_value(table, call, table->shown[i]);
}

void call_table_put(struct call_table *table, struct samples *samples, size_t row,
		    const struct call_record *call)
{
	const struct sample_key key = {.id = call->id,
				       .parent = call->parent,
				       .process = call->process,
				       .thread = call->thread,
				       .start_ns = call->start_ns,
				       .stops = call->stops,
				       .stopped_ns = call->stopped_ns,
				       .waited_ns = call->waited_ns};

	show_branches(table, call);
	show_exit(table, call);
	show_callees(table, call);
	show_sites(table, call);
	add_late(table, samples);
	table->row =
		mem_grow(table->row, &table->row_capacity, samples->n_columns, sizeof(*table->row));
	row_fill(table, call);
	label_row(table, samples);
	if (row < samples->n_rows)
		samples_replace(samples, row, &key, table->row);
	else
		samples_append(samples, &key, table->row);
}

bool call_table_has_looped(const struct call_table *table, size_t branch)
{
	return table->branches[branch] & LOOPED;
}
