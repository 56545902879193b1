/*
 * The yardstick of models itself: the law of every family, written as an annotation, is judged
 * right; with another class, another feature, another threshold or without its scopes it is not.
 */
#include "core/annotation/annotation_parse.h"
#include "model_judge.h"

/* How an annotation differs from the law. */
enum lie { TRUTH, OTHER_CLASS, OTHER_FEATURE, OTHER_THRESHOLD, ONE_CASE, LIES };

static void write_factor(enum growth growth, unsigned feature, FILE *out)
{
	static const char *const forms[] = {
		[GROWTH_LOG] = " * log(x%u)",    [GROWTH_SQRT] = " * sqrt(x%u)",
		[GROWTH_LINEAR] = " * x%u",      [GROWTH_NLOGN] = " * x%u * log(x%u)",
		[GROWTH_QUADRATIC] = " * x%u^2", [GROWTH_CUBIC] = " * x%u^3",
	};

	if (growth != GROWTH_CONSTANT)
		fprintf(out, forms[growth], feature, feature);
}

static void write_norm(const struct law_table *law, unsigned part, enum lie lie, FILE *out)
{
	const struct law_part *of = &law->family->parts[part];
	unsigned i, j;

	fprintf(out, "Norm(%.9g", law->intercepts[part]);
	for (i = 0; i < of->n_terms; i++) {
		fprintf(out, " + %.9g", law->coefficients[part][i]);
		for (j = 0; j < LAW_FEATURES; j++) {
			enum growth growth = of->terms[i].growth[j];

			if (lie == OTHER_CLASS && growth != GROWTH_CONSTANT)
				growth = growth == GROWTH_LINEAR ? GROWTH_NLOGN : GROWTH_LINEAR;
			write_factor(growth, j, out);
		}
	}
	if (lie == OTHER_FEATURE)
		fputs(" + 0.5 * level", out);
	fputs(", 1);\n", out);
}

static void write_features(const struct law_table *law, enum lie lie, FILE *out)
{
	const struct law_family *family = law->family;
	const char *type[] = {[LAW_BY_ENUM] = "enum",
			      [LAW_BY_FEW] = "int",
			      [LAW_BY_BOOL] = "bool",
			      [LAW_BY_CLASS] = "class",
			      [LAW_BY_LIMIT] = "int"};
	unsigned i, j;

	for (i = 0; i < LAW_FEATURES; i++)
		for (j = 0; j < family->n_parts; j++)
			if (law_uses(&family->parts[j], i) ||
			    (i == 0 && family->choice == LAW_BY_SIZE)) {
				fprintf(out, "  int x%u = %s;\n", i, law_feature(family, i));
				break;
			}
	if (family->choice == LAW_BY_NULL)
		fputs("  bool d = list != 0;\n", out);
	else if (law_decider(family) && family->choice != LAW_BY_SIZE)
		fprintf(out, "  %s d = %s;\n", type[family->choice], law_decider(family));
	if (lie == OTHER_FEATURE)
		fputs("  int level = p->level;\n", out);
}

static void write_scope(const struct law_table *law, unsigned part, enum lie lie, FILE *out)
{
	static const char *const labels[] = {"ONE", "TWO", "THREE", "FOUR"};
	unsigned n = law->family->n_parts, i;
	double range = law->family->choice == LAW_BY_SIZE ? law->high[0] - law->low[0] : 1000;
	double at = law->threshold + (lie == OTHER_THRESHOLD ? -1 : 1) *
					     (lie == OTHER_THRESHOLD ? 0.03 : 0.015) * range;

	switch (law->family->choice) {
	case LAW_WHOLE:
	case LAW_BY_CHANCE:
		break;
	case LAW_BY_FEW:
		fprintf(out, "[d %s %u] ", part ? ">=" : "<", law->n_values - n + 1);
		break;
	case LAW_BY_ENUM:
	case LAW_BY_CLASS:
		if (part)
			fprintf(out, "[d == %s] ", labels[law->n_values - n + part]);
		for (i = 1; !part && i < n; i++)
			fprintf(out, "%sd != %s%s", i > 1 ? " && " : "[",
				labels[law->n_values - n + i], i == n - 1 ? "] " : "");
		break;
	case LAW_BY_BOOL:
		fputs(part ? "[d] " : "[!d] ", out);
		break;
	case LAW_BY_NULL:
		fputs(part ? "[!d] " : "[d] ", out);
		break;
	case LAW_BY_SIZE:
	case LAW_BY_LIMIT:
		fprintf(out, "[%s %s %.9g] ", law->family->choice == LAW_BY_SIZE ? "x0" : "d",
			part ? ">" : "<=", at);
		break;
	}
}

static double share_of(const struct law_table *law, unsigned part)
{
	double n = 0;
	size_t i;

	for (i = 0; i < LAW_ROWS; i++)
		n += law->part[i] == part;
	return n / LAW_ROWS;
}

static char *law_text(const struct law_table *law, enum lie lie)
{
	const bool by_chance = law->family->choice == LAW_BY_CHANCE;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned i;

	fputs("f(int).time {\nfeatures:\n", out);
	write_features(law, lie, out);
	fputs("annotations:\n", out);
	for (i = 0; i < (lie == ONE_CASE ? 1 : law->family->n_parts); i++) {
		if (lie != ONE_CASE)
			write_scope(law, i, lie, out);
		if (by_chance && lie != ONE_CASE)
			fprintf(out, "{%.9g} ", share_of(law, i));
		write_norm(law, i, lie, out);
	}
	fputs("}\n", out);
	fclose(out);
	return text;
}

static bool is_judged_right(const struct law_table *law, enum lie lie)
{
	struct annotation_list list = {.n = 0};
	char *text = law_text(law, lie);
	struct judgement judgement;
	struct err err = {0};

	if (!annotation_parse(text, strlen(text), &list, &err))
		fail_msg("%s\nin: %s", err.text, text);
	law_judge(law, list.list[0], &judgement);
	if (!judgement_is_right(&judgement) && lie == TRUTH)
		print_message("%s", text);
	annotation_parse_deinit(&list);
	free(text);
	return judgement_is_right(&judgement);
}

static bool has_class(const struct law_family *family)
{
	unsigned i, n = 0;

	for (i = 0; i < family->n_parts; i++)
		n += family->parts[i].n_terms;
	return n > 0;
}

static bool is_lie(const struct law_family *family, enum lie lie)
{
	switch (lie) {
	case TRUTH:
	case LIES:
		return false;
	case OTHER_CLASS:
		return has_class(family);
	case OTHER_FEATURE:
		break;
	case OTHER_THRESHOLD:
		return family->choice == LAW_BY_SIZE || family->choice == LAW_BY_LIMIT;
	case ONE_CASE:
		return family->n_parts > 1;
	}
	return true;
}

static void every_law_is_judged_right_and_lies_are_not(void **state)
{
	size_t i;
	long seed;

	(void)state;
	for (i = 0; i < n_law_families; i++)
		for (seed = 1; seed <= 5; seed++) {
			struct law_table law;
			enum lie lie;

			law_table_init(&law, &law_families[i], seed);
			if (!is_judged_right(&law, TRUTH))
				fail_msg("%s is judged wrong", law_families[i].name);
			for (lie = OTHER_CLASS; lie < LIES; lie++)
				if (is_lie(&law_families[i], lie) && is_judged_right(&law, lie))
					fail_msg("%s: lie %u is judged right", law_families[i].name,
						 lie);
			law_table_deinit(&law);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_law_is_judged_right_and_lies_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
