/* Reads both sides' calls from their profiles, and says what is wrong if there are none. */
#include "merge_side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "core/cxx_name.h"
#include "profile/db.h"

/* Odd: connections of different clocks are different ones. */
#define CLOCK_APART UINT64_C(0x9e3779b97f4a7c15)

double merge_side_number(const struct samples *samples, size_t row, enum column_role role,
			 const char *name)
{
	const size_t at = samples_find_column(samples, role, name);

	if (at == samples->n_columns || samples->columns[at].absence[row] != PRESENT)
		return NAN;
	return samples->columns[at].numbers[row];
}

bool merge_side_measured(const struct merge_side *side, enum metric metric)
{
	for (size_t i = 0; i < side->n; i++)
		if (samples_metric(side->tables[i], metric))
			return true;
	return false;
}

/* Profiles may hold anything. */
static uint64_t key_number(const struct samples *samples, size_t row, enum message_key key)
{
	const double number = merge_side_number(samples, row, COLUMN_KEY, messages_keys[key]);

	return number >= 0 && number < 0x1p63 ? (uint64_t)number : 0;
}

/*
 * Whose request somebody else read sends the answer, without being answered: how long the call had
 * worked when it began that; 0: it did not.
 */
static uint64_t answered_after_ns(const struct samples *samples, size_t row)
{
	const uint64_t began = key_number(samples, row, MESSAGE_BEGAN);
	uint64_t ret = 0;

	for (unsigned i = 0; began && i < MESSAGE_ASKED_MOST; i++) {
		const enum message_key first = message_asked_key(i);
		const uint64_t sent = key_number(samples, row, first + MESSAGE_ASKED_BEGAN);

		if (key_number(samples, row, first) && sent > began + ret &&
		    !key_number(samples, row, first + MESSAGE_ASKED_ENDED))
			ret = sent - began;
	}
	return ret;
}

/*
 * What a call did after its answer nobody awaits, by whatever its request is known. If it took
 * longer until then than all of its time, it waited for a processor meanwhile.
 */
static void set_worked(const struct samples *samples, size_t row, struct message *ret)
{
	const uint64_t waited_ns = (uint64_t)samples->keys[row].waited_ns;
	uint64_t after_ns;

	if (key_number(samples, row, MESSAGE_SERVED_PEERS)) {
		ret->worked_ns = key_number(samples, row, MESSAGE_SERVED_WORKED);
		ret->lost_ns = key_number(samples, row, MESSAGE_SERVED_LOST);
		return;
	}
	after_ns = answered_after_ns(samples, row);
	if ((double)after_ns > 1000 * merge_side_number(samples, row, COLUMN_METRIC, "time"))
		ret->lost_ns = waited_ns < after_ns ? waited_ns : after_ns - 1;
	ret->worked_ns = after_ns - ret->lost_ns;
}

/* From its begin to its end, with whatever is not in its time; NAN: not known. */
static double side_elapsed_ns(const struct samples *samples, size_t row)
{
	const struct sample_key *key = &samples->keys[row];

	return 1000 * merge_side_number(samples, row, COLUMN_METRIC, "time") +
	       (double)key->stopped_ns + (double)key->waited_ns;
}

static uint64_t moment_in(const struct samples *samples, size_t row)
{
	const uint64_t moment = key_number(samples, row, MESSAGE_BEGAN);

	return moment < UINT64_C(1) << 62 ? moment : 0;
}

/* By the first call of the run that knows both its clock's moment and its place in the run. */
static struct merge_run side_run_of(const struct samples *samples, int64_t run)
{
	for (size_t i = 0; i < samples->n_rows; i++) {
		const uint64_t began = moment_in(samples, i);

		if (began && samples->keys[i].run == run)
			return (struct merge_run){samples, run, merge_side_clock(samples, i),
						  began - (uint64_t)samples->keys[i].start_ns};
	}
	return (struct merge_run){samples, run, NAN, 0};
}

double merge_side_clock(const struct samples *samples, size_t row)
{
	const uint64_t clock = key_number(samples, row, MESSAGE_CLOCK);

	return clock ? (double)clock : NAN;
}

bool merge_side_when(const struct samples *samples, size_t row, struct merge_run *run,
		     uint64_t *ret_began_ns, uint64_t *ret_ended_ns)
{
	const struct sample_key *key = &samples->keys[row];
	const double elapsed = side_elapsed_ns(samples, row);

	if (run->samples != samples || key->run != run->run)
		*run = side_run_of(samples, key->run);
	*ret_began_ns = *ret_ended_ns = run->began_ns + (uint64_t)key->start_ns;
	if (!run->began_ns || !(elapsed >= 0 && elapsed < 0x1p62))
		return false;
	*ret_ended_ns += (uint64_t)elapsed;
	return true;
}

static uint64_t until_ns(const struct samples *samples, size_t row)
{
	const uint64_t began = key_number(samples, row, MESSAGE_BEGAN);
	const double elapsed = side_elapsed_ns(samples, row);

	return began && elapsed >= 0 && elapsed < 0x1p62 ? began + (uint64_t)elapsed : 0;
}

static struct message message_of(const struct samples *samples, size_t row, enum message_key first,
				 const struct merge_name *name)
{
	const bool served = first == MESSAGE_SERVED_PEERS;
	struct message ret = {
		.peers = (unsigned)key_number(samples, row, first),
		.stream = key_number(samples, row, first + MESSAGE_ASKED_STREAM),
		.from = key_number(samples, row, first + MESSAGE_ASKED_FROM),
		.to = key_number(samples, row, first + MESSAGE_ASKED_TO),
		.inherited = served && key_number(samples, row, MESSAGE_SERVED_INHERITED),
		.way = (enum message_way)key_number(samples, row, first + MESSAGE_ASKED_WAY),
		.began_ns = key_number(samples, row, first + MESSAGE_ASKED_BEGAN),
		.ended_ns = key_number(samples, row, first + MESSAGE_ASKED_ENDED),
	};

	if (name)
		ret = stream_match_name(
			merge_side_number(samples, row, COLUMN_FEATURE, name->expression));
	if (ret.way >= MESSAGE_WAYS)
		ret.peers = 0;
	if (!name &&
	    ret.way != MESSAGE_BY_POSITION) /* moments of other clocks are no moments of its own */
		ret.stream += CLOCK_APART * key_number(samples, row, MESSAGE_CLOCK);
	if (served)
		set_worked(samples, row, &ret);
	if (name)
		return ret;
	if (served)
		ret.before = ret.began_ns && ret.began_ns < key_number(samples, row, MESSAGE_BEGAN);
	else
		ret.until_ns = until_ns(samples, row);
	return ret;
}

void merge_side_asked(const struct samples *samples, size_t row, const struct merge_name *name,
		      struct message *ret)
{
	for (unsigned i = 0; i < MESSAGE_ASKED_MOST; i++)
		ret[i] = name && i ? (struct message){0}
				   : message_of(samples, row, message_asked_key(i), name);
}

static bool side_matches(const struct samples *samples, const char *pattern)
{
	struct arena *arena = arena_create();
	const bool ret = cxx_name_matches(samples->function, samples->linkage,
					  cxx_name_canonical(arena, pattern));

	arena_destroy(arena);
	return ret;
}

static bool has_any(const struct samples *samples, enum message_key first,
		    const struct merge_name *name)
{
	bool any = false;

	if (name)
		return side_matches(samples, name->function) &&
		       samples_find_column(samples, COLUMN_FEATURE, name->expression) <
			       samples->n_columns;
	for (size_t i = 0; i < samples->n_rows && !any; i++)
		any = message_of(samples, i, first, NULL).peers;
	return any;
}

static bool side_is_named(const struct merge_request *request, const struct samples *samples)
{
	bool named = false;

	for (size_t i = 0; i < request->n_functions && !named; i++)
		named = side_matches(samples, request->functions[i]);
	return named;
}

static void side_add_table(struct merge_side *side, struct samples *samples)
{
	side->tables =
		mem_grow(side->tables, &side->capacity, side->n + 1, sizeof(struct samples *));
	side->tables[side->n++] = samples;
}

/* If some of the tables from @first on are named, only they count. */
static bool side_keep_named(struct merge_side *side, size_t first,
			    const struct merge_request *request)
{
	size_t kept = first;
	bool any = false;

	for (size_t i = first; i < side->n; i++)
		any = any || side_is_named(request, side->tables[i]);
	for (size_t i = first; any && i < side->n; i++)
		if (side_is_named(request, side->tables[i]))
			side->tables[kept++] = side->tables[i];
		else
			samples_destroy(side->tables[i]);
	if (any)
		side->n = kept;
	return any;
}

static bool nothing_found(const char *path, enum message_key first, const struct merge_name *name,
			  bool swapped, struct err *err)
{
	const bool asks = first == MESSAGE_ASKED_PEERS;

	if (name)
		return err_set(err, ERR_USAGE, "%s has no samples of %s with the feature %s", path,
			       name->function, name->expression);
	if (swapped)
		return err_set(err, ERR_USAGE,
			       "the functions of %s only %s requests: the client's profile stands "
			       "first, and the servers' behind it",
			       path, asks ? "serve" : "make");
	return err_set(err, ERR_USAGE,
		       "no call in %s %s a request that could be followed: measure the "
		       "functions that %s it with -m time,remote, or name what both sides know by "
		       "--match",
		       path, asks ? "made" : "served", asks ? "send" : "read");
}

size_t merge_side_table(const struct merge_side *side, const struct samples *samples)
{
	size_t i = 0;

	while (side->tables[i] != samples)
		i++;
	return i;
}

size_t merge_side_origin(const struct merge_side *side, size_t table)
{
	size_t i = side->n_origins - 1;

	while (i && side->origins[i].first > table)
		i--;
	return i;
}

static int side_compare_integers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

int merge_side_compare_processes(const struct merge_process *a, const struct merge_process *b)
{
	int order = (a->origin > b->origin) - (a->origin < b->origin);

	if (!order)
		order = side_compare_integers(a->run, b->run);
	return order ? order : side_compare_integers(a->process, b->process);
}

struct merge_process merge_side_process(const struct merge_side *servers,
					const struct served_call *call)
{
	const struct sample_key *key = &call->samples->keys[call->row];
	const size_t table = merge_side_table(servers, call->samples);

	return (struct merge_process){merge_side_origin(servers, table), key->run, key->process};
}

static bool side_add_origin(struct merge_side *side, const char *path, struct profile *profile,
			    struct err *err)
{
	struct arena *arena = arena_create();
	struct run run = {.executable = NULL};
	const bool ok = profile_describe_run(profile, 0, arena, &run, err);

	side->origins = mem_grow(side->origins, &side->origins_capacity, side->n_origins + 1,
				 sizeof(*side->origins));
	side->origins[side->n_origins++] = (struct merge_origin){
		side->n,
		run.executable ? mem_copy(run.executable, strlen(run.executable) + 1, 1) : NULL,
		path, run.started};
	arena_destroy(arena);
	return ok;
}

/* What is known of the tables of one profile. */
struct loaded {
	bool named;      /* the request does */
	int64_t stop_ns; /* as in struct served_call */
};

/* Adds the tables of @path that are of the side. */
static bool side_load(const struct merge_request *request, const char *path, enum message_key first,
		      const struct merge_name *name, struct merge_side *side, struct loaded *ret,
		      struct err *err)
{
	const enum message_key other = MESSAGE_ASKED_PEERS + MESSAGE_SERVED_PEERS - first;
	const size_t before = side->n;
	struct profile *profile;
	const char *const *keys;
	bool ok, swapped = false;
	size_t n;

	if (!profile_open(path, &profile, err))
		return false;
	ok = side_add_origin(side, path, profile, err);
	n = profile_functions(profile, &keys);
	for (size_t i = 0; ok && i < n; i++) {
		struct samples *samples;

		ok = profile_load(profile, keys[i], SIZE_MAX, &samples, err);
		if (ok && has_any(samples, first, name)) {
			side_add_table(side, samples);
		} else if (ok) {
			swapped = swapped || has_any(samples, other, NULL);
			samples_destroy(samples);
		}
	}
	ok = ok &&
	     db_number(profile,
		       "SELECT CAST(max(avg(coalesce(stop_bias_ns, 0)), 0) AS INTEGER) FROM run",
		       &ret->stop_ns, err);
	profile_close(profile);
	if (ok && side->n == before)
		ok = nothing_found(path, first, name, swapped, err);
	ret->named = ok && side_keep_named(side, before, request);
	return ok;
}

bool merge_side_clients(const struct merge_request *request, const struct merge_name *name,
			struct merge_side *ret, struct err *err)
{
	struct loaded loaded;

	*ret = (struct merge_side){0};
	if (!side_load(request, request->client, MESSAGE_ASKED_PEERS, name, ret, &loaded, err)) {
		merge_side_deinit(ret);
		return false;
	}
	return true;
}

static int side_compare_ids(const void *a, const void *b)
{
	return side_compare_integers(*(const int64_t *)a, *(const int64_t *)b);
}

static bool is_inner_call(const int64_t *ids, size_t n, int64_t parent)
{
	return parent && n && bsearch(&parent, ids, n, sizeof(*ids), side_compare_ids);
}

static void add_call(struct merge_side *side, const struct served_call *call,
		     const struct message *message)
{
	side->calls = mem_grow(side->calls, &side->calls_capacity, side->n_calls + 1,
			       sizeof(*side->calls));
	side->messages = mem_grow(side->messages, &side->messages_capacity, side->n_calls + 1,
				  sizeof(*side->messages));
	side->messages[side->n_calls] = *message;
	side->calls[side->n_calls++] = *call;
}

/* Which calls stand for what was asked: @ids of all that serve. */
static void add_calls(struct merge_side *side, const struct samples *samples,
		      const struct merge_name *name, const struct loaded *loaded,
		      const int64_t *ids, size_t n)
{
	struct merge_run run = {0};

	for (size_t i = 0; i < samples->n_rows; i++) {
		struct served_call call = {
			.samples = samples, .row = i, .stop_ns = loaded->stop_ns};
		const struct message message = message_of(samples, i, MESSAGE_SERVED_PEERS, name);
		const bool all_kept = samples->n_calls == samples->n_rows;
		const bool whole_story = (!message.inherited || (loaded->named && all_kept)) &&
					 (message.way != MESSAGE_BY_INTERVAL || all_kept) &&
					 (message.peers || (all_kept && !name));

		if (!whole_story || is_inner_call(ids, n, samples->keys[i].parent))
			continue;
		if (!merge_side_when(samples, i, &run, &call.began_ns, &call.ended_ns))
			call.ended_ns = 0;
		call.clock = run.clock;
		add_call(side, &call, &message);
	}
}

/* Both have the first call, in the same process at the same time. */
static bool are_of_one_run(const struct merge_side *side, size_t a, size_t b)
{
	const struct samples *x = side->tables[a], *y = side->tables[b];

	return side->origins[merge_side_origin(side, a)].started ==
		       side->origins[merge_side_origin(side, b)].started &&
	       !strcmp(x->function, y->function) && x->n_rows && y->n_rows && x->keys[0].process &&
	       x->keys[0].process == y->keys[0].process && x->keys[0].id == y->keys[0].id &&
	       x->keys[0].start_ns == y->keys[0].start_ns;
}

/* What a server did would count twice. */
static bool refuse_twice(const struct merge_side *side, size_t first, struct err *err)
{
	const struct merge_origin *last = &side->origins[side->n_origins - 1];

	for (size_t i = first; i < side->n; i++)
		for (size_t k = 0; k < first; k++)
			if (are_of_one_run(side, i, k))
				return err_set(err, ERR_USAGE,
					       "%s and %s are of the same run of a server: give "
					       "each once",
					       side->origins[merge_side_origin(side, k)].path,
					       last->path);
	return true;
}

bool merge_side_add_server(const struct merge_request *request, const char *path,
			   const struct merge_name *name, struct merge_side *side, struct err *err)
{
	const size_t first = side->n;
	size_t n = 0, n_rows = 0;
	struct loaded loaded;
	int64_t *ids;

	if (!side_load(request, path, MESSAGE_SERVED_PEERS, name, side, &loaded, err) ||
	    !refuse_twice(side, first, err))
		return false;
	for (size_t i = first; i < side->n; i++)
		n_rows += side->tables[i]->n_rows;
	ids = mem_alloc((n_rows + 1) * sizeof(*ids));
	for (size_t i = first; i < side->n; i++)
		for (size_t j = 0; j < side->tables[i]->n_rows; j++)
			ids[n++] = side->tables[i]->keys[j].id;
	qsort(ids, n, sizeof(*ids), side_compare_ids);
	for (size_t i = first; i < side->n; i++)
		add_calls(side, side->tables[i], name, &loaded, ids, n);
	free(ids);
	return true;
}

void merge_side_deinit(struct merge_side *side)
{
	for (size_t i = 0; i < side->n; i++)
		samples_destroy(side->tables[i]);
	for (size_t i = 0; i < side->n_origins; i++)
		free(side->origins[i].program);
	free(side->origins);
	free(side->tables);
	free(side->calls);
	free(side->messages);
}
