/* Nodes are the rows of one table, edges those of another; levels are found again. */
#include "profile_code.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/catalogue/code_seen.h"
#include "profile/db.h"
#include "profile/profile_history.h"

enum { ROWS_MAX = 10000000, CELLS_MAX = 100000 };

static const char TABLES[] =
	"CREATE TABLE IF NOT EXISTS code ("
	" id INTEGER PRIMARY KEY,"
	" name TEXT,"
	" linkage TEXT,"
	" kind TEXT /* function, import (of another module), object */,"
	" addr INTEGER /* link-time */,"
	" size INTEGER,"
	" hash TEXT /* of its instructions; the same where the code is */,"
	" level INTEGER /* steps from main, at most, without a circle; NULL: not reached */,"
	" entry INTEGER /* 1: main, or what other modules may call */,"
	" loops INTEGER,"
	" pointers INTEGER /* 1: it calls through pointers that the code does not tell */,"
	" left_out TEXT /* why --select left it out; NULL: it did not */);"
	"CREATE TABLE IF NOT EXISTS code_call ("
	" caller INTEGER,"
	" callee INTEGER,"
	" kind TEXT /* call, jump, reference */,"
	" PRIMARY KEY (caller, callee)) WITHOUT ROWID;"
	"DELETE FROM code; DELETE FROM code_call;";

static const char *const node_kinds[] = {
	[CODE_FUNCTION] = "function", [CODE_IMPORT] = "import", [CODE_OBJECT] = "object"};
static const char *const edge_kinds[] = {[CODE_CALL] = "call",
					 [CODE_JUMP] = "jump",
					 [CODE_SEEN] = "seen",
					 [CODE_REFERENCE] = "reference"};

bool profile_code_is_kept(struct profile *profile, bool *ret, struct err *err)
{
	int64_t n;

	if (!db_number(profile,
		       "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND "
		       "rootpage > 1 AND name IN ('code', 'code_call')",
		       &n, err))
		return false;
	*ret = n == 2;
	return true;
}

static bool nodes_keep(struct profile *profile, const struct code_graph *graph,
		       const struct left_out *list, size_t n, struct err *err)
{
	sqlite3_stmt *statement;
	size_t at = 0;
	bool ok = true;

	if (!db_prepare(profile, &statement, err,
			"INSERT INTO code VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"))
		return false;
	for (size_t i = 0; ok && i < graph->n; i++) {
		const struct code_node *node = &graph->nodes[i];
		char hash[20];

		snprintf(hash, sizeof(hash), "%016" PRIx64, node->hash);
		while (i < graph->n_functions && at < n && list[at].addr < node->addr)
			at++;
		sqlite3_clear_bindings(statement);
		sqlite3_bind_int64(statement, 1, (int64_t)i);
		sqlite3_bind_text(statement, 2, node->name, -1, SQLITE_STATIC);
		sqlite3_bind_text(statement, 3, node->linkage, -1, SQLITE_STATIC);
		sqlite3_bind_text(statement, 4, node_kinds[node->kind], -1, SQLITE_STATIC);
		sqlite3_bind_int64(statement, 5, (int64_t)(node->addr & INT64_MAX));
		sqlite3_bind_int64(statement, 6, (int64_t)(node->size & INT64_MAX));
		sqlite3_bind_text(statement, 7, hash, -1, SQLITE_TRANSIENT);
		if (node->level != CODE_NO_LEVEL)
			sqlite3_bind_int64(statement, 8, node->level);
		sqlite3_bind_int64(statement, 9, node->is_entry);
		sqlite3_bind_int64(statement, 10, node->loops);
		sqlite3_bind_int64(statement, 11, node->calls_unknown);
		if (i < graph->n_functions && at < n && list[at].addr == node->addr)
			sqlite3_bind_text(statement, 12, list[at].reason, -1, SQLITE_STATIC);
		ok = db_run(profile, statement, err);
	}
	sqlite3_finalize(statement);
	return ok;
}

static bool edges_keep(struct profile *profile, const struct code_graph *graph, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok = true;

	if (!db_prepare(profile, &statement, err, "INSERT INTO code_call VALUES (?, ?, ?)"))
		return false;
	for (size_t i = 0; ok && i < graph->n_edges; i++) {
		const struct code_edge *edge = &graph->callees[i];

		sqlite3_bind_int64(statement, 1, edge->from);
		sqlite3_bind_int64(statement, 2, edge->to);
		sqlite3_bind_text(statement, 3, edge_kinds[edge->kind], -1, SQLITE_STATIC);
		ok = db_run(profile, statement, err);
	}
	sqlite3_finalize(statement);
	return ok;
}

bool profile_code_keep(struct profile *profile, const struct code_graph *graph,
		       const struct left_out *list, size_t n, struct err *err)
{
	if (!db_begin(profile, err))
		return false;
	if (db_exec(profile, TABLES, err) && nodes_keep(profile, graph, list, n, err) &&
	    edges_keep(profile, graph, err))
		return db_commit(profile, err);
	db_rollback(profile);
	return false;
}

static size_t kind_find(const char *const *kinds, size_t n, const char *name)
{
	size_t at = 0;

	while (at < n && (!name || strcmp(kinds[at], name) != 0))
		at++;
	return at;
}

/* Ids count from 0: others would be read twice, or stand for none. */
static bool node_read(struct profile *profile, sqlite3_stmt *row, struct code_graph *graph,
		      size_t *budget, struct err *err)
{
	const char *kind = (const char *)sqlite3_column_text(row, 3);
	const size_t found = kind_find(node_kinds, sizeof(node_kinds) / sizeof(*node_kinds), kind);
	const char *hash = (const char *)sqlite3_column_text(row, 6);
	struct code_node node = {.kind = (enum code_node_kind)found,
				 .hash = hash ? strtoull(hash, NULL, 16) : 0,
				 .is_entry = sqlite3_column_int(row, 7) != 0,
				 .loops = sqlite3_column_int(row, 8) != 0,
				 .calls_unknown = sqlite3_column_int(row, 9) != 0};
	int64_t id, addr, size;

	if (!db_column_int(profile, row, 0, &id, err) ||
	    !db_column_text(profile, row, 1, graph->arena, budget, &node.name, err) ||
	    !db_column_text(profile, row, 2, graph->arena, budget, &node.linkage, err) ||
	    !db_column_int(profile, row, 4, &addr, err) ||
	    !db_column_int(profile, row, 5, &size, err))
		return false;
	node.addr = (uint64_t)addr;
	node.size = (uint64_t)size;
	if ((size_t)id != graph->n || found == sizeof(node_kinds) / sizeof(*node_kinds) ||
	    !node.name || !node.linkage ||
	    (node.kind == CODE_FUNCTION && graph->n != graph->n_functions) ||
	    (node.kind == CODE_FUNCTION && graph->n &&
	     graph->nodes[graph->n - 1].addr >= node.addr))
		return db_damaged(profile, "its call graph is out of order", err);
	code_graph_add(graph, &node);
	return true;
}

static bool edge_read(struct profile *profile, sqlite3_stmt *row, struct code_graph *graph,
		      struct err *err)
{
	const size_t kind = kind_find(edge_kinds, sizeof(edge_kinds) / sizeof(*edge_kinds),
				      (const char *)sqlite3_column_text(row, 2));
	int64_t from, to;

	if (!db_column_int(profile, row, 0, &from, err) ||
	    !db_column_int(profile, row, 1, &to, err))
		return false;
	if ((size_t)from >= graph->n || (size_t)to >= graph->n ||
	    kind == sizeof(edge_kinds) / sizeof(*edge_kinds) ||
	    (graph->n_edges && graph->callees[graph->n_edges - 1].from > from))
		return db_damaged(profile, "its call graph has calls of nobody", err);
	code_graph_link(graph, (size_t)from, (size_t)to, (enum code_edge_kind)kind);
	return true;
}

static bool graph_read(struct profile *profile, struct code_graph *graph, struct err *err)
{
	size_t budget;
	sqlite3_stmt *statement;
	bool row = true, ok;

	if (!db_size(profile, &budget, err) ||
	    !db_prepare(profile, &statement, err,
			"SELECT id, name, linkage, kind, addr, size, hash, entry, loops, pointers "
			"FROM code ORDER BY id LIMIT %d",
			ROWS_MAX))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row)
		if (!(ok = node_read(profile, statement, graph, &budget, err)))
			break;
	sqlite3_finalize(statement);
	if (!ok || !db_prepare(profile, &statement, err,
			       "SELECT caller, callee, kind FROM code_call "
			       "ORDER BY caller, callee LIMIT %d",
			       ROWS_MAX))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row)
		if (!(ok = edge_read(profile, statement, graph, err)))
			break;
	sqlite3_finalize(statement);
	return ok;
}

/* What samples say: shares, and who was called within whom. */
static bool seen_read(struct profile *profile, struct code_graph *graph, struct err *err)
{
	struct code_seen *seen = code_seen_begin(graph);
	const char *const *keys;
	const size_t n = profile_functions(profile, &keys);
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		struct samples *samples;
		double share;
		size_t node;

		ok = profile_load(profile, keys[i], CELLS_MAX, &samples, err);
		if (!ok)
			break;
		node = samples->module ? CODE_NONE : code_seen_find(seen, samples->linkage);
		ok = profile_callers(profile, samples, err) &&
		     profile_function_share(profile, keys[i], &share, err);
		if (ok && node != CODE_NONE)
			code_seen_take(seen, node, samples->function, samples->n_calls, share);
		for (size_t k = 0; ok && node != CODE_NONE && k < samples->n_rows; k++)
			if (samples->callers[k])
				code_seen_call(seen, samples->callers[k], node);
		samples_destroy(samples);
	}
	code_seen_end(seen);
	return ok;
}

bool profile_code_load(struct profile *profile, struct code_graph **ret, struct err *err)
{
	struct code_graph *graph;
	struct past_run *runs;
	bool is_kept;
	size_t n;

	if (!profile_code_is_kept(profile, &is_kept, err))
		return false;
	if (!is_kept)
		return err_set(err, ERR_NOT_FOUND,
			       "%s has no call graph: it is of an older fathom, imported, or of a "
			       "stripped program; fathom calls PROG shows the program's",
			       profile->path);
	graph = code_graph_create();
	if (graph_read(profile, graph, err) && seen_read(profile, graph, err) &&
	    profile_history(profile, 1, graph->arena, &runs, &n, err)) {
		graph->build_id = n ? runs[0].run.build_id : NULL;
		*ret = graph;
		return true;
	}
	code_graph_destroy(graph);
	return false;
}

bool profile_code_visit_calls(struct profile *profile,
			      void (*take)(void *self, const char *caller, const char *callee),
			      void *self, struct err *err)
{
	sqlite3_stmt *statement;
	bool is_kept, row, ok;

	if (!profile_code_is_kept(profile, &is_kept, err) || !is_kept)
		return false;
	if (!db_prepare(profile, &statement, err,
			"SELECT a.name, b.name FROM code_call JOIN code AS a ON a.id = caller "
			"JOIN code AS b ON b.id = callee WHERE code_call.kind <> 'reference' AND "
			"(a.name IN (SELECT name FROM function) OR b.name IN (SELECT name FROM "
			"function)) ORDER BY caller, callee LIMIT %d",
			ROWS_MAX))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row) {
		const char *caller = (const char *)sqlite3_column_text(statement, 0),
			   *callee = (const char *)sqlite3_column_text(statement, 1);

		if (caller && callee)
			take(self, caller, callee);
	}
	sqlite3_finalize(statement);
	return ok;
}
