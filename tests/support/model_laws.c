/*
 * Draws laws and rows; see the header. Which are worth modelling model_oracle.c says, judging
 * models of them is model_judge.c's matter.
 */
#include "model_laws.h"

#include "core/samples/derived_columns.h"

enum { DRAWS_MAX = 3000 };

#define SHARE 0.35

/* What may be absent is read through a pointer, of which nothing else is read. */
const char *law_feature(const struct law_family *family, unsigned i)
{
	static const char *const names[LAW_FEATURES] = {"n", "m", "p->k"};

	return family->choice == LAW_BY_NULL && i == 0 ? "list->n" : names[i];
}

const char *law_decider(const struct law_family *family)
{
	switch (family->choice) {
	case LAW_BY_ENUM:
	case LAW_BY_FEW:
		return "kind";
	case LAW_BY_BOOL:
		return "quick";
	case LAW_BY_CLASS:
		return "typeid(*p)";
	case LAW_BY_SIZE:
		return law_feature(family, 0);
	case LAW_BY_LIMIT:
		return "limit";
	case LAW_WHOLE:
	case LAW_BY_NULL:
	case LAW_BY_CHANCE:
		break;
	}
	return NULL;
}

bool law_uses(const struct law_part *part, unsigned feature)
{
	unsigned i;

	for (i = 0; i < part->n_terms; i++)
		if (part->terms[i].growth[feature] != GROWTH_CONSTANT)
			return true;
	return false;
}

static bool family_uses(const struct law_family *family, unsigned feature)
{
	unsigned i;

	for (i = 0; i < family->n_parts; i++)
		if (law_uses(&family->parts[i], feature))
			return true;
	return family->choice == LAW_BY_SIZE && feature == 0;
}

double law_growth_value(enum growth growth, double x)
{
	switch (growth) {
	case GROWTH_CONSTANT:
	case GROWTH_POWER:
	case GROWTH_EXPONENTIAL:
	case GROWTH_COUNT:
		break;
	case GROWTH_LOG:
		return log(x);
	case GROWTH_SQRT:
		return sqrt(x);
	case GROWTH_LINEAR:
		return x;
	case GROWTH_NLOGN:
		return x * log(x);
	case GROWTH_QUADRATIC:
		return x * x;
	case GROWTH_CUBIC:
		return x * x * x;
	}
	return 1;
}

static double term_value(const struct law_term *term, const double *x)
{
	double product = 1;
	unsigned i;

	for (i = 0; i < LAW_FEATURES; i++)
		product *= law_growth_value(term->growth[i], x[i]);
	return product;
}

static double terms_value(const struct law_table *law, unsigned part, const double *x)
{
	const struct law_part *of = &law->family->parts[part];
	double sum = 0;
	unsigned i;

	for (i = 0; i < of->n_terms; i++)
		sum += law->coefficients[part][i] * term_value(&of->terms[i], x);
	return sum;
}

double law_mean(const struct law_table *law, unsigned part, const double *x)
{
	return law->intercepts[part] + terms_value(law, part, x);
}

/* Parts of a drawn law */

static void draw_ranges(struct law_table *law)
{
	const bool by_size = law->family->choice == LAW_BY_SIZE;
	unsigned i;

	for (i = 0; i < LAW_FEATURES; i++) {
		double decades = uniform(&law->table, by_size ? 2.5 : 2, by_size ? 3.5 : 3.2);

		law->low[i] = floor(pow(10, uniform(&law->table, 0.3, 2.3)));
		law->high[i] = floor(law->low[i] * pow(10, decades));
	}
	law->n_values =
		law->family->n_parts > 2 ? law->family->n_parts : floor(uniform(&law->table, 2, 5));
	/* A product with one of two numbers is as good as a condition. */
	if (law->family->choice == LAW_BY_FEW && law->n_values < 3)
		law->n_values = 3;
}

static void draw_part(struct law_table *law, unsigned part, double amplitude)
{
	const struct law_part *of = &law->family->parts[part];
	double least, most;
	unsigned i;

	for (i = 0; i < of->n_terms; i++) {
		double weight = i ? uniform(&law->table, 0.5, 1.5) : 1;

		law->coefficients[part][i] =
			amplitude * weight / term_value(&of->terms[i], law->high);
	}
	least = terms_value(law, part, law->low);
	most = terms_value(law, part, law->high);
	/* Costs are not negative, whatever the noise. */
	if (law->family->noise == LAW_ADDITIVE && of->n_terms)
		law->intercepts[part] = uniform(&law->table, 0.2, 0.4) * most;
	else
		law->intercepts[part] =
			of->n_terms ? fmin(uniform(&law->table, 0, 3) * least, most) : amplitude;
}

/* Make the two parts of a threshold meet there as the family says. */
static void join_parts(struct law_table *law)
{
	const double at[LAW_FEATURES] = {law->threshold, 1, 1};

	if (law->family->join == LAW_KINK && !law->family->parts[0].n_terms) {
		law->intercepts[0] = law_mean(law, 1, at);
	} else if (law->family->join == LAW_KINK) {
		law->intercepts[1] = law_mean(law, 0, at) - terms_value(law, 1, at);
	} else if (law->family->join == LAW_JUMP) {
		law->coefficients[1][0] = law->coefficients[0][0];
		law->intercepts[1] =
			law->intercepts[0] + uniform(&law->table, 0.7, 2) * law_mean(law, 0, at);
	}
}

static double draw_step(struct law_table *law)
{
	const double *steps = law->family->steps;

	return steps[0] > 0 ? uniform(&law->table, steps[0], steps[1]) : uniform(&law->table, 2, 4);
}

static void draw_coefficients(struct law_table *law)
{
	const struct law_family *family = law->family;
	double amplitude = pow(10, uniform(&law->table, 1, 6));
	bool falls = uniform(&law->table, 0, 1) < 0.5 && family->join != LAW_KINK;
	unsigned i;

	/*
	 * The middle of a logarithmic range is about a tenth of the range: 2 % of that is a lot
	 * less than it.
	 */
	law->threshold = floor(law->low[0] *
			       pow(law->high[0] / law->low[0], uniform(&law->table, 0.5, 0.7)));
	if (family->choice == LAW_BY_LIMIT)
		law->threshold = floor(uniform(&law->table, 250, 750));
	for (i = 0; i < family->n_parts; i++) {
		draw_part(law, i, amplitude);
		amplitude *= falls ? 1 / draw_step(law) : draw_step(law);
	}
	if (family->join != LAW_FREE)
		join_parts(law);
}

/* Rows of a law */

static double draw_size(struct law_table *law, unsigned feature)
{
	double low = law->low[feature], high = law->high[feature] + 1;

	if (law->family->evenly)
		return floor(uniform(&law->table, low, high));
	return floor(low * pow(high / low, uniform(&law->table, 0, 1)));
}

static unsigned part_of_value(const struct law_table *law, double value)
{
	unsigned own = law->family->n_parts - 1;
	unsigned from_end = law->n_values - 1 - (unsigned)value;

	return from_end < own ? own - from_end : 0;
}

static unsigned draw_decision(struct law_table *law, const double *x, double *ret)
{
	const double share = law->family->share > 0 ? law->family->share : SHARE;
	const unsigned others = law->family->n_parts - 1;
	double u = uniform(&law->table, 0, 1);

	*ret = 0;
	switch (law->family->choice) {
	case LAW_WHOLE:
		return 0;
	case LAW_BY_ENUM:
	case LAW_BY_FEW:
	case LAW_BY_CLASS:
		*ret = floor(u * law->n_values);
		return part_of_value(law, *ret);
	case LAW_BY_BOOL:
		return *ret = u < 0.5;
	case LAW_BY_SIZE:
		*ret = x[0];
		return x[0] > law->threshold;
	case LAW_BY_LIMIT:
		*ret = floor(u * 1000);
		return *ret > law->threshold;
	case LAW_BY_NULL:
		return u < share;
	case LAW_BY_CHANCE:
		return u < share * others ? 1 + (unsigned)(u / share) : 0;
	}
	return 0;
}

static double exponential(struct table *table)
{
	return -log(1 - uniform(table, 0, 1));
}

/* The cost of one call; @sigma is the noise's deviation but for calls that are far away. */
static double draw_cost(struct law_table *law, double mean, double sigma)
{
	double u = uniform(&law->table, 0, 1);
	double y = mean + sigma * fmax(normal(&law->table), -4);

	switch (law->family->noise) {
	case LAW_RELATIVE:
	case LAW_ADDITIVE:
		break;
	case LAW_POSITIVE:
	case LAW_BURIED:
		return mean + sigma * exponential(&law->table);
	case LAW_PREEMPTED:
		return u < 0.02 ? y * uniform(&law->table, 8, 12) : y;
	case LAW_FAR_MANY:
		return u < 0.33 ? y * uniform(&law->table, 3, 20) : y;
	case LAW_SCATTERED:
		return u < 0.15 ? y * uniform(&law->table, 1 / 3.0, 3) : y;
	case LAW_FAR:
		return u < 0.1 ? y * uniform(&law->table, 3, 20) : y;
	}
	return y;
}

static double middle_cost(const struct law_table *law)
{
	double x[LAW_FEATURES];
	unsigned i;

	for (i = 0; i < LAW_FEATURES; i++)
		x[i] = law->family->evenly ? (law->low[i] + law->high[i]) / 2
					   : sqrt(law->low[i] * law->high[i]);
	return law_mean(law, 0, x);
}

static double sigma_of(const struct law_table *law, double mean)
{
	const enum law_noise noise = law->family->noise;

	if (noise == LAW_BURIED)
		return law->family->part *
		       (law_mean(law, 0, law->high) - law_mean(law, 0, law->low));
	return law->family->part *
	       (noise == LAW_POSITIVE || noise == LAW_ADDITIVE ? middle_cost(law) : mean);
}

static unsigned draw_row(struct law_table *law, double *x, double *decider, double *mean, double *y)
{
	unsigned part, j;

	for (j = 0; j < LAW_FEATURES; j++)
		x[j] = draw_size(law, j);
	part = draw_decision(law, x, decider);
	*mean = law_mean(law, part, x);
	*y = draw_cost(law, *mean, sigma_of(law, *mean));
	return part;
}

static void draw_rows(struct law_table *law)
{
	size_t i;

	for (i = 0; i < LAW_ROWS; i++) {
		law->part[i] =
			draw_row(law, law->x[i], &law->decider[i], &law->mean[i], &law->y[i]);
		law->sigma[i] = sigma_of(law, law->mean[i]);
	}
}

/* The table */

static void add_column(struct table *table, const char *name, enum feature_type type,
		       enum provenance provenance)
{
	const struct column column = {.name = name,
				      .role = COLUMN_FEATURE,
				      .type = type,
				      .provenance = provenance,
				      .depth = strstr(name, "->") ? 1 : 0};
	static const char *const labels[] = {"ONE", "TWO", "THREE", "FOUR"};
	size_t at = samples_add_column(table->samples, &column), i;

	if (type == FEATURE_ENUM || type == FEATURE_CLASS)
		for (i = 0; i < 4; i++)
			samples_add_label(table->samples, at, i, labels[i]);
}

static void add_law_columns(struct law_table *law)
{
	const struct law_family *family = law->family;
	const enum feature_type types[] = {[LAW_BY_ENUM] = FEATURE_ENUM,
					   [LAW_BY_FEW] = FEATURE_INT,
					   [LAW_BY_BOOL] = FEATURE_BOOL,
					   [LAW_BY_CLASS] = FEATURE_CLASS,
					   [LAW_BY_LIMIT] = FEATURE_INT};
	unsigned i;

	for (i = 0; i < LAW_FEATURES; i++)
		if (family_uses(family, i))
			add_column(&law->table, law_feature(family, i), FEATURE_INT,
				   FROM_PARAMETER);
	if (law_decider(family) && family->choice != LAW_BY_SIZE)
		add_column(&law->table, law_decider(family), types[family->choice], FROM_PARAMETER);
}

static void add_irrelevant_columns(struct table *table)
{
	add_column(table, "p->size", FEATURE_INT, FROM_PARAMETER);
	add_column(table, "bytes_total", FEATURE_INT, FROM_GLOBAL);
	add_column(table, "p->weight", FEATURE_FLOAT, FROM_PARAMETER);
	add_column(table, "ratio", FEATURE_FLOAT, FROM_GLOBAL);
	add_column(table, "verbose", FEATURE_BOOL, FROM_GLOBAL);
	add_column(table, "p->dirty", FEATURE_BOOL, FROM_PARAMETER);
	add_column(table, "p->state", FEATURE_ENUM, FROM_PARAMETER);
	add_column(table, "n_calls", FEATURE_INT, FROM_GLOBAL);
	add_column(table, "p->position", FEATURE_FLOAT, FROM_PARAMETER);
	add_column(table, "p->level", FEATURE_INT, FROM_PARAMETER);
}

static void set_irrelevant(struct table *table, size_t at, size_t row, double *walk)
{
	*walk += normal(table);
	set(table, at, floor(uniform(table, 0, 9)));
	set(table, at + 1, floor(pow(10, uniform(table, 0, 6))));
	set(table, at + 2, normal(table));
	set(table, at + 3, exp(normal(table)));
	set(table, at + 4, uniform(table, 0, 1) < 0.5);
	set(table, at + 5, uniform(table, 0, 1) < 0.15);
	set(table, at + 6, floor(uniform(table, 0, 3)));
	set(table, at + 7, row + 1);
	set(table, at + 8, *walk);
	set(table, at + 9, floor(uniform(table, 1, 51)));
}

static void fill_table(struct law_table *law)
{
	const struct law_family *family = law->family;
	double walk = 0;
	size_t i, j, at;

	add_law_columns(law);
	at = law->table.samples->n_columns;
	add_irrelevant_columns(&law->table);
	for (i = 0; i < LAW_ROWS; i++) {
		size_t column = 1;

		set(&law->table, 0, law->y[i]);
		for (j = 0; j < LAW_FEATURES; j++)
			if (family_uses(family, j))
				set(&law->table, column++, law->x[i][j]);
		if (column < at)
			set(&law->table, column, law->decider[i]);
		if (family->choice == LAW_BY_NULL && law->part[i] == family->n_parts - 1)
			set_absent(&law->table, 1);
		set_irrelevant(&law->table, at, i, &walk);
		add_row(&law->table);
	}
	derived_columns_add(law->table.samples);
}

/* Families do not share their random numbers (FNV-1a). */
static long own_seed(const struct law_family *family, long seed)
{
	uint32_t hash = 2166136261u;
	const char *c;

	for (c = family->name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	return seed * 7919 + hash;
}

void law_table_init(struct law_table *law, const struct law_family *family, long seed)
{
	int draws = 0;

	memset(law, 0, sizeof(*law));
	law->family = family;
	table_init(&law->table, own_seed(family, seed));
	do {
		draw_ranges(law);
		draw_coefficients(law);
		draw_rows(law);
		if (++draws == DRAWS_MAX)
			fail_msg("%s: no identifiable law in %d draws", family->name, draws);
	} while (!family->any && !law_is_identifiable(law));
	fill_table(law);
}

void law_table_init_again(struct law_table *again, const struct law_table *law, long seed,
			  double times)
{
	size_t i;

	*again = *law;
	table_init(&again->table, seed);
	draw_rows(again);
	for (i = 0; i < LAW_ROWS; i++)
		again->y[i] *= times;
	fill_table(again);
}

void law_table_deinit(struct law_table *law)
{
	table_deinit(&law->table);
}

void law_print(const struct law_table *law, FILE *out)
{
	const struct law_family *family = law->family;
	unsigned i, j, k;

	fprintf(out, "truth: %s; n from %g to %g, m from %g to %g", family->name, law->low[0],
		law->high[0], law->low[1], law->high[1]);
	if (family->choice == LAW_BY_SIZE || family->choice == LAW_BY_LIMIT)
		fprintf(out, "; threshold %g", law->threshold);
	fputs("\n", out);
	for (i = 0; i < family->n_parts; i++) {
		fprintf(out, "  part %u: %g", i, law->intercepts[i]);
		for (j = 0; j < family->parts[i].n_terms; j++) {
			fprintf(out, " + %g", law->coefficients[i][j]);
			for (k = 0; k < LAW_FEATURES; k++)
				if (family->parts[i].terms[j].growth[k] != GROWTH_CONSTANT)
					fprintf(out, " * %s(%s)",
						growth_name(family->parts[i].terms[j].growth[k]),
						law_feature(family, k));
		}
		fputs("\n", out);
	}
}
