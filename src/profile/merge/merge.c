/* Makes the merged tables, and the profile that has them. */
#include "merge.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "core/samples/part_columns.h"
#include "handed_over.h"
#include "merge_costs.h"
#include "merge_parts.h"
#include "merge_run.h"
#include "merge_served.h"
#include "merge_side.h"

static const char RULE[] = "matched.by";

/* "f.x = g.y": the first dot behind each function's name. */
static bool name_parse(char *text, struct merge_name *ret)
{
	char *end;

	text += strspn(text, " ");
	end = text + strlen(text);
	while (end > text && end[-1] == ' ')
		*--end = '\0';
	ret->function = text;
	ret->expression = strchr(text, '.');
	if (!ret->expression || ret->expression == text || !ret->expression[1])
		return false;
	*ret->expression++ = '\0';
	return true;
}

static bool names_parse(const char *match, struct arena *arena, struct merge_name ret[2],
			struct err *err)
{
	char *text = arena_strdup(arena, match);
	char *equals = strchr(text, '=');

	if (equals) {
		*equals = '\0';
		if (name_parse(text, &ret[0]) && name_parse(equals + 1, &ret[1]))
			return true;
	}
	return err_set(err, ERR_USAGE,
		       "--match '%.100s' is not like 'call.id = handler.request->id'", match);
}

/* One client function that is being merged. */
struct merging {
	struct merge_matched matched;
	struct samples *joint;
	struct merged_function *told;
	const struct merge_side *clients;
	const struct handed_over *handed;
	struct kept_call *kept; /* [calls of `servers`] */
	int64_t last_id;        /* of the calls of the client's functions before */
	bool by_feature;
	size_t parts[METRIC_COUNT]; /* columns of `joint`; 0: none, as time comes first */
	size_t requests;            /* likewise */
	size_t rule;
	const struct samples
		*peers; /* the table of all that served, if each call had one; or NULL */
	size_t first_peer_column;
	struct merge_parts of_functions;
	double *each; /* [calls of `servers`] what each adds to the time of those of a call */
	struct value *row;
	struct arena *arena;
};

static void merging_add_part(struct merging *merging, enum metric metric)
{
	merging->parts[metric] = samples_add_column(
		merging->joint, &(struct column){.name = metric_info(metric)->keyword,
						 .role = COLUMN_METRIC,
						 .metric = metric});
}

/* It may be of a merged profile itself. */
static bool is_found(const struct column *column)
{
	const char *suffix = column->role == COLUMN_KEY ? part_columns_suffix(column->name) : NULL;

	return (column->role == COLUMN_KEY && !strcmp(column->name, RULE)) ||
	       (suffix && !strncmp(suffix, PART_COLUMN_SERVER, strlen(PART_COLUMN_SERVER)));
}

static bool is_clients(const struct column *column)
{
	return !column->is_derived && !is_found(column) &&
	       (column->role != COLUMN_METRIC || column->metric < METRIC_OWN);
}

static void add_like(struct samples *joint, const struct column *column, const char *name)
{
	struct column like = *column;
	size_t at;

	like.name = name;
	at = samples_add_column(joint, &like);
	for (size_t i = 0; i < column->n_labels; i++)
		samples_add_label(joint, at, column->labels[i].number, column->labels[i].name);
}

/* Features whose names could be told apart from those of the client. */
static bool is_shared_feature(const struct column *column)
{
	return column->role == COLUMN_FEATURE && !column->is_derived &&
	       column->provenance != FROM_SYSTEM &&
	       (isalpha((unsigned char)*column->name) || *column->name == '_');
}

static void add_peer_columns(struct merging *merging)
{
	const struct samples *peers = merging->peers;

	merging->first_peer_column = merging->joint->n_columns;
	for (size_t i = 0; peers && i < peers->n_columns; i++)
		if (is_shared_feature(&peers->columns[i]))
			add_like(merging->joint, &peers->columns[i],
				 arena_printf(merging->arena, "%s.%s", peers->function,
					      peers->columns[i].name));
}

static void merging_add_columns(struct merging *merging)
{
	const struct samples *client = merging->matched.client;

	for (size_t i = 0; i < client->n_columns; i++)
		if (is_clients(&client->columns[i]))
			add_like(merging->joint, &client->columns[i], client->columns[i].name);
	merging_add_part(merging, METRIC_OWN);
	merging_add_part(merging, METRIC_NETWORK);
	for (enum metric metric = 0; metric < METRIC_TOTALS; metric++)
		if (merge_side_measured(merging->matched.servers, metric))
			merging_add_part(merging, METRIC_SERVER + metric);
	if (samples_find_column(client, COLUMN_FEATURE, "requests") == client->n_columns)
		merging->requests = samples_add_column(merging->joint,
						       &(struct column){.name = "requests",
									.role = COLUMN_FEATURE,
									.type = FEATURE_INT,
									.provenance = FROM_RETURN});
	merging->rule = samples_add_column(merging->joint,
					   &(struct column){.name = RULE, .role = COLUMN_KEY});
	add_peer_columns(merging);
	merge_parts_find(&merging->matched, merging->joint, merging->arena, &merging->of_functions);
}

/* Nor is it the client's. */
static void take_lost(struct merging *merging, const char *metric, double lost)
{
	const size_t at = samples_find_column(merging->joint, COLUMN_METRIC, metric);

	if (at < merging->joint->n_columns && merging->row[at].absence == PRESENT)
		merging->row[at].number -= lost;
}

static void set_part(struct merging *merging, enum metric metric, double number)
{
	if (!merging->parts[metric])
		return;
	merging->row[merging->parts[metric]] =
		isnan(number) ? (struct value){.absence = ABSENT_NOT_MEASURED}
			      : (struct value){.number = number};
}

/* Servers can have worked for the call @row, of @time, for so long: by the clock on the wall. */
static double longest_wait_us(const struct merging *merging, size_t row, double time)
{
	const struct sample_key *key = &merging->matched.client->keys[row];
	const double elapsed = merge_costs_elapsed_us(&merging->matched, row);

	return isnan(elapsed) ? time + (double)(key->stopped_ns + key->waited_ns) / 1000 : elapsed;
}

/*
 * Sets the parts of the time; returns whether they contradict each other, or are not known. While
 * the client was stopped the servers went on: that long it would have waited, and its time has it.
 */
static enum match_reason set_times(struct merging *merging, size_t row, double server, double lost)
{
	const struct samples *client = merging->matched.client;
	double time = merge_side_number(client, row, COLUMN_METRIC, "time");
	double remote = merge_side_number(client, row, COLUMN_METRIC, "remote");
	const double elapsed = merge_costs_elapsed_us(&merging->matched, row);
	double waited;

	/* Another thread received the answer, or this one that of another call. */
	if (merging->by_feature && !(server <= elapsed + merge_costs_tolerance_us(client)))
		remote = NAN;
	waited = isnan(remote) ? time : remote;
	if (isnan(time) || isnan(server))
		return MATCH_NOT_MEASURED;
	if (server > waited + merge_costs_tolerance_us(client) &&
	    !(server <= longest_wait_us(merging, row, time)))
		return MATCH_CONTRADICTED;
	if (server > waited) {
		take_lost(merging, "time", waited - server);
		take_lost(merging, "remote", waited - server);
		time += server - waited;
		remote += server - waited;
		waited = server;
	}
	lost = fmax(0, fmin(lost, waited - server));
	take_lost(merging, "time", lost);
	take_lost(merging, "remote", lost);
	if (isnan(remote))
		return MATCHED;
	set_part(merging, METRIC_NETWORK, fmax(0, remote - server - lost));
	set_part(merging, METRIC_OWN, fmax(0, time - fmax(remote, server)));
	return MATCHED;
}

static void set_peer_features(struct merging *merging, const struct served_call *call)
{
	const struct samples *peers = merging->peers;
	size_t to = merging->first_peer_column;

	for (size_t i = 0; i < peers->n_columns && to < merging->joint->n_columns; i++)
		if (is_shared_feature(&peers->columns[i]))
			merging->row[to++] = (struct value){peers->columns[i].numbers[call->row],
							    peers->columns[i].absence[call->row]};
}

static enum match_rule rule_of(const struct merging *merging, const struct match *match)
{
	const struct merge_pair *pair = &merging->matched.pairs.list[match->first];

	return merging->by_feature ? MATCH_BY_FEATURE
				   : MATCH_BY_POSITION + (enum match_rule)pair->asked.way;
}

/* Where clocks are known moments tell whether it can have been so. */
static bool is_in_wait(const struct merging *merging, size_t row, const struct match *match)
{
	for (size_t i = match->first; i < match->first + match->n; i++) {
		const struct merge_pair *pair = &merging->matched.pairs.list[i];
		struct clock_bound bound;
		struct clock_fit fit;

		if (merge_costs_clocks(&merging->matched, row, pair->served, &fit) &&
		    merge_clocks_bound(&pair->asked, merging->matched.servers, pair->served,
				       &bound) &&
		    clock_fit_contradicts(&fit, &bound))
			return false;
	}
	return true;
}

/* While it waited other threads worked, which take each other's requests: whose is not known. */
static bool is_handed_over(const struct merging *merging, size_t row, const struct match *match)
{
	for (size_t i = match->first; i < match->first + match->n; i++) {
		const struct merge_pair *pair = &merging->matched.pairs.list[i];
		const int64_t from = (int64_t)pair->asked.began_ns;
		const uint64_t ended =
			pair->asked.ended_ns ? pair->asked.ended_ns : pair->asked.until_ns;
		struct clock_fit fit;

		if (merge_costs_clocks(&merging->matched, row, pair->served, &fit) &&
		    handed_over_may(merging->handed, merging->matched.servers, pair->served,
				    (double)from + clock_fit_ahead(&fit, from) - fit.width,
				    (double)ended + clock_fit_ahead(&fit, (int64_t)ended) +
					    fit.width))
			return true;
	}
	return false;
}

static void keep_served(struct merging *merging, size_t row, const struct match *match)
{
	for (size_t i = match->first; i < match->first + match->n; i++) {
		const size_t served = merging->matched.pairs.list[i].served;
		struct clock_fit fit;

		if (merge_costs_clocks(&merging->matched, row, served, &fit))
			merge_served_keep(merging->matched.client, row,
					  merging->last_id + (int64_t)row + 1,
					  &merging->matched.servers->calls[served], &fit,
					  &merging->kept[served]);
	}
}

/* Did a call that served it leave the answer to others? */
static bool has_returned(const struct merging *merging, const struct match *match)
{
	for (size_t i = match->first; i < match->first + match->n; i++) {
		const size_t served = merging->matched.pairs.list[i].served;

		if (!merge_costs_answered(&merging->matched, served))
			return true;
	}
	return false;
}

static enum match_reason set_matched(struct merging *merging, size_t row, const struct match *match)
{
	struct merge_worked time;
	enum match_reason reason;

	if (!is_in_wait(merging, row, match))
		return MATCH_CONTRADICTED;
	if (is_handed_over(merging, row, match))
		return MATCH_HANDED;
	merge_costs_time(&merging->matched, row, match, merging->each, &time);
	reason = set_times(merging, row, time.worked_us, time.lost_us);
	if (reason != MATCHED)
		return reason;
	for (enum metric metric = 0; metric < METRIC_TOTALS; metric++)
		set_part(merging, METRIC_SERVER + metric,
			 metric == METRIC_TIME ? time.worked_us
					       : merge_costs_of(&merging->matched, match, metric));
	merge_parts_set(&merging->of_functions, &merging->matched, match, merging->each,
			merging->row);
	if (merging->requests)
		merging->row[merging->requests] = (struct value){.number = (double)match->n};
	merging->row[merging->rule] = (struct value){.number = rule_of(merging, match)};
	merging->told->by[rule_of(merging, match)]++;
	merging->told->n_at_once += time.at_once;
	merging->told->n_returned += !merging->by_feature && has_returned(merging, match);
	keep_served(merging, row, match);
	if (merging->peers)
		set_peer_features(
			merging,
			&merging->matched.servers
				 ->calls[merging->matched.pairs.list[match->first].served]);
	return reason;
}

/* What was taken from the call's time passed all the same, as its stops did. */
static int64_t taken_ns(const struct merging *merging, size_t row)
{
	const size_t at = samples_find_column(merging->joint, COLUMN_METRIC, "time");
	const double time = merge_side_number(merging->matched.client, row, COLUMN_METRIC, "time");

	return at < merging->joint->n_columns && fabs(time) < 0x1p52
		       ? (int64_t)(1000 * (time - merging->row[at].number))
		       : 0;
}

static void add_row(struct merging *merging, size_t row, const struct match *match)
{
	const struct samples *client = merging->matched.client;
	struct sample_key key = client->keys[row];
	enum match_reason reason = match->reason;
	size_t to = 0;

	for (size_t i = 0; i < client->n_columns; i++)
		if (is_clients(&client->columns[i]))
			merging->row[to++] = (struct value){client->columns[i].numbers[row],
							    client->columns[i].absence[row]};
	for (; to < merging->joint->n_columns; to++)
		merging->row[to] = (struct value){.absence = ABSENT_UNMATCHED};
	if (reason == MATCHED)
		reason = set_matched(merging, row, match);
	merging->told->counts[reason]++;
	if (reason == MATCH_UNDECIDED && match->n > merging->told->n_peers) {
		merging->told->n_peers = match->n;
		merging->told->undecided = arena_strdup(
			merging->arena,
			merging->matched.servers->calls[match->first].samples->function);
	}
	key.id = merging->last_id + (int64_t)row + 1;
	key.parent = 0;
	key.stopped_ns += taken_ns(merging, row);
	key.stopped_ns = key.stopped_ns > 0 ? key.stopped_ns : 0;
	samples_append(merging->joint, &key, merging->row);
}

/* A variable of the client may be called like the server's function. */
static bool have_one_name(const struct samples *client, const struct samples *peers)
{
	const size_t length = strlen(peers->function);

	for (size_t i = 0; i < client->n_columns; i++)
		if (!strncmp(client->columns[i].name, peers->function, length) &&
		    client->columns[i].name[length] == '.')
			return true;
	return false;
}

/* The one table in which all that served are, if each call had one. */
static const struct samples *single_peers(const struct merging *merging)
{
	const struct match *matches = merging->matched.pairs.matches;
	const struct samples *peers = NULL;

	for (size_t i = 0; i < merging->matched.client->n_rows; i++) {
		const struct samples *now;

		if (matches[i].reason != MATCHED)
			continue;
		now = merging->matched.servers
			      ->calls[merging->matched.pairs.list[matches[i].first].served]
			      .samples;
		if (matches[i].n != 1 || (peers && now != peers))
			return NULL;
		peers = now;
	}
	return peers && have_one_name(merging->matched.client, peers) ? NULL : peers;
}

static void merging_join(struct merging *merging)
{
	const struct samples *client = merging->matched.client;

	merging->joint =
		samples_create(client->function, client->linkage, client->file, client->line);
	samples_set_module(merging->joint, client->module);
	merging->peers = single_peers(merging);
	merging_add_columns(merging);
	merging->row = mem_alloc((merging->joint->n_columns + 1) * sizeof(*merging->row));
	merging->each = mem_alloc((merging->matched.servers->n_calls + 1) * sizeof(*merging->each));
	for (size_t i = 0; i < client->n_rows; i++)
		add_row(merging, i, &merging->matched.pairs.matches[i]);
	free(merging->each);
	free(merging->row);
}

static void tell_clocks(const struct merge_clocks *clocks, struct merged *merged)
{
	struct clock_fit *fits =
		arena_array(merged->arena, struct clock_fit, merged->n_clocks + clocks->n + 1);

	for (size_t i = 0; i < merged->n_clocks; i++)
		fits[i] = merged->clocks[i];
	for (size_t i = 0; i < clocks->n; i++)
		if (clocks->list[i].fit.n)
			fits[merged->n_clocks++] = clocks->list[i].fit;
	merged->clocks = fits;
}

/* @like: what all functions have. */
static bool merge_function(const struct samples *client, const struct merge_name *name,
			   const struct merging *like, int64_t *last_id, struct merged *merged,
			   struct err *err)
{
	const struct merge_side *servers = like->matched.servers;
	struct merging merging = *like;
	struct merge_matched *matched = &merging.matched;
	bool ok;

	matched->client = client;
	merging.last_id = *last_id;
	merging.told = &merged->functions[merged->n_functions++];
	merging.told->name = arena_strdup(merged->arena, client->function);
	merge_pairs_find(client, like->clients, name, servers, &matched->pairs);
	merge_clocks_find(client, &matched->pairs, servers, &matched->clocks);
	tell_clocks(&matched->clocks, merged);
	merging_join(&merging);
	ok = profile_add(merged->joint, merging.joint, err);
	*last_id += (int64_t)client->n_rows;
	samples_destroy(merging.joint);
	merge_pairs_deinit(&matched->pairs);
	return ok;
}

static bool merge_sides(const struct merge_request *request, const struct merge_side *clients,
			const struct merge_side *servers, const struct merge_name *name,
			struct merged *ret, struct err *err)
{
	const struct ending ending = {.how = ENDED_UNKNOWN};
	const struct account account = {.stolen = -1};
	struct kept_call *kept = mem_alloc((servers->n_calls + 1) * sizeof(*kept));
	struct handed_over handed;
	const struct merging like = {.matched = {.servers = servers},
				     .clients = clients,
				     .handed = &handed,
				     .kept = kept,
				     .by_feature = name,
				     .arena = ret->arena};
	int64_t last_id = 0;
	bool ok;

	handed_over_find(servers, &handed);
	ret->functions = arena_array(ret->arena, struct merged_function, clients->n);
	ok = merge_run_begin(request->client, clients->tables[0], &ret->joint, err);
	for (size_t i = 0; ok && i < clients->n; i++)
		ok = merge_function(clients->tables[i], name, &like, &last_id, ret, err);
	ok = ok &&
	     merge_served_add(servers, kept, clients->origins[0].program, last_id, ret->joint, err);
	handed_over_deinit(&handed);
	free(kept);
	return ok && profile_end_run(ret->joint, &ending, &account, err);
}

bool merge_profiles(const struct merge_request *request, struct merged *ret, struct err *err)
{
	struct merge_name names[2];
	const struct merge_name *asks = request->match ? &names[0] : NULL;
	const struct merge_name *serves = request->match ? &names[1] : NULL;
	struct merge_side clients, servers = {0};
	bool ok = true;

	*ret = (struct merged){.arena = arena_create()};
	if ((request->match && !names_parse(request->match, ret->arena, names, err)) ||
	    !merge_side_clients(request, asks, &clients, err)) {
		merge_deinit(ret);
		return false;
	}
	for (size_t i = 0; ok && i < request->n_servers; i++)
		ok = merge_side_add_server(request, request->servers[i], serves, &servers, err);
	ok = ok && merge_sides(request, &clients, &servers, asks, ret, err);
	merge_side_deinit(&clients);
	merge_side_deinit(&servers);
	if (!ok)
		merge_deinit(ret);
	return ok;
}

void merge_deinit(struct merged *merged)
{
	profile_close(merged->joint);
	arena_destroy(merged->arena);
	*merged = (struct merged){0};
}
