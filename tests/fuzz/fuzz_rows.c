/*
 * Profiles with any rows: the file is one that SQLite takes, what is in its tables is anybody's.
 *
 * A profile with two functions, two runs and all that goes with them is made once. The input is a
 * list of changes, each a byte for a column, one for what to do and one for the kind of the value,
 * and then its bytes; the changed profile is a file again, in memory, and read: its functions
 * always, the rest and all of it as CSV in one of some inputs, which what they hold decides.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "fuzz.h"
#include "memory_file.h"
#include "profile/csv/csv.h"
#include "profile/profile_causal.h"
#include "profile/profile_history.h"
#include "profile/profile_models.h"

enum { COLUMNS_MAX = 256, CHANGES_MAX = 8, CELLS_MAX = 100000, LONG_TEXT = 70000 };

/* For each column of each table: all rows get a value there, or another row comes with it. */
struct column_change {
	sqlite3_stmt *update, *insert;
};

static struct {
	sqlite3 *db;
	struct column_change columns[COLUMNS_MAX];
	size_t n;
	unsigned char *image; /* the changed profile; rows.path holds it */
	char path[64];
} rows;

static struct samples *samples_make(const char *function, unsigned n)
{
	struct samples *samples = samples_create(function, function, "some.c", 7);
	const struct column columns[] = {
		{.name = "time", .role = COLUMN_METRIC, .metric = METRIC_TIME},
		{.name = "n", .role = COLUMN_FEATURE, .type = FEATURE_INT},
		{.name = "kind", .role = COLUMN_FEATURE, .type = FEATURE_ENUM},
		{.name = "weight", .role = COLUMN_FEATURE, .type = FEATURE_FLOAT},
		{.name = "some.c:9", .role = COLUMN_BRANCH},
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		samples_add_column(samples, &columns[i]);
	samples_add_label(samples, 2, 0, "RED");
	samples_add_label(samples, 2, 1, "BLUE");
	for (unsigned i = 0; i < n; i++) {
		const struct sample_key key = {.id = i + 1, .parent = i / 2, .thread = 3};
		const struct value cells[] = {
			{.number = i * 1.5},
			{.number = i},
			{.number = i % 2},
			{.number = 1.0 / (i + 1), .absence = i % 3 ? PRESENT : ABSENT_NULL},
			{.number = i % 2}};

		samples_append(samples, &key, cells);
	}
	return samples;
}

static void run_add(struct profile *profile, const struct run *run)
{
	const struct profile_model model = {.function = "outer",
					    .metric = METRIC_TIME,
					    .options = "some",
					    .samples = "hash",
					    .maker = "me",
					    .bytes = "bytes",
					    .size = 5};
	const struct line_samples line = {"some.c", 9, 5};
	const struct function like = {.name = "outer", .linkage = "outer"};
	const struct function_account calls = {.calls = 9};
	const struct ending ending = {.how = ENDED_UNKNOWN};
	const struct account account = {.stolen = 0.5};
	struct samples *tables[] = {samples_make("outer", 6), samples_make("inner", 4)};
	struct err err;

	FUZZ_EXPECT(profile_begin_run(profile, run, &err));
	FUZZ_EXPECT(profile_add_batch(profile, tables, 2, &err));
	FUZZ_EXPECT(profile_add_account(profile, &like, NULL, &calls, &err));
	FUZZ_EXPECT(profile_add_lines(profile, &line, 1, 10, &err));
	FUZZ_EXPECT(profile_end_run(profile, &ending, &account, &err));
	FUZZ_EXPECT(profile_keep_models(profile, &model, 1, &err));
	samples_destroy(tables[0]);
	samples_destroy(tables[1]);
}

static void profile_make(const char *path)
{
	static const struct run_library library = {.path = "/lib/some.so", .build_id = "ab"};
	const struct run run = {.command = "program",
				.executable = "/bin/program",
				.build_id = "0123",
				.libraries = &library,
				.n_libraries = 1};
	struct profile *profile;
	struct err err;

	FUZZ_EXPECT(profile_open_to_add(path, NULL, &profile, &err));
	run_add(profile, &run);
	run_add(profile, &run);
	profile_close(profile);
}

/* What sqlite3_mprintf() made of the statement. */
static sqlite3_stmt *statement_take(char *text)
{
	sqlite3_stmt *ret = NULL;

	FUZZ_EXPECT(sqlite3_prepare_v2(rows.db, text, -1, &ret, NULL) == SQLITE_OK);
	sqlite3_free(text);
	return ret;
}

/* The table's columns, with ?1 in place of @column. */
static char *columns_but(const char *table, const char *column)
{
	sqlite3_stmt *select = statement_take(
		sqlite3_mprintf("SELECT group_concat(CASE name WHEN %Q THEN '?1' ELSE name END) "
				"FROM pragma_table_info(%Q)",
				column, table));
	char *ret;

	FUZZ_EXPECT(sqlite3_step(select) == SQLITE_ROW);
	ret = sqlite3_mprintf("%s", sqlite3_column_text(select, 0));
	sqlite3_finalize(select);
	return ret;
}

static void columns_find(void)
{
	sqlite3_stmt *select = statement_take(sqlite3_mprintf(
		"SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c "
		"WHERE m.type = 'table' ORDER BY 1, c.cid"));

	while (sqlite3_step(select) == SQLITE_ROW && rows.n < COLUMNS_MAX) {
		const char *table = (const char *)sqlite3_column_text(select, 0);
		const char *column = (const char *)sqlite3_column_text(select, 1);
		char *others = columns_but(table, column);

		rows.columns[rows.n++] = (struct column_change){
			statement_take(
				sqlite3_mprintf("UPDATE OR IGNORE %s SET %s = ?1", table, column)),
			statement_take(sqlite3_mprintf(
				"INSERT OR IGNORE INTO %s SELECT %s FROM %s LIMIT 1", table, others,
				table))};
		sqlite3_free(others);
	}
	sqlite3_finalize(select);
}

static void rows_end(void)
{
	unlink(rows.path);
}

/* The database at @path, in memory. */
static void rows_load(const char *path)
{
	sqlite3 *file;
	sqlite3_int64 size;
	unsigned char *image;

	FUZZ_EXPECT(sqlite3_open(path, &file) == SQLITE_OK);
	image = sqlite3_serialize(file, "main", &size, 0);
	sqlite3_close(file);
	FUZZ_EXPECT(image && sqlite3_open(":memory:", &rows.db) == SQLITE_OK);
	FUZZ_EXPECT(sqlite3_deserialize(rows.db, "main", image, size, size,
					SQLITE_DESERIALIZE_FREEONCLOSE |
						SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK);
}

static void rows_begin(void)
{
	char path[] = "/tmp/fathom-fuzz-XXXXXX";
	const int fd = mkstemp(path);

	FUZZ_EXPECT(fd >= 0);
	close(fd);
	/* Of one thread, and nobody asks how much memory it has: without its locks. */
	FUZZ_EXPECT(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK &&
		    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK);
	profile_make(path);
	rows_load(path);
	columns_find();
	/* That there is a file is asked of the system, what it holds of SQLite. */
	strcpy(rows.path, path);
	memory_file_make(rows.path);
	atexit(rows_end);
}

/* Bind a value of @kind, with what @bytes [n] have for it; returns how many that were. */
static size_t value_bind(sqlite3_stmt *to, uint8_t kind, const uint8_t *bytes, size_t n)
{
	static const double odd[] = {INFINITY, -INFINITY, 1e308, -0.0, 5e-324, 0.5, -1.5, 1e18};
	static char *text;
	const size_t n_text = n < 32 ? n : 32;
	int64_t number = 0;

	memcpy(&number, bytes, n < 8 ? n : 8);
	switch (kind % 8) {
	case 0:
		sqlite3_bind_null(to, 1);
		return 0;
	case 1:
		sqlite3_bind_int64(to, 1, n ? (int8_t)*bytes : 0);
		return n > 0;
	case 2:
	case 3:
		sqlite3_bind_int64(to, 1, number);
		return n < 8 ? n : 8;
	case 4:
		sqlite3_bind_double(to, 1, odd[kind / 8 % 8]);
		return 0;
	case 5:
	case 6:
		if (kind % 8 == 5)
			sqlite3_bind_text(to, 1, (const char *)bytes, (int)n_text,
					  SQLITE_TRANSIENT);
		else
			sqlite3_bind_blob(to, 1, bytes, (int)n_text, SQLITE_TRANSIENT);
		return n_text;
	default:
		if (!text) {
			text = malloc(LONG_TEXT);
			FUZZ_EXPECT(text);
			memset(text, 'x', LONG_TEXT);
		}
		sqlite3_bind_text(to, 1, text, LONG_TEXT, SQLITE_STATIC);
		return 0;
	}
}

static void rows_change(const uint8_t *bytes, size_t n)
{
	for (int i = 0; i < CHANGES_MAX && n >= 3; i++) {
		const struct column_change *column = &rows.columns[bytes[0] % rows.n];
		sqlite3_stmt *run = bytes[1] % 4 ? column->update : column->insert;
		const size_t used = value_bind(run, bytes[2], bytes + 3, n - 3);

		sqlite3_step(run);
		sqlite3_reset(run);
		bytes += 3 + used;
		n -= 3 + used;
	}
}

static void file_make(const uint8_t *bytes, size_t n)
{
	sqlite3_int64 size;

	sqlite3_free(rows.image);
	sqlite3_exec(rows.db, "BEGIN", NULL, NULL, NULL);
	rows_change(bytes, n);
	rows.image = sqlite3_serialize(rows.db, "main", &size, 0);
	sqlite3_exec(rows.db, "ROLLBACK", NULL, NULL, NULL);
	FUZZ_EXPECT(rows.image);
	memory_file_set(rows.image, (size_t)size);
}

static void error_check(bool ok, const struct err *err)
{
	FUZZ_EXPECT(ok || (err->code != ERR_NONE && err->text[0] && !strchr(err->text, '\n')));
}

static void samples_check(const struct samples *samples)
{
	for (size_t i = 0; i < samples->n_columns; i++)
		for (size_t row = 0; row < samples->n_rows; row++)
			FUZZ_EXPECT(samples->columns[i].absence[row] != PRESENT ||
				    isfinite(samples->columns[i].numbers[row]));
}

static void function_read(struct profile *profile, const char *key)
{
	struct profile_model model = {.function = key,
				      .metric = METRIC_TIME,
				      .options = "some",
				      .samples = "hash",
				      .maker = "me"};
	struct samples *samples = NULL;
	struct err err = {0};
	double number;
	size_t count;
	bool ok;

	error_check(profile_count(profile, key, &count, &err), &err);
	error_check(profile_function_time(profile, key, &number, &err), &err);
	error_check(profile_function_share(profile, key, &number, &err), &err);
	error_check(profile_find_model(profile, &model, &err), &err);
	ok = profile_load(profile, key, CELLS_MAX, &samples, &err);
	error_check(ok, &err);
	if (!ok)
		return;
	samples_check(samples);
	samples_destroy(samples);
}

static void line_take(void *self, unsigned line, double share)
{
	(void)self, (void)line, (void)share;
}

static void runs_read(struct profile *profile)
{
	struct arena *arena = arena_create();
	struct kept_experiments kept = {.setting = NULL};
	const char *const *probes;
	struct past_run *runs;
	struct err err = {0};
	double seconds;
	size_t n;
	bool ok;

	error_check(profile_duration(profile, &seconds, &err), &err);
	error_check(profile_probes(profile, arena, &probes, &n, &err), &err);
	error_check(profile_history(profile, 20, arena, &runs, &n, &err), &err);
	error_check(profile_visit_lines(profile, "some.c", line_take, NULL, &err), &err);
	ok = profile_load_experiments(profile, 0, &kept, &err);
	error_check(ok, &err);
	if (ok)
		experiment_table_destroy(kept.experiments);
	arena_destroy(arena);
}

/* What is written of it as CSV, to be freed. */
static char *profile_export(struct profile *profile, const char *const *keys, size_t n)
{
	const struct csv_selection all = {keys, n, NULL, NULL};
	struct err err = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	error_check(csv_export(profile, &all, out, &err), &err);
	fclose(out);
	return text;
}

/* One time in 16: it reads everything once more, and twice. */
static bool is_exported(unsigned parts)
{
	return parts & FUZZ_WRITTEN && parts & FUZZ_DEEP;
}

/* Read of the profile what @parts say; false: it is refused. *@ret: as CSV, NULL if not asked. */
static bool profile_read_parts(unsigned parts, char **ret)
{
	struct profile *profile;
	const char *const *keys;
	struct err err = {0};
	size_t n;

	*ret = NULL;
	if (!profile_open(rows.path, &profile, &err)) {
		error_check(false, &err);
		return false;
	}
	n = profile_functions(profile, &keys);
	for (size_t i = 0; i < n; i++)
		function_read(profile, keys[i]);
	if (parts & FUZZ_GRAPH)
		runs_read(profile);
	if (is_exported(parts))
		*ret = profile_export(profile, keys, n);
	profile_close(profile);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const unsigned parts = fuzz_parts(bytes, n);
	char *first, *second;
	bool ok;

	if (!rows.db)
		rows_begin();
	file_make(bytes, n);
	ok = profile_read_parts(parts, &first);
	FUZZ_EXPECT(ok || n >= 3); /* as it was made, it is read */
	if (is_exported(parts)) {
		FUZZ_EXPECT(profile_read_parts(parts, &second) == ok);
		FUZZ_EXPECT(!first == !second && (!first || !strcmp(first, second)));
		free(second);
	}
	free(first);
	return 0;
}
