/* Calls are found by their ids, which are those of their own profile each. */
#include "merge_served.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Deeper within the call that was asked none is looked for. */
enum { DEPTH_MOST = 1000 };

struct kept_row {
	size_t profile, table, row;
	int64_t id;       /* in its profile */
	int64_t new_id;   /* 0: it is not kept */
	int64_t parent;   /* new */
	int64_t later_ns; /* its clock begins so much later than the client's run */
	bool is_settled;
};

/* Moments of profiles may be anything. */
static int64_t moment_less(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

void merge_served_keep(const struct samples *client, size_t row, int64_t id,
		       const struct served_call *call, const struct clock_fit *fit,
		       struct kept_call *ret)
{
	const int64_t asked_ns = client->keys[row].start_ns;
	const double asked =
		merge_side_number(client, row, COLUMN_KEY, messages_keys[MESSAGE_BEGAN]);
	double later;

	if (!(asked > 0 && asked < 0x1p62) || !call->ended_ns ||
	    (ret->parent && ret->asked_ns >= asked_ns))
		return;
	later = (double)call->began_ns - clock_fit_ahead(fit, (int64_t)asked) - asked;
	if (!(fabs(later) < 0x1p62))
		return;
	*ret = (struct kept_call){id, asked_ns, moment_less(asked_ns, -(int64_t)later)};
}

struct keeping {
	const struct merge_side *servers;
	const char *own;
	struct kept_row *rows; /* by profile and id */
	size_t n;
	int64_t last_id;
};

static int compare_kept(const void *a, const void *b)
{
	const struct kept_row *x = a, *y = b;

	if (x->profile != y->profile)
		return x->profile < y->profile ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static struct kept_row *keeping_find(const struct keeping *keeping, size_t profile, int64_t id)
{
	const struct kept_row key = {.profile = profile, .id = id};

	return keeping->n ? bsearch(&key, keeping->rows, keeping->n, sizeof(key), compare_kept)
			  : NULL;
}

static const struct sample_key *kept_key(const struct keeping *keeping, const struct kept_row *row)
{
	return &keeping->servers->tables[row->table]->keys[row->row];
}

static void keeping_add_rows(struct keeping *keeping)
{
	const struct merge_side *servers = keeping->servers;
	size_t n = 0;

	for (size_t i = 0; i < servers->n; i++)
		n += servers->tables[i]->n_rows;
	keeping->rows = mem_alloc((n + 1) * sizeof(*keeping->rows));
	for (size_t i = 0; i < servers->n; i++)
		for (size_t j = 0; j < servers->tables[i]->n_rows; j++)
			keeping->rows[keeping->n++] =
				(struct kept_row){.profile = merge_side_origin(servers, i),
						  .table = i,
						  .row = j,
						  .id = servers->tables[i]->keys[j].id};
	if (n)
		qsort(keeping->rows, n, sizeof(*keeping->rows), compare_kept);
}

/* Those that are within a call of the client itself. */
static void keeping_set_asked(struct keeping *keeping, const struct kept_call *kept)
{
	const struct merge_side *servers = keeping->servers;

	for (size_t i = 0; i < servers->n_calls; i++) {
		const struct served_call *call = &servers->calls[i];
		const size_t profile =
			merge_side_origin(servers, merge_side_table(servers, call->samples));
		struct kept_row *row =
			keeping_find(keeping, profile, call->samples->keys[call->row].id);

		if (!kept[i].parent || !row)
			continue;
		row->new_id = ++keeping->last_id;
		row->parent = kept[i].parent;
		row->later_ns = moment_less(kept[i].start_ns, kept_key(keeping, row)->start_ns);
		row->is_settled = true;
	}
}

/* Those within others that are kept. */
static void keeping_settle(struct keeping *keeping, struct kept_row *row)
{
	struct kept_row *above[DEPTH_MOST], *parent = row;
	size_t n = 0;

	while (parent && !parent->is_settled && n < DEPTH_MOST) {
		parent->is_settled = true;
		above[n++] = parent;
		parent = keeping_find(keeping, parent->profile, kept_key(keeping, parent)->parent);
	}
	while (n && parent && parent->new_id) {
		struct kept_row *now = above[--n];

		now->new_id = ++keeping->last_id;
		now->parent = parent->new_id;
		now->later_ns = parent->later_ns;
		parent = now;
	}
}

/* The table with the rows that are kept, or NULL: none is. */
static struct samples *keeping_table(const struct keeping *keeping, size_t table)
{
	const struct samples *from = keeping->servers->tables[table];
	struct samples *ret = samples_create(from->function, from->linkage, from->file, from->line);
	const char *program =
		keeping->servers->origins[merge_side_origin(keeping->servers, table)].program;
	struct value *cells = mem_alloc((from->n_columns + 1) * sizeof(*cells));

	if (program && keeping->own && !strcmp(program, keeping->own))
		program = NULL;
	samples_set_module(ret, from->module ? from->module : program);
	for (size_t i = 0; i < from->n_columns; i++) {
		samples_add_column(ret, &from->columns[i]);
		for (size_t j = 0; j < from->columns[i].n_labels; j++)
			samples_add_label(ret, i, from->columns[i].labels[j].number,
					  from->columns[i].labels[j].name);
	}
	for (size_t i = 0; i < from->n_rows; i++) {
		const struct kept_row *row = keeping_find(
			keeping, merge_side_origin(keeping->servers, table), from->keys[i].id);
		struct sample_key key = from->keys[i];

		if (!row || !row->new_id || row->table != table || row->row != i)
			continue;
		key.id = row->new_id;
		key.parent = row->parent;
		/* it may have been there before the client's run, and waited */
		key.start_ns = moment_less(key.start_ns, -row->later_ns);
		key.start_ns = key.start_ns > 0 ? key.start_ns : 0;
		for (size_t j = 0; j < from->n_columns; j++)
			cells[j] = (struct value){from->columns[j].numbers[i],
						  from->columns[j].absence[i]};
		samples_append(ret, &key, cells);
	}
	free(cells);
	return ret;
}

bool merge_served_add(const struct merge_side *servers, const struct kept_call *kept,
		      const char *own, int64_t last_id, struct profile *joint, struct err *err)
{
	struct keeping keeping = {.servers = servers, .own = own, .last_id = last_id};
	bool ok = true;

	keeping_add_rows(&keeping);
	keeping_set_asked(&keeping, kept);
	for (size_t i = 0; i < keeping.n; i++)
		keeping_settle(&keeping, &keeping.rows[i]);
	for (size_t i = 0; ok && i < servers->n; i++) {
		struct samples *table = keeping_table(&keeping, i);

		ok = profile_add(joint, table, err);
		samples_destroy(table);
	}
	free(keeping.rows);
	return ok;
}
