/* Exports CSV: one table for all functions, with the columns of all of them. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uthash.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "csv.h"
#include "csv_reader.h"

static const char *const keys_first[] = {"function", "id", "parent", "thread", "run"};
enum { KEYS = sizeof(keys_first) / sizeof(*keys_first) };

/* A column of the file, metrics first. */
struct out_column {
	char *name;
	size_t index;
	UT_hash_handle hh;
};

struct export
{
	struct arena *arena;
	struct out_column *metrics, *features; /* hash tables, in order of addition */
	FILE *out;
	bool spreadsheet;
	bool is_terminal; /* would obey control characters */
};

/* Source: OWASP, CSV Injection: fields that begin with these are run as formulas. */
static bool is_formula(const char *text)
{
	char *end;

	if (!*text || !strchr("=+-@\t\r\n", *text))
		return false;
	strtod(text, &end);
	return *end != '\0';
}

static void csv_put_text(const struct export *export, const char *text)
{
	char *shown;
	size_t n;
	FILE *stream;

	if (!export->spreadsheet && !export->is_terminal) {
		csv_reader_write_field(text, export->out);
		return;
	}
	stream = open_memstream(&shown, &n);
	if (export->spreadsheet && is_formula(text))
		fputc('\'', stream);
	if (export->is_terminal)
		text_print_safe(stream, text);
	else
		fputs(text, stream);
	fclose(stream);
	csv_reader_write_field(shown, export->out);
	free(shown);
}

static void csv_add_column(struct export *export, struct out_column **table, const char *name)
{
	struct out_column *column;

	HASH_FIND_STR(*table, name, column);
	if (column)
		return;
	column = arena_new(export->arena, struct out_column);
	column->name = arena_strdup(export->arena, name);
	HASH_ADD_KEYPTR(hh, *table, column->name, strlen(column->name), column);
}

/* No call has it, since a limit left it out. */
static bool is_left_out(const struct samples *samples, const struct column *column)
{
	return samples->n_rows && value_is_left_out(column->absence[0]);
}

static void add_columns(struct export *export, const struct samples *samples)
{
	for (size_t i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role == COLUMN_METRIC)
			csv_add_column(export, &export->metrics, samples->columns[i].name);
		else if (samples->columns[i].role == COLUMN_FEATURE &&
			 !is_left_out(samples, &samples->columns[i]))
			csv_add_column(export, &export->features, samples->columns[i].name);
}

static bool is_taken(const char *name)
{
	for (size_t i = 0; i < KEYS; i++)
		if (!strcmp(name, keys_first[i]))
			return true;
	return metric_parse(name) != METRIC_COUNT;
}

static size_t write_header(struct export *export)
{
	struct out_column *column, *next;
	size_t n = 0;

	for (size_t i = 0; i < KEYS; i++)
		fprintf(export->out, "%s%s", i ? "," : "", keys_first[i]);
	HASH_ITER (hh, export->metrics, column, next) {
		column->index = n++;
		fprintf(export->out, ",%s", column->name);
	}
	HASH_ITER (hh, export->features, column, next) {
		column->index = n++;
		fputc(',', export->out);
		csv_put_text(export, is_taken(column->name)
					     ? arena_printf(export->arena, "(%s)", column->name)
					     : column->name);
	}
	fputc('\n', export->out);
	return n;
}

/* Integers as such, others such that they read back exactly. */
static void write_number(double number, FILE *out)
{
	if (number == (double)(int64_t)number && number < 0x1p53 && number > -0x1p53)
		fprintf(out, "%lld", (long long)number);
	else
		fprintf(out, "%.17g", number);
}

static void write_cell(const struct export *export, const struct column *column, size_t row)
{
	const char *label;

	if (!column || column->absence[row] != PRESENT)
		return;
	label = samples_label(column, column->numbers[row]);
	if (label)
		csv_put_text(export, label);
	else
		write_number(column->numbers[row], export->out);
}

static void write_row(const struct export *export, const struct samples *samples, size_t row,
		      const struct column *const *columns, size_t n)
{
	FILE *out = export->out;
	const struct sample_key *key = &samples->keys[row];

	csv_put_text(export, samples->function);
	fprintf(out, ",%lld,", (long long)key->id);
	if (key->parent)
		fprintf(out, "%lld", (long long)key->parent);
	fprintf(out, ",%lld,%lld", (long long)key->thread, (long long)key->run);
	for (size_t i = 0; i < n; i++) {
		fputc(',', out);
		write_cell(export, columns[i], row);
	}
	fputc('\n', out);
}

static void write_samples(const struct export *export, const struct samples *samples, size_t n)
{
	const struct column **columns = mem_alloc((n + 1) * sizeof(*columns));

	for (size_t i = 0; i < samples->n_columns; i++) {
		const struct column *column = &samples->columns[i];
		struct out_column *found = NULL;

		if (column->role == COLUMN_METRIC)
			HASH_FIND_STR(export->metrics, column->name, found);
		else if (column->role == COLUMN_FEATURE)
			HASH_FIND_STR(export->features, column->name, found);
		if (found)
			columns[found->index] = column;
	}
	for (size_t i = 0; i < samples->n_rows; i++)
		write_row(export, samples, i, columns, n);
	free(columns);
}

/* Two passes over all functions: all columns must be known before the first row. */
static bool csv_write_all(struct export *export, struct profile *profile,
			  const struct csv_selection *selection, struct err *err)
{
	struct samples *samples;
	size_t n_columns = 0;
	bool has_header = false, ok = true;

	for (size_t i = 0; i < selection->n; i++) {
		if (!profile_load(profile, selection->keys[i], 1, &samples, err))
			return false;
		add_columns(export, samples);
		samples_destroy(samples);
	}
	for (size_t i = 0; ok && i < selection->n; i++) {
		if (!profile_load(profile, selection->keys[i], SIZE_MAX, &samples, err))
			return false;
		ok = !selection->filter || selection->filter(selection->self, samples, err);
		if (ok && !has_header)
			n_columns = write_header(export);
		has_header |= ok;
		if (ok)
			write_samples(export, samples, n_columns);
		ok |= err->code == ERR_NOT_FOUND; /* nothing of this one */
		samples_destroy(samples);
	}
	if (!selection->n)
		write_header(export);
	if (!ok || (selection->n && !has_header))
		return false;
	return !ferror(export->out) ||
	       err_set_errno(err, ERR_IO, errno, "the samples cannot be written");
}

bool csv_export(struct profile *profile, const struct csv_selection *selection, FILE *out,
		struct err *err)
{
	struct export export = {.arena = arena_create(),
				.out = out,
				.spreadsheet = selection->spreadsheet,
				.is_terminal = isatty(fileno(out))};
	bool ok = csv_write_all(&export, profile, selection, err);

	HASH_CLEAR(hh, export.metrics);
	HASH_CLEAR(hh, export.features);
	arena_destroy(export.arena);
	return ok;
}
