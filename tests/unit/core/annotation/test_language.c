/*
 * The annotation language: what is printed reads back, what people write is understood, errors say
 * where.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/annotation/expectation.h"

/* If inlined, gcc 12 warns of the stream's buffer as if it were the local variable. */
__attribute__((noinline)) static char *print_all(const struct annotation_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	size_t i;

	for (i = 0; i < list->n; i++)
		annotation_print(list->list[i], out);
	fclose(out);
	return text;
}

static struct annotation_list parsed(const char *text)
{
	struct annotation_list list = {.n = 0};
	struct err err = {0};

	if (!annotation_parse(text, strlen(text), &list, &err))
		fail_msg("%s\nin: %s", err.text, text);
	return list;
}

/* @text prints as @expected, which prints as itself. */
static void assert_becomes(const char *text, const char *expected)
{
	struct annotation_list list = parsed(text);
	char *once = print_all(&list);
	struct annotation_list again = parsed(once);
	char *twice = print_all(&again);

	assert_string_equal(once, expected);
	assert_string_equal(twice, expected);
	free(once);
	free(twice);
	annotation_parse_deinit(&list);
	annotation_parse_deinit(&again);
}

static void assert_same(const char *text)
{
	assert_becomes(text, text);
}

/* A mean over the features a, b and c. */
static void assert_mean(const char *mean, const char *expected)
{
	static const char form[] = "f(int).time {\nfeatures:\n  int a = a;\n  float b = p->b;\n"
				   "  int c = c;\nannotations:\n  Norm(%s, 1);%s\n}\n";
	char text[1024];
	char printed[1024];
	struct annotation_list list;
	char *once;
	char *from;

	snprintf(text, sizeof(text), form, mean, "");
	list = parsed(text);
	once = print_all(&list);
	from = strstr(once, "Norm(") + 5;
	snprintf(printed, sizeof(printed), "%.*s", (int)(strstr(from, ", 1);") - from), from);
	assert_string_equal(printed, expected);
	assert_becomes(once, once);
	free(once);
	annotation_parse_deinit(&list);
}

static double value_of(const char *mean, double a, double b)
{
	static const char form[] =
		"f.time {\nfeatures:\n int a = a; int b = b;\nannotations: Norm(%s, 1); }";
	const double x[] = {a, b};
	char text[1024];
	struct annotation_list list;
	double value;

	snprintf(text, sizeof(text), form, mean);
	list = parsed(text);
	value = annotation_value(&list.list[0]->cases[0].models[0].mean, x);
	annotation_parse_deinit(&list);
	return value;
}

static void assert_refused(const char *text, const char *why)
{
	struct annotation_list list = {.n = 0};
	struct err err = {0};

	if (annotation_parse(text, strlen(text), &list, &err))
		fail_msg("was taken: %s", text);
	assert_int_equal(list.n, 0);
	assert_int_equal(err.code, ERR_FORMAT);
	assert_string_equal(err.text, why);
	annotation_parse_deinit(&list);
}

static void what_is_printed_reads_back_unchanged(void **state)
{
	(void)state;
	assert_same(
		"std::list<int>::sort().time {\n"
		"features:\n"
		"  int size = this->_M_impl._M_node._M_size;  // 1000 .. 199864\n"
		"    // the same as std::map<int, long>::n, 'a;b.c'::m, f(x, y), p->q and 7 more\n"
		"    // the same, with f(x, y) = 100*size, \"a, b\" = 4096 + 0.25*size, c = 7 - size, "
		"d = -size and 2 more\n"
		"    // goes along with p->r, g(x, y) and 1 more\n"
		"  class kind = typeid(*p);\n"
		"annotations:\n"
		"  [size < 10 && kind == std::vector<int [2]>] Norm(53.3 + 0.0178*size*log(size), "
		"812.4);  // n log n: 150 samples, R² 0.993, cross-validated 0.992, median error "
		"2.1 %\n"
		"  [size >= 10] {\n"
		"    {0.25} Norm(1, 2);  // constant: 1 sample\n"
		"    {0.5} M Norm(3, 4*size);  // unexplained: 20 samples, 90 % between -1.5 and "
		"2e+09, median error 12 %\n"
		"    {0.25} Norm(700, 400);  // the rest: 9 samples\n"
		"  }\n"
		"  // It is in /usr/lib/libsort.so.1.\n"
		"  // One sample was left out.\n"
		"}\n");
}

static void support_and_ranges_are_known_after_reading(void **state)
{
	struct annotation_list list =
		parsed("f().self.mem {\nfeatures:\n  int n = n;  // -2 .. 7e+06\n"
		       "    // the same as a, b and 3 more\nannotations:\n"
		       "  R Norm(n, 0);  // linear: 150 samples, R² 0.993, median error 2.1 %\n"
		       "  // It is in /lib/x.so.\n  // A note.\n}\n");
	const struct annotation *annotation = list.list[0];
	const struct model *model = &annotation->cases[0].models[0];

	(void)state;
	assert_int_equal(annotation->metric, metric_parse("self.mem"));
	assert_string_equal(annotation->function, "f()");
	assert_true(annotation->features[0].min == -2 && annotation->features[0].max == 7e6);
	assert_int_equal(annotation->features[0].n_aliases, 2);
	assert_int_equal(annotation->features[0].n_more, 3);
	assert_int_equal(model->n_samples, 150);
	assert_int_equal(model->growth, GROWTH_LINEAR);
	assert_int_equal(model->heuristic, HEURISTIC_ENVELOPE);
	assert_true(model->r2 == 0.993 && isnan(model->cv_r2));
	assert_float_equal(model->error, 0.021, 1e-12);
	assert_string_equal(annotation->module, "/lib/x.so");
	assert_int_equal(annotation->n_notes, 1);
	annotation_parse_deinit(&list);
}

static void what_gives_a_value_is_known_after_reading(void **state)
{
	struct annotation_list list =
		parsed("f.time {\nfeatures:\n  int n = n;\n    // the same as m\n"
		       "    // the same, with x = y = -3 - 8*n, d = -n, e = n and 3 more\n"
		       "    // goes along with k, l and 2 more\nannotations:\n  Norm(n, 0);\n}\n");
	const struct annotation_feature *feature = &list.list[0]->features[0];
	struct annotation_affine map;

	(void)state;
	assert_true(annotation_feature_find(feature, "m", &map));
	assert_true(annotation_affine_back(&map, 5) == 5);
	assert_true(annotation_feature_find(feature, "x = y", &map));
	assert_true(annotation_affine_back(&map, -83) == 10);
	assert_true(annotation_feature_find(feature, "d", &map));
	assert_true(annotation_affine_back(&map, -4) == 4);
	assert_false(annotation_feature_find(feature, "k", &map));
	assert_true(annotation_feature_has_kin(feature, "l"));
	assert_int_equal(feature->n_affine_more, 3);
	assert_int_equal(feature->n_kin_more, 2);
	annotation_parse_deinit(&list);
}

static void a_map_that_is_none_is_a_note(void **state)
{
	static const char *const maps[] = {"a",      "a = ",      "a = 0*n",  "a = 2*m",
					   "a = 2n", "a = inf*n", "a = 2 +n", "a = n*2"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(maps) / sizeof(*maps); i++) {
		char text[200];
		struct annotation_list list;

		snprintf(text, sizeof(text),
			 "f.time {\nfeatures:\n  int n = n;\n    // the same, with %s\n"
			 "annotations:\n  Norm(n, 0);\n}\n",
			 maps[i]);
		list = parsed(text);
		assert_int_equal(list.list[0]->features[0].n_affine, 0);
		assert_int_equal(list.list[0]->n_notes, 1);
		annotation_parse_deinit(&list);
	}
}

static void formulas_have_one_form(void **state)
{
	(void)state;
	assert_mean("a", "a");
	assert_mean("1*a", "a");
	assert_mean("2 * a * 3", "6*a");
	assert_mean("a*log(a)", "a*log(a)");
	assert_mean("log(a)*2*a", "2*a*log(a)");
	assert_mean("sqrt(a)*sqrt(a)", "a");
	assert_mean("a^2*a", "a^3");
	assert_mean("6/2/a", "3/a");
	assert_mean("a/a", "1");
	assert_mean("-a^2", "-a^2");
	assert_mean("--a", "a");
	assert_mean("5 - -a", "5 + a");
	assert_mean("2^3^2", "64");
	assert_mean("a^-2", "1/a^2");
	assert_mean("(2*a)*b", "2*a*b");
	assert_mean("(a + b)*c", "(a + b)*c");
	assert_mean("(a + b)^2/(a - 1)", "(a + b)^2/(-1 + a)");
	assert_mean("log2(a)", "log2(a)");
	assert_mean("3*log(a)^2", "3*log(a)^2");
	assert_mean("1/log(a)", "1/log(a)");
	assert_mean("log(a)^0.5", "log(a)^0.5");
	assert_mean("exp(-a/10)", "exp(-0.1*a)");
	assert_mean("min(a, b, 3) + max(0, c)", "min(a, b, 3) + max(0, c)");
	assert_mean("0.30000000000000004", "0.30000000000000004");
	assert_mean("c*a + b + 1", "1 + c*a + b");
}

static void formulas_have_values(void **state)
{
	(void)state;
	assert_float_equal(value_of("2 + 3*a*b - b^2/2", 4, 5), 2 + 60 - 12.5, 1e-9);
	assert_float_equal(value_of("(a + b)^2/(a - 1)", 4, 5), 27, 1e-9);
	assert_float_equal(value_of("log2(a) + sqrt(a) + exp(b)", 16, 1), 8 + M_E, 1e-9);
	assert_float_equal(value_of("min(a, b, 3)*max(a, b)", 7, 9), 27, 1e-9);
	assert_float_equal(value_of("log(a)^2*log(b)", 7, 9), pow(log(7), 2) * log(9), 1e-9);
	assert_true(isnan(value_of("1 + @g[n:=a]", 1, 1)));
}

static void references_keep_what_is_bound(void **state)
{
	(void)state;
	assert_mean("0.5*c + @std::list<int>::sort[s:=a] + @operator_of(int)::f[n:=2*b + 1, m:=c]",
		    "@std::list<int>::sort[s:=a] + @operator_of(int)::f[n:=1 + 2*b, m:=c] + 0.5*c");
	assert_mean("2*@f^2*a", "2*@f^2*a");
	assert_mean("@f/@g(int, char)", "@f/@g(int, char)");
}

static void probabilities_without_a_scope_belong_together(void **state)
{
	struct annotation_list list = parsed("f.time { features: int a = a; annotations:\n"
					     "[a > 1] {0.5} Norm(1, 1); {0.5} Norm(2, 1);\n"
					     "{0.25} Norm(3, 1); {0.75} Norm(4, 1); Norm(5, 1); }");
	const struct annotation *annotation = list.list[0];

	(void)state;
	assert_int_equal(annotation->n_cases, 3);
	assert_int_equal(annotation->cases[0].n_models, 2);
	assert_int_equal(annotation->cases[0].n_conditions, 1);
	assert_int_equal(annotation->cases[1].n_models, 2);
	assert_int_equal(annotation->cases[2].n_models, 1);
	annotation_parse_deinit(&list);
}

static void exponentials_have_one_form(void **state)
{
	static const char text[] =
		"f.time {\nfeatures:\n  int n = n;\nannotations:\n"
		"  Norm(3 + 0.5*2^n, 1);  // exponential: 20 samples, base 1.98 .. 2.01, R² 0.990\n"
		"}\ng.time {\nfeatures:\n  int n = n;\nannotations:\n"
		"  Norm(n^1.585, 1);  // power of n: 20 samples, exponent 1.57 .. 1.6, R² 0.990\n}\n";
	struct annotation_list list = parsed(text);
	const struct model *model = list.list[0]->cases[0].models;
	const double x[] = {10};

	(void)state;
	assert_same(text);
	assert_int_equal(model->growth, GROWTH_EXPONENTIAL);
	assert_int_equal(annotation_growth(&model->mean), GROWTH_EXPONENTIAL);
	assert_true(model->free_low == 1.98 && model->free_high == 2.01);
	assert_true(annotation_value(&model->mean, x) == 515);
	model = list.list[1]->cases[0].models;
	assert_int_equal(annotation_growth(&model->mean), GROWTH_POWER);
	assert_true(model->free_low == 1.57 && model->free_high == 1.6);
	annotation_parse_deinit(&list);
	assert_mean("2^a", "2^a");
	assert_mean("2^3*a", "8*a");
	assert_mean("2^-1*a", "0.5*a");
	assert_mean("7*1.5^(a - 1)/2^b", "7*1.5^(-1 + a)/2^b");
	assert_mean("2^(3*a)", "2^(3*a)");
	assert_mean("2^-a", "2^(-a)");
	assert_mean("2^log(a)", "2^(log(a))");
	assert_mean("2^(3)", "8");
	assert_mean("b + 2^(2^a) + a^3", "b + a^3 + 2^(2^a)");
}

static void presence_is_a_condition(void **state)
{
	static const char text[] = "f.time {\nfeatures:\n  int n = list->n;\n  bool defined = d;\n"
				   "annotations:\n  [defined(n) && !defined] Norm(n, 1);\n"
				   "  [!defined(n)] Norm(2, 1);\n  [defined] Norm(3, 1);\n}\n";
	static const struct argument calls[][2] = {{{.known = true, .number = 7}, {.known = true}},
						   {{.absent = true}, {.known = true}},
						   {{.known = false}, {.known = true}}};
	struct annotation_list list = parsed(text);
	struct expectation expectation;
	struct err err = {0};

	(void)state;
	assert_same(text);
	assert_true(expectation_find(list.list[0], &list, calls[0], &expectation, &err));
	assert_true(expectation.mean == 7);
	assert_true(expectation_find(list.list[0], &list, calls[1], &expectation, &err));
	assert_true(expectation.mean == 2);
	assert_false(expectation_find(list.list[0], &list, calls[2], &expectation, &err));
	assert_non_null(strstr(err.text, "depends on n"));
	annotation_parse_deinit(&list);
}

static void names_may_hold_nearly_anything(void **state)
{
	(void)state;
	assert_same("std::vector<std::pair<int, char> >::operator[](unsigned long) const.time {\n"
		    "features:\nannotations:\n  Norm(1, 0);\n}\n");
	assert_same("main::{lambda(int)#1}::operator()(int) const.cpu {\n"
		    "features:\nannotations:\n  Norm(1, 0);\n}\n");
	assert_same("a.b.time.hold {\nfeatures:\nannotations:\n  Norm(1, 0);\n}\n");
}

static void errors_say_where_and_what_was_expected(void **state)
{
	(void)state;
	assert_refused("hello", "line 1, column 1: expected a function, '.', a metric and '{', "
				"found 'hello'");
	assert_refused("f.time {\nannotations:\n}", "line 2, column 1: expected 'features:', found "
						    "'annotations'");
	assert_refused("f.time {\nfeatures:\n  integer n = n;\nannotations: }",
		       "line 3, column 3: expected a type (bool, int, float, string, enum or "
		       "class), found 'integer'");
	assert_refused("f.time {\nfeatures:\n  int n = n\n}",
		       "line 3, column 11: expected an expression that ends with ';', found 'n'");
	assert_refused("f.time {\nfeatures:\nannotations:\n  Norm(é, 1);\n}",
		       "line 4, column 8: expected a number, a function or one of the features, "
		       "found '?'");
	assert_refused("f.time {\nfeatures:\n int n = é;\nannotations:\n  Norm(n, 1)\n}",
		       "line 6, column 1: expected ';', found '}'");
	assert_refused("f.time { features: annotations: [m > 1] Norm(1, 1); }",
		       "line 1, column 34: expected one of the features, found 'm'");
	assert_refused("f.time { features: enum e = e; annotations: [e < RED] Norm(1, 1); }",
		       "line 1, column 50: expected a number: names have no order, found 'RED'");
	assert_refused(
		"f.time { features: annotations: {0.7} Norm(1, 1); {0.2} Norm(1, 1); Norm(1, ",
		"line 1, column 77: expected a number, a function or one of the features, "
		"found the end of the text");
	assert_refused("f.time { features: annotations: { {0.7} Norm(1, 1); {0.4} Norm(2, 1); } }",
		       "line 1, column 58: the probabilities exceed 1");
	assert_refused("f.time { features: annotations: Norm(1e999, 1); }",
		       "line 1, column 38: the number is too large");
	assert_refused("f.time { features: int a = a; int a = b; annotations: }",
		       "line 1, column 36: there is a feature of this name already");
}

static void nesting_and_sizes_are_bounded(void **state)
{
	char text[4096] = "f.time { features: annotations: Norm(";
	struct annotation_list list = {.n = 0};
	struct err err;
	int i;

	(void)state;
	for (i = 0; i < 1000; i++)
		strcat(text, "(");
	assert_false(annotation_parse(text, strlen(text), &list, &err));
	assert_non_null(strstr(err.text, "nested too deeply"));
	strcpy(text, "f.time { features: int a = a; int b = b; annotations: Norm(1");
	for (i = 0; i < 20; i++)
		sprintf(text + strlen(text), "*log2(a + %d)", i);
	strcat(text, ", 1); }");
	assert_false(annotation_parse(text, strlen(text), &list, &err));
	assert_non_null(strstr(err.text, "more than 8 factors"));
}

/*
 * What is expected of the first annotation in @text, with its first feature @a; @ret_err if nothing
 * is.
 */
static bool expect(const char *text, double a, const char *symbol, struct expectation *ret,
		   struct err *err)
{
	const struct argument x[] = {{true, a, symbol}, {.known = false}};
	struct annotation_list list = parsed(text);
	bool ok = expectation_find(list.list[0], &list, x, ret, err);

	annotation_parse_deinit(&list);
	return ok;
}

static void a_condition_on_calls_reads_back_and_is_no_comment(void **state)
{
	static const char text[] =
		"f.time {\nwhere: n < 5 && s == \"a;b\" || `x;y` > 2 us;  // 412 of 600 samples\n"
		"features:\n  int n = n;\nannotations:\n  Norm(n, 1);\n}\n";
	static const char *const wrong[] = {"f.time { where: ; features: annotations: }",
					    "f.time { where n; features: annotations: }",
					    "f.time { where: \"a; features: annotations: }",
					    "f.time { where: a\n; features: annotations: }"};
	struct annotation_list list = parsed(text);
	struct err err;
	char *once;

	(void)state;
	assert_string_equal(list.list[0]->where, "n < 5 && s == \"a;b\" || `x;y` > 2 us");
	assert_int_equal(list.list[0]->where_kept, 412);
	assert_int_equal(list.list[0]->where_of, 600);
	once = print_all(&list);
	assert_string_equal(once, text);
	free(once);
	annotation_parse_deinit(&list);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(annotation_parse(wrong[i], strlen(wrong[i]), &list, &err));
}

static void two_features_are_compared(void **state)
{
	static const char *const wrong[] = {"8*n > 3", "8*n",        "0*n > m",
					    "n < e",   "2*n == RED", "m < 2*n"};
	static const struct argument calls[][3] = {{{true, 1}, {true, 7}, {true, 0, "m"}},
						   {{true, 1}, {true, 7}, {true, 0, "n"}},
						   {{true, 7}, {true, 7}, {true, 0, "n"}},
						   {{true, 1}, {false}, {true, 0, "m"}}};
	static const bool holds[][2] = {
		{true, false}, {false, false}, {false, true}, {false, false}};
	struct annotation_list list = {0};
	struct err err;
	char *once;

	(void)state;
	list = parsed(
		"f.time {\nfeatures:\n  int n = n;\n  int m = m;\n  enum e = e;\nannotations:\n"
		"  [8*n > m && e == m] Norm(1, 1);\n  [n == m] Norm(2, 1);\n}\n");
	once = print_all(&list);
	assert_non_null(
		strstr(once, "\n  [8*n > m && e == m] Norm(1, 1);\n  [n == m] Norm(2, 1);\n}"));
	free(once);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		for (size_t j = 0; j < 2; j++)
			assert_int_equal(expectation_case_holds(&list.list[0]->cases[j], calls[i]),
					 holds[i][j]);
	annotation_parse_deinit(&list);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char bad[200];

		snprintf(bad, sizeof(bad),
			 "f.time { features: int n = n; int m = m; enum e = e; "
			 "annotations: [%s] Norm(1, 1); }",
			 wrong[i]);
		assert_false(annotation_parse(bad, strlen(bad), &list, &err));
	}
}

static const char referring[] =
	"f(int).time { features: int a = a; annotations:\n"
	" [a < 10] Norm(2*@g<int>[n:=a + 1], 3*a);\n"
	" [a >= 10 && a < 20] {0.25} Norm(0, 3); {0.75} Norm(8, 3);\n"
	" [a == 30] Norm(@h, 1);\n [a == 31] Norm(@f[a:=a], 1);\n [a == 32] Norm(@g<int>, 1);\n"
	" [a == 33] Norm(log(0*a), 1); }\n"
	"g<int>(int).time { features: int n = n; annotations: Norm(100 + n, 1); }\n";

static void what_is_expected_follows_scopes_mixtures_and_references(void **state)
{
	struct expectation expectation;
	struct err err = {0};

	(void)state;
	assert_true(expect(referring, 5, NULL, &expectation, &err));
	assert_true(expectation.mean == 212 && expectation.deviation == 15);
	assert_true(expect(referring, 10, NULL, &expectation, &err));
	assert_true(expectation.mean == 6);
	assert_float_equal(expectation.deviation, sqrt(9 + 0.25 * 36 + 0.75 * 4), 1e-12);
	assert_false(expect(referring, 30, NULL, &expectation, &err));
	assert_string_equal(err.text, "there is no annotation of h to refer to");
	assert_false(expect(referring, 31, NULL, &expectation, &err));
	assert_string_equal(err.text, "the annotation of f refers to itself");
	assert_false(expect(referring, 32, NULL, &expectation, &err));
	assert_string_equal(err.text, "n must be known");
	assert_false(expect(referring, 33, NULL, &expectation, &err));
	assert_string_equal(err.text, "the formula of f(int) has no value there");
	assert_false(expect(referring, 34, NULL, &expectation, &err));
	assert_string_equal(err.text, "no case of f(int) holds there");
}

static void classes_and_enumerators_choose_a_case_by_name(void **state)
{
	static const char text[] = "f.time { features: enum e = e; annotations:\n"
				   " [e == RED] Norm(1, 1); [e != RED] Norm(2, 1); }";
	struct expectation expectation;
	struct err err = {0};

	(void)state;
	assert_true(expect(text, 0, "RED", &expectation, &err) && expectation.mean == 1);
	assert_true(expect(text, 0, "BLUE", &expectation, &err) && expectation.mean == 2);
	assert_true(expect(text, 3, NULL, &expectation, &err) && expectation.mean == 2);
}

static void references_that_multiply_come_to_an_end(void **state)
{
	char text[4096] = "f0.time { features: annotations: Norm(@f1 + @f1, 1); }\n";
	struct annotation_list list;
	struct expectation expectation;
	struct err err = {0};
	int i;

	(void)state;
	for (i = 1; i < 31; i++)
		sprintf(text + strlen(text),
			"f%d.time { features: annotations: Norm(@f%d + @f%d, 1); }\n", i, i + 1,
			i + 1);
	strcat(text, "f31.time { features: annotations: Norm(1, 1); }\n");
	list = parsed(text);
	assert_false(expectation_find(list.list[0], &list, NULL, &expectation, &err));
	assert_non_null(strstr(err.text, "too many annotations"));
	annotation_parse_deinit(&list);
}

static char *read_file(const char *name)
{
	char *text = calloc(1, 1 << 16);
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", ANNOTATIONS, name);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
	fclose(file);
	return text;
}

/* Each annotation of these files, however laid out, has one form. */
static void all_forms_of_the_language_are_read(void **state)
{
	static const struct {
		const char *name;
		size_t n;
	} files[] = {{"basics.ann", 8}, {"programs.ann", 11}, {"kinds.ann", 16}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *text = read_file(files[i].name);
		struct annotation_list list = parsed(text);
		char *printed = print_all(&list);

		assert_int_equal(list.n, files[i].n);
		assert_same(printed);
		free(printed);
		free(text);
		annotation_parse_deinit(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed_reads_back_unchanged),
		cmocka_unit_test(support_and_ranges_are_known_after_reading),
		cmocka_unit_test(what_gives_a_value_is_known_after_reading),
		cmocka_unit_test(a_map_that_is_none_is_a_note),
		cmocka_unit_test(two_features_are_compared),
		cmocka_unit_test(a_condition_on_calls_reads_back_and_is_no_comment),
		cmocka_unit_test(formulas_have_one_form),
		cmocka_unit_test(formulas_have_values),
		cmocka_unit_test(references_keep_what_is_bound),
		cmocka_unit_test(probabilities_without_a_scope_belong_together),
		cmocka_unit_test(exponentials_have_one_form),
		cmocka_unit_test(presence_is_a_condition),
		cmocka_unit_test(names_may_hold_nearly_anything),
		cmocka_unit_test(errors_say_where_and_what_was_expected),
		cmocka_unit_test(nesting_and_sizes_are_bounded),
		cmocka_unit_test(what_is_expected_follows_scopes_mixtures_and_references),
		cmocka_unit_test(references_that_multiply_come_to_an_end),
		cmocka_unit_test(classes_and_enumerators_choose_a_case_by_name),
		cmocka_unit_test(all_forms_of_the_language_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
