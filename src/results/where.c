/* Finds the columns that a condition names, and asks it of each row. */
#include "where.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "core/cxx_name.h"
#include "core/samples/derived_columns.h"
#include "model/data/short_name.h"
#include "shell/condition.h"

struct where {
	struct samples *samples;
	struct arena *arena;
	const struct condition_name *names;
	size_t n_names;
	const size_t
		*columns; /* [n_names] of the samples; n_columns: none, it is of the row's key */
};

enum { NAMES_PER_FEATURE = 3 };

/* Expressions, and what annotations call features: as @names does, and as a new one would. */
static struct condition_known where_known(const struct samples *samples,
					  const struct annotation *names, struct arena *arena)
{
	struct condition_feature *list = arena_array(arena, struct condition_feature,
						     NAMES_PER_FEATURE * samples->n_columns +
							     (names ? names->n_features : 0) + 1);
	size_t n = 0;

	for (size_t i = 0; names && i < names->n_features; i++)
		list[n++] = (struct condition_feature){names->features[i].name,
						       names->features[i].expression};
	for (size_t i = 0; i < samples->n_columns; i++) {
		const char *expression = samples->columns[i].name;

		if (samples->columns[i].role != COLUMN_FEATURE)
			continue;
		list[n++] = (struct condition_feature){expression, expression};
	}
	for (size_t i = 0; i < samples->n_columns; i++) {
		const char *expression = samples->columns[i].name;
		const char *name;

		if (samples->columns[i].role != COLUMN_FEATURE)
			continue;
		name = short_name(arena, expression, NULL, 0);
		list[n++] = (struct condition_feature){name, expression};
		list[n++] = (struct condition_feature){short_name(arena, expression, &name, 1),
						       expression};
	}
	return (struct condition_known){list, n};
}

static const char *const row_words[] = {"run", "process", "thread", "start"};

static bool is_of_row(const char *name)
{
	for (size_t i = 0; i < sizeof(row_words) / sizeof(*row_words); i++)
		if (!strcmp(name, row_words[i]))
			return true;
	return false;
}

static bool where_refuse_name(const struct where *where, const char *name, struct err *err)
{
	const struct samples *samples = where->samples;
	size_t distance = SIZE_MAX;
	const char *near = NULL;

	for (size_t i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role != COLUMN_BRANCH &&
		    cxx_name_is_nearer(samples->columns[i].name, name, &distance))
			near = samples->columns[i].name;
	return err_set(err, ERR_NOT_FOUND, "the samples of %.100s have no %.100s%s%.100s%s",
		       samples->function, name, near ? " (near: " : "", near ? near : "",
		       near ? ")" : "");
}

/* `p == Bundle`, as annotations write it, is of the class of *p, not of whether p is null. */
static size_t where_class(const struct where *where, const char *expression, size_t column)
{
	const size_t n = strlen(expression);
	const bool is_test = n > 5 && !strcmp(expression + n - 5, " != 0");
	const char *class =
		arena_printf(where->arena, "typeid(*%.*s)", (int)(is_test ? n - 5 : n), expression);
	const size_t found = samples_find_column(where->samples, COLUMN_FEATURE, class);

	return found < where->samples->n_columns ? found : column;
}

static bool where_feature(const struct where *where, const struct condition_name *name, size_t *ret,
			  struct err *err)
{
	const struct samples *samples = where->samples;
	const struct column *column;

	*ret = samples_find_column(samples, COLUMN_FEATURE, name->expression);
	if (*ret == samples->n_columns && !name->is_amount) /* a pointer, which is null or not */
		*ret = samples_find_column(samples, COLUMN_FEATURE,
					   arena_printf(where->arena, "%s != 0", name->expression));
	if (name->symbol)
		*ret = where_class(where, name->expression, *ret);
	if (*ret == samples->n_columns)
		return is_of_row(name->expression) || !strcmp(name->expression, FEATURE_EXIT) ||
		       where_refuse_name(where, name->expression, err);
	column = &samples->columns[*ret];
	return !name->symbol || column->n_labels || column->type == FEATURE_ENUM ||
	       column->type == FEATURE_CLASS || column->type == FEATURE_STRING ||
	       err_set(err, ERR_USAGE,
		       "%.100s is a number, and %.100s is none: a feature goes in parentheses, "
		       "(%.100s)",
		       name->expression, name->symbol, name->symbol);
}

static bool where_column(const struct where *where, const struct condition_name *name, size_t *ret,
			 struct err *err)
{
	const char *keyword;

	switch (name->kind) {
	case CONDITION_FEATURE:
		return where_feature(where, name, ret, err);
	case CONDITION_METRIC:
		keyword = metric_info(name->metric)->keyword;
		*ret = samples_find_column(where->samples, COLUMN_METRIC, keyword);
		return *ret < where->samples->n_columns ||
		       err_set(err, ERR_NOT_FOUND,
			       "%s of %.100s was not measured: fathom run -m %s does", keyword,
			       where->samples->function, keyword);
	case CONDITION_PREDICTED:
	case CONDITION_ELAPSED:
	case CONDITION_SURPRISING:
		break;
	}
	return err_set(
		err, ERR_USAGE,
		"predicted, elapsed and surprising are of calls at the prompt: a stored call "
		"has features, metrics, exit, run, process, thread and start");
}

/* What is no column: of the row's key, and how a call ended of which all returned. */
static double row_number(const struct sample_key *key, const struct condition_name *name)
{
	const double numbers[] = {(double)key->run, (double)key->process, (double)key->thread,
				  (double)key->start_ns / 1e3};

	for (size_t i = 0; i < sizeof(row_words) / sizeof(*row_words); i++)
		if (!strcmp(name->expression, row_words[i]))
			return numbers[i];
	return name->symbol ? !strcmp(name->symbol, feature_exit_labels[CALL_RETURNED].name)
			    : CALL_RETURNED;
}

static struct value where_value(const struct where *where, size_t i, size_t row)
{
	const struct condition_name *name = &where->names[i];
	const struct column *column;
	const char *label;

	if (where->columns[i] == where->samples->n_columns)
		return (struct value){.number = row_number(&where->samples->keys[row], name)};
	column = &where->samples->columns[where->columns[i]];
	if (column->absence[row] != PRESENT || !name->symbol)
		return (struct value){.number = column->numbers[row],
				      .absence = column->absence[row]};
	label = samples_label(column, column->numbers[row]);
	return (struct value){.number = label && !strcmp(label, name->symbol)};
}

/* Which rows it holds for, into @ret; returns how many. *@ret_unknown: it cannot be decided. */
static size_t where_ask(const struct where *where, const struct call_condition *condition,
			bool *ret, size_t *ret_unknown)
{
	struct value *values = arena_array(where->arena, struct value, where->n_names + 1);
	size_t n = 0;

	*ret_unknown = 0;
	for (size_t row = 0; row < where->samples->n_rows; row++) {
		enum condition_answer answer;

		for (size_t i = 0; i < where->n_names; i++)
			values[i] = where_value(where, i, row);
		answer = condition_holds(condition, values);
		ret[row] = answer == CONDITION_YES;
		n += ret[row];
		*ret_unknown += answer == CONDITION_UNKNOWN;
	}
	return n;
}

static bool where_keep(struct where *where, const struct call_condition *condition,
		       const char *text, struct err *err)
{
	struct samples *samples = where->samples;
	bool *is_kept = arena_array(where->arena, bool, samples->n_rows + 1);
	size_t *columns = arena_array(where->arena, size_t, where->n_names + 1);
	const size_t n_rows = samples->n_rows;
	size_t unknown = 0, n = 0;
	bool ok = true;

	for (size_t i = 0; i < where->n_names && ok; i++)
		ok = where_column(where, &where->names[i], &columns[i], err);
	where->columns = columns;
	if (ok)
		n = where_ask(where, condition, is_kept, &unknown);
	samples_select(samples, text, is_kept);
	if (!ok || n)
		return ok;
	if (unknown)
		return err_set(
			err, ERR_NOT_FOUND,
			"no call of %.100s fulfils %.200s: of %zu that cannot be decided, as a "
			"value is absent",
			samples->function, text, unknown);
	return err_set(err, ERR_NOT_FOUND, "no call of %.100s fulfils %.200s, of %zu samples",
		       samples->function, text, n_rows);
}

/* Blanks around it, and what no line of an annotation can hold. */
static const char *where_text(struct arena *arena, const char *text, struct err *err)
{
	size_t n;

	text += strspn(text, " \t");
	for (n = strlen(text); n && strchr(" \t", text[n - 1]); n--)
		;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) {
			err_set(err, ERR_FORMAT, "a condition is one line of printable characters");
			return NULL;
		}
	return arena_printf(arena, "%.*s", (int)n, text);
}

bool where_select(struct samples *samples, const char *text, const struct annotation *names,
		  struct err *err)
{
	struct where where = {.samples = samples, .arena = arena_create()};
	const struct call_condition *condition;
	struct condition_known known;
	bool ok = true;

	if (text) {
		derived_columns_add(samples);
		known = where_known(samples, names, where.arena);
		text = where_text(where.arena, text, err);
		ok = text && condition_parse(text, &known, where.arena, &condition, err);
		if (ok) {
			where.n_names = condition_names(condition, &where.names);
			ok = where_keep(&where, condition, text, err);
		}
	}
	arena_destroy(where.arena);
	return ok;
}

bool where_filter(void *self, struct samples *samples, struct err *err)
{
	return where_select(samples, self, NULL, err);
}

bool where_check(const char *where, struct err *err)
{
	struct arena *arena = arena_create();
	const struct call_condition *condition;
	const bool ok = !where || ((where = where_text(arena, where, err)) &&
				   condition_parse(where, NULL, arena, &condition, err));

	arena_destroy(arena);
	return ok;
}
