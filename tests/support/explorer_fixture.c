/* Lists, studies and keys for tests of the explorer. */
#include "explorer_fixture.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "core/annotation/annotation_parse.h"
#include "core/annotation/expectation.h"

static const char sort_rows[] = "table::sort_rows(std::vector<int> const&, mode)";

const struct explorer_entry fixture_entries[FIXTURE_ENTRIES] = {
	{sort_rows, "table.cpp", NULL, METRIC_TIME, 300, 12345, 0.62, true, "2 * n + 5", 0.987, 2},
	{sort_rows, "table.cpp", NULL, METRIC_MEM, 300, 12345, NAN, true, "100", NAN, 1},
	{"parse_line", "parse.c", NULL, METRIC_TIME, 1500, 1500, 0.251, true, "0.12 * len", 0.91,
	 1},
	{"main", "main.c", NULL, METRIC_TIME, 1, 1, 1, false, NULL, NAN, 0},
	{"\xe8\xa1\xa8\xe3\x82\x92\xe4\xb8\xa6\xe3\x81\xb9\xe3\x82\x8b", NULL, "libtable.so.2",
	 METRIC_CPU, 123456789, 999999999999, 0.0421, true, "3.1 * log(x) * x^2 + 12 * y", 0.5, 12},
	{"\x1b[2Jwipe\xe2\x80\xaeout\n", NULL, NULL, METRIC_SELF, 7, 7, NAN, false, NULL, NAN, 0},
};

/* Numbers in [0, 1) that are the same everywhere. */
static double random_number(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) / 16777216.0;
}

static const char *annotation_text(enum fixture_shape shape)
{
	switch (shape) {
	case FIXTURE_CASES:
		return "\"table::sort_rows(std::vector<int> const&, mode)\".time {\nfeatures:\n "
		       "int n = \"rows->size\";\n enum how = "
		       "how;\nannotations:\n [how == FAST] Norm(2 * n + 5, 15);\n [how == SLOW && "
		       "n < 40] "
		       "Norm(10, 4);\n [how == SLOW && n >= 40] Norm(0.02 * n^2 + 10, 0.1 * n + "
		       "5);\n}\n";
	case FIXTURE_MIXTURE:
		return "\"table::sort_rows(std::vector<int> const&, mode)\".mem "
		       "{\nfeatures:\nannotations:\n {0.7} "
		       "Norm(100, 8); {0.3} Norm(300, 20);\n}\n";
	case FIXTURE_LINE:
		return "line.time {\nfeatures:\n int n = \"rows->size\";\nannotations:\n Norm(3 * "
		       "n, 0);\n}\n";
	case FIXTURE_HOSTILE:
		return "hostile.time {\nfeatures:\n int n = \"rows->size\";\nannotations:\n Norm(3 "
		       "* n, 1);\n// a note: "
		       "\\x1b[2J of <b>markup</b>\n}\n";
	case FIXTURE_EMPTY:
	case FIXTURE_SHAPES:
		break;
	}
	return "empty.time {\nfeatures:\nannotations:\n Norm(0, 0);\n}\n";
}

static struct annotation *parse(enum fixture_shape shape)
{
	const char *text = annotation_text(shape);
	struct annotation_list list = {0};
	struct annotation *ret;
	struct err err;
	const bool parsed = annotation_parse(text, strlen(text), &list, &err);

	if (!parsed)
		fprintf(stderr, "%s\n", err.text);
	assert(parsed && list.n == 1);
	ret = list.list[0];
	list.n = 0;
	annotation_parse_deinit(&list);
	return ret;
}

enum { COST, SIZE, HOW, LOAD, OWNER, COLUMNS };

static const char *hostile_name(void)
{
	static const char begin[] = "\x1b[31m<b>\"'\xff\xe2\x80\xae \xe8\xa1\xa8";
	static char name[10001];

	memset(name, 'y', sizeof(name) - 1);
	memcpy(name, begin, strlen(begin));
	return name;
}

static void add_columns(struct samples *samples, enum fixture_shape shape, enum metric metric)
{
	const struct column columns[COLUMNS] = {
		{.name = metric_info(metric)->keyword, .role = COLUMN_METRIC, .metric = metric},
		{.name = "rows->size", .role = COLUMN_FEATURE, .type = FEATURE_INT},
		{.name = "how", .role = COLUMN_FEATURE, .type = FEATURE_ENUM},
		{.name = "system.load",
		 .role = COLUMN_FEATURE,
		 .type = FEATURE_FLOAT,
		 .provenance = FROM_SYSTEM},
		{.name = shape == FIXTURE_HOSTILE ? hostile_name() : "rows->names.size()",
		 .role = COLUMN_FEATURE,
		 .type = FEATURE_INT},
	};

	for (size_t i = 0; i < COLUMNS; i++)
		samples_add_column(samples, &columns[i]);
	samples_add_label(samples, HOW, 0, shape == FIXTURE_HOSTILE ? "\t\x07\xc2\x9b" : "FAST");
	samples_add_label(samples, HOW, 1, "SLOW");
}

static double cost(enum fixture_shape shape, const struct value *cells, uint32_t *state)
{
	const double noise =
		random_number(state) + random_number(state) + random_number(state) - 1.5;
	const double n = cells[SIZE].number;

	switch (shape) {
	case FIXTURE_CASES:
		if (cells[HOW].number == 0)
			return 2 * n + 5 + 15 * noise;
		return n < 40 ? 10 + 4 * noise : 0.02 * n * n + 10 + (0.1 * n + 5) * noise;
	case FIXTURE_MIXTURE:
		return random_number(state) < 0.7 ? 100 + 8 * noise : 300 + 20 * noise;
	case FIXTURE_LINE:
	case FIXTURE_HOSTILE:
	case FIXTURE_EMPTY:
	case FIXTURE_SHAPES:
		break;
	}
	return 3 * n;
}

static void add_rows(struct samples *samples, enum fixture_shape shape, size_t n, int64_t first)
{
	uint32_t state = (uint32_t)shape + 1;

	for (size_t i = 0; i < n; i++) {
		const struct sample_key key = {
			.id = first + (int64_t)i,
			.parent = i % 5 ? first : 0,
			.run = 1,
			.process = 4711,
			.thread = 4711 + (int64_t)i % 3,
			.start_ns = (int64_t)i * 1500000,
		};
		struct value cells[COLUMNS] = {0};

		cells[SIZE].number = floor(random_number(&state) * 200);
		cells[HOW].number = i % 3 == 0;
		cells[LOAD].number = rint(random_number(&state) * 400) / 100;
		cells[OWNER].number = floor(random_number(&state) * 30);
		cells[OWNER].absence = i % 4 ? PRESENT : ABSENT_NULL;
		if (shape == FIXTURE_HOSTILE && i % 7 == 0)
			cells[OWNER].number = i % 2 ? 1e300 : -1e300;
		cells[COST].number = cost(shape, cells, &state);
		samples_append(samples, &key, cells);
	}
}

static void add_callers(struct samples *samples, const char *name)
{
	samples->names = arena_create();
	samples->callers = arena_array(samples->names, const char *, samples->n_rows);
	for (size_t i = 0; i < samples->n_rows; i++)
		if (samples->keys[i].parent)
			samples->callers[i] = name;
}

static void judge_point(struct study *study, size_t i, double *expected, double *deviation)
{
	const struct annotation *annotation = study->annotation;
	struct argument arguments[4] = {0};
	double x[4] = {NAN, NAN, NAN, NAN};
	unsigned *cases = (unsigned *)study->cases, *models = (unsigned *)study->models;

	for (size_t j = 0; j < study->n_features; j++) {
		const unsigned at = study->features[j].in_annotation;
		const struct value value = study_value(study, j, i);

		if (at == STUDY_NONE || value.absence != PRESENT)
			continue;
		x[at] = value.number;
		arguments[at] = (struct argument){true, value.number, study_label(study, j, i)};
	}
	cases[i] = STUDY_NONE;
	expected[i] = deviation[i] = NAN;
	for (size_t j = 0; j < annotation->n_cases && cases[i] == STUDY_NONE; j++)
		if (expectation_case_holds(&annotation->cases[j], arguments))
			cases[i] = (unsigned)j;
	if (cases[i] == STUDY_NONE || i % 50 == 49) {
		cases[i] = STUDY_NONE;
		study->n_outside++;
		return;
	}
	models[i] = annotation->cases[cases[i]].n_models > 1 && study->costs[i] > 200;
	expected[i] = annotation_value(&annotation->cases[cases[i]].models[models[i]].mean, x);
	deviation[i] =
		annotation_value(&annotation->cases[cases[i]].models[models[i]].deviation, x);
}

static void add_points(struct study *study, const struct samples *samples)
{
	const size_t n = samples->n_rows;
	size_t *rows = arena_array(study->arena, size_t, n);
	double *costs = arena_array(study->arena, double, n);
	double *expected = arena_array(study->arena, double, n);
	double *deviation = arena_array(study->arena, double, n);

	study->n_points = n;
	study->rows = rows;
	study->costs = costs;
	study->expected = expected;
	study->deviation = deviation;
	study->cases = arena_array(study->arena, unsigned, n);
	study->models = arena_array(study->arena, unsigned, n);
	for (size_t i = 0; i < n; i++) {
		rows[i] = i;
		costs[i] = samples->columns[COST].numbers[i];
		study->total += costs[i];
	}
	for (size_t i = 0; i < n; i++)
		judge_point(study, i, expected, deviation);
}

static unsigned find_in_annotation(const struct annotation *annotation, const char *expression)
{
	for (size_t i = 0; i < annotation->n_features; i++)
		if (!strcmp(annotation->features[i].expression, expression))
			return (unsigned)i;
	return STUDY_NONE;
}

static void add_features(struct study *study, const struct samples *samples)
{
	static const char *const aliases[] = {"rows->end - rows->begin", "rows->capacity"};
	static const double explains[COLUMNS] = {0, 0.734, 0.2518, 0.0031, NAN};
	struct study_feature *features =
		arena_array(study->arena, struct study_feature, COLUMNS - 1);

	for (size_t i = SIZE; i < COLUMNS; i++) {
		const struct column *column = &samples->columns[i];
		struct study_feature *feature = &features[i - SIZE];

		*feature = (struct study_feature){
			.expression = column->name,
			.column = i,
			.type = column->type,
			.in_annotation = find_in_annotation(study->annotation, column->name),
			.provenance = column->provenance,
			.explains = explains[i],
			.min = NAN,
			.max = NAN,
		};
		if (i == SIZE) {
			feature->aliases = aliases;
			feature->n_aliases = 2;
			feature->n_more = 3;
		}
		for (size_t row = 0; row < samples->n_rows; row++) {
			if (column->absence[row])
				continue;
			feature->n_present++;
			feature->min = fmin(feature->min, column->numbers[row]);
			feature->max = fmax(feature->max, column->numbers[row]);
		}
	}
	study->features = features;
	study->n_features = COLUMNS - 1;
}

static void count_node(const struct study *study, struct study_node *node, unsigned from,
		       unsigned to)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < study->n_points; i++) {
		if (study->cases[i] < from || study->cases[i] >= to)
			continue;
		node->n_points++;
		sum += study->costs[i];
		squares += study->costs[i] * study->costs[i];
	}
	node->mean = node->n_points ? sum / (double)node->n_points : NAN;
	node->deviation =
		node->n_points > 1
			? sqrt(fmax(squares / (double)node->n_points - node->mean * node->mean, 0))
			: NAN;
}

/* all, how == FAST, how == SLOW with n < 40 and n >= 40; else the root alone. */
static void add_nodes(struct study *study)
{
	static const struct {
		unsigned parent, depth, from, to, in_case;
	} nodes[] = {{STUDY_NONE, 0, 0, 3, STUDY_NONE},
		     {0, 1, 0, 1, 0},
		     {0, 1, 1, 3, STUDY_NONE},
		     {2, 2, 1, 2, 1},
		     {2, 2, 2, 3, 2}};
	const struct annotation *annotation = study->annotation;
	struct study_node *ret = arena_array(study->arena, struct study_node, 5);
	const bool has_parts = annotation->n_cases == 3;

	study->n_nodes = has_parts ? 5 : annotation->n_cases;
	study->nodes = ret;
	for (size_t i = 0; i < study->n_nodes; i++) {
		ret[i] = (struct study_node){.parent = nodes[i].parent,
					     .depth = nodes[i].depth,
					     .in_case = has_parts ? nodes[i].in_case : 0,
					     .r2 = i == 3 ? NAN : 0.9 + 0.01 * (double)i};
		count_node(study, &ret[i], nodes[i].from, nodes[i].to);
	}
	if (!has_parts)
		return;
	ret[1].condition = &annotation->cases[0].scope[0];
	ret[2].condition = &annotation->cases[1].scope[0];
	ret[3].condition = &annotation->cases[1].scope[1];
	ret[4].condition = &annotation->cases[2].scope[1];
}

struct fixture fixture_create(enum fixture_shape shape, size_t n, int64_t first)
{
	const enum metric metric = shape == FIXTURE_MIXTURE ? METRIC_MEM : METRIC_TIME;
	struct fixture ret = {samples_create(sort_rows, "sort_rows", "table.cpp", 12),
			      mem_alloc(sizeof(struct study))};
	struct study *study = ret.study;

	add_columns(ret.samples, shape, metric);
	add_rows(ret.samples, shape, shape == FIXTURE_EMPTY ? 0 : n, first);
	if (shape == FIXTURE_CASES || shape == FIXTURE_HOSTILE)
		add_callers(ret.samples, shape == FIXTURE_CASES ? "main" : hostile_name());
	*study = (struct study){.arena = arena_create(),
				.samples = ret.samples,
				.annotation = parse(shape),
				.metric = metric};
	if (shape != FIXTURE_EMPTY)
		add_features(study, ret.samples);
	add_points(study, ret.samples);
	add_nodes(study);
	return ret;
}

void fixture_destroy(struct fixture *fixture)
{
	annotation_destroy(fixture->study->annotation);
	arena_destroy(fixture->study->arena);
	free(fixture->study);
	samples_destroy(fixture->samples);
	*fixture = (struct fixture){0};
}

static const struct {
	const char *name;
	uint32_t key;
} names[] = {
	{"<Up>", EXPLORER_UP},
	{"<Down>", EXPLORER_DOWN},
	{"<Left>", EXPLORER_LEFT},
	{"<Right>", EXPLORER_RIGHT},
	{"<PgUp>", EXPLORER_PAGE_UP},
	{"<PgDn>", EXPLORER_PAGE_DOWN},
	{"<Home>", EXPLORER_HOME},
	{"<End>", EXPLORER_END},
	{"<Enter>", EXPLORER_ENTER},
	{"<Esc>", EXPLORER_ESCAPE},
	{"<BS>", EXPLORER_BACKSPACE},
	{"<Tab>", EXPLORER_TAB},
	{"<BackTab>", EXPLORER_BACK_TAB},
	{"<Lt>", '<'},
	{"<^L>", 'L' - '@'},
	{"<^U>", 'U' - '@'},
	{"<^Z>", 'Z' - '@'},
};

static uint32_t next_key(const char **keys)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t n = strlen(names[i].name);

		if (!strncmp(*keys, names[i].name, n)) {
			*keys += n;
			return names[i].key;
		}
	}
	return (unsigned char)*(*keys)++;
}

struct explorer_effect fixture_press(struct explorer *explorer, const char *keys,
				     const struct study *study)
{
	struct explorer_effect wish = {0};

	while (*keys) {
		wish = explorer_press(explorer, next_key(&keys));
		if (wish.kind == EXPLORER_OPEN && study)
			explorer_set_study(explorer, wish.entry, study, NULL);
	}
	return wish;
}

char *fixture_print(struct explorer *explorer, struct screen *screen, bool is_styled)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	explorer_draw(explorer, screen);
	screen_print(screen, is_styled, out);
	fclose(out);
	return text;
}

char *fixture_screen(struct explorer *explorer, unsigned width, unsigned height, bool is_ascii)
{
	struct screen *screen = screen_create(width, height, is_ascii);
	char *text = fixture_print(explorer, screen, false);

	screen_destroy(screen);
	return text;
}
