/* Diffs as JSON. */
#include <math.h>
#include <stdlib.h>

#include "json.h"
#include "json_value.h"

static json_t *diff_make_text(const struct annotation *annotation, const struct annotation_case *in,
			      const struct formula *formula)
{
	char *text = NULL;
	json_t *string;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (in)
		annotation_print_scope(annotation, in, out);
	if (formula)
		annotation_print_formula(annotation, formula, out);
	fclose(out);
	string = json_value_text(text);
	free(text);
	return string;
}

static json_t *diff_make_scope(const struct diff_subject *subject, const struct annotation_case *in)
{
	return in && in->n_conditions ? diff_make_text(subject->old, in, NULL) : json_null();
}

static void set_pair(json_t *object, const struct diff_pair *pair)
{
	json_object_set_new(object, "old", json_value_number(pair->old));
	json_object_set_new(object, "new", json_value_number(pair->new));
	json_object_set_new(object, "ratio", json_value_number(pair->new / pair->old));
	json_object_set_new(object, "low", json_value_number(pair->low));
	json_object_set_new(object, "high", json_value_number(pair->high));
}

static json_t *diff_make_call(const struct diff_test *test)
{
	json_t *object = json_object();

	for (size_t i = 0; i < test->features->n_features; i++)
		json_object_set_new(object, test->features->features[i].name,
				    json_value_number(test->x[i]));
	return object;
}

static json_t *diff_make_test(const struct diff_subject *subject, const struct diff_test *test)
{
	json_t *object = json_object();

	json_object_set_new(object, "kind", json_value_text(diff_kind_name(test->kind)));
	json_object_set_new(object, "scope", diff_make_scope(subject, test->in));
	json_object_set_new(object, "model", json_integer(test->model));
	json_object_set_new(object, "call",
			    test->kind == DIFF_CALL ? diff_make_call(test) : json_null());
	set_pair(object, &test->pair);
	json_object_set_new(object, "p", json_value_number(test->p));
	json_object_set_new(object, "p_runs", json_value_number(test->p_runs));
	json_object_set_new(object, "runs", json_value_runs(&test->spread, test->enough));
	json_object_set_new(object, "certain", json_boolean(test->certain));
	return object;
}

static json_t *diff_make_term(const struct diff_subject *subject, const struct diff_term *term)
{
	json_t *object = json_object();
	struct term alone = *term->term;
	const struct formula formula = {&alone, 1};

	alone.coefficient = 1;
	json_object_set_new(object, "scope", diff_make_scope(subject, term->in));
	json_object_set_new(object, "term", diff_make_text(subject->old, NULL, &formula));
	set_pair(object, &term->pair);
	json_object_set_new(object, "p", json_value_number(term->p));
	json_object_set_new(object, "certain", json_boolean(term->certain));
	return object;
}

static json_t *make_quantiles(const double *quantiles)
{
	json_t *array = json_array();

	for (size_t i = 0; i < 3; i++)
		json_array_append_new(array, json_value_number(quantiles[i]));
	return array;
}

static json_t *diff_make_feature(const struct diff_feature *feature)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_value_text(feature->feature->name));
	json_object_set_new(object, "expression", json_value_text(feature->feature->expression));
	json_object_set_new(object, "old", make_quantiles(feature->old));
	json_object_set_new(object, "new", make_quantiles(feature->new));
	json_object_set_new(object, "moved", json_boolean(feature->moved));
	return object;
}

static json_t *make_case(const struct diff_subject *subject, const struct diff_case *one)
{
	json_t *object = json_object();

	json_object_set_new(object, "scope", diff_make_scope(subject, one->in));
	json_object_set_new(object, "old", json_value_number(one->old));
	json_object_set_new(object, "new", json_value_number(one->new));
	json_object_set_new(object, "moved", json_boolean(one->moved));
	return object;
}

static json_t *make_workload(const struct diff_subject *subject)
{
	json_t *object = json_object();
	json_t *features = json_array();
	json_t *cases = json_array();

	for (size_t i = 0; i < subject->n_features; i++)
		json_array_append_new(features, diff_make_feature(&subject->features[i]));
	for (size_t i = 0; i < subject->n_cases; i++)
		json_array_append_new(cases, make_case(subject, &subject->cases[i]));
	json_object_set_new(object, "moved", json_boolean(subject->moved));
	json_object_set_new(object, "ratio", json_value_number(subject->workload));
	json_object_set_new(object, "beyond", json_value_number(subject->beyond));
	json_object_set_new(object, "features", features);
	json_object_set_new(object, "cases", cases);
	return object;
}

static json_t *make_annotation_text(const struct annotation *annotation)
{
	char *text = NULL;
	json_t *string;
	size_t size;
	FILE *out;

	if (!annotation)
		return json_null();
	out = open_memstream(&text, &size);
	annotation_print(annotation, out);
	fclose(out);
	string = json_value_text(text);
	free(text);
	return string;
}

static void set_side(json_t *object, const char *name, const struct annotation *annotation,
		     size_t samples, double mean)
{
	json_t *side = json_object();

	json_object_set_new(side, "samples", json_integer((json_int_t)samples));
	json_object_set_new(side, "mean", json_value_number(mean));
	json_object_set_new(side, "annotation", make_annotation_text(annotation));
	json_object_set_new(object, name, side);
}

static json_t *diff_make_callees(const struct diff_subject *subject)
{
	json_t *list = json_array();

	for (size_t i = 0; i < subject->n_callees; i++) {
		const struct diff_callee *callee = &subject->callees[i];
		json_t *object = json_object();

		json_object_set_new(object, "function", json_value_text(callee->function));
		json_object_set_new(object, "changed_alike", json_boolean(callee->changed_alike));
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *diff_make_payers(const struct diff_subject *subject)
{
	json_t *array = json_array();

	for (size_t i = 0; i < subject->n_payers; i++) {
		const struct diff_payer *payer = &subject->payers[i];
		json_t *object = json_object();

		json_object_set_new(object, "part",
				    json_value_text(metric_info(payer->metric)->keyword));
		json_object_set_new(object, "change", json_value_number(payer->change));
		json_object_set_new(object, "certain", json_boolean(payer->certain));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *diff_make_subject(const struct diff_subject *subject)
{
	const struct metric_info *info = metric_info(subject->metric);
	json_t *object = json_object();
	json_t *tests = json_array();
	json_t *terms = json_array();

	for (size_t i = 0; i < subject->n_tests; i++)
		json_array_append_new(tests, diff_make_test(subject, &subject->tests[i]));
	for (size_t i = 0; i < subject->n_terms; i++)
		json_array_append_new(terms, diff_make_term(subject, &subject->terms[i]));
	json_object_set_new(object, "function", json_value_text(subject->function));
	if (subject->new && subject->new->where)
		json_object_set_new(object, "where", json_value_text(subject->new->where));
	json_object_set_new(object, "metric", json_value_text(info->keyword));
	if (subject->side)
		json_object_set_new(object, "side", json_value_text(subject->side));
	json_object_set_new(object, "unit", json_value_text(info->unit));
	json_object_set_new(object, "verdict",
			    json_value_text(diff_verdict_name(subject->verdict)));
	json_object_set_new(object, "reason",
			    subject->verdict == DIFF_INCONCLUSIVE ? json_value_text(subject->reason)
								  : json_null());
	json_object_set_new(object, "ratio", json_value_number(diff_change(subject)));
	set_side(object, "old", subject->old, subject->n_old, subject->mean_old);
	set_side(object, "new", subject->new, subject->n_new, subject->mean_new);
	json_object_set_new(object, "other_form", json_boolean(subject->other_form));
	if (subject->n_callees)
		json_object_set_new(object, "callees", diff_make_callees(subject));
	if (subject->n_payers)
		json_object_set_new(object, "payers", diff_make_payers(subject));
	json_object_set_new(object, "terms", terms);
	json_object_set_new(object, "tests", tests);
	json_object_set_new(object, "workload", make_workload(subject));
	return object;
}

static json_t *make_suites(const struct diff *diff)
{
	json_t *array = json_array();

	for (size_t i = 0; i < diff->n_suites; i++) {
		const struct diff_suite *suite = &diff->suites[i];
		json_t *object = json_object();

		json_object_set_new(object, "metric",
				    json_value_text(metric_info(suite->metric)->keyword));
		if (suite->side)
			json_object_set_new(object, "side", json_value_text(suite->side));
		json_object_set_new(object, "functions", json_integer((json_int_t)suite->n));
		json_object_set_new(object, "ratio", json_value_number(suite->ratio));
		json_object_set_new(object, "f", json_value_number(suite->f));
		json_object_set_new(object, "p", json_value_number(suite->p));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *make_anovas(const struct diff *diff)
{
	json_t *array = json_array();

	for (size_t i = 0; i < diff->n_anovas; i++) {
		const struct diff_anova *anova = &diff->anovas[i];
		json_t *object = json_object();

		json_object_set_new(object, "function", json_value_text(anova->function));
		json_object_set_new(object, "metric",
				    json_value_text(metric_info(anova->metric)->keyword));
		json_object_set_new(object, "sides", json_integer((json_int_t)anova->n));
		json_object_set_new(object, "f", json_value_number(anova->f));
		json_object_set_new(object, "p", json_value_number(anova->p));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *make_places(const struct diff *diff)
{
	json_t *array = json_array();

	for (size_t i = 0; i < diff->n_places; i++) {
		const struct diff_place *place = &diff->places[i];
		json_t *object = json_object();

		json_object_set_new(object, "function", json_value_text(place->function));
		json_object_set_new(object, "metric",
				    json_value_text(metric_info(place->metric)->keyword));
		json_object_set_new(object, "feature", json_value_text(place->part));
		json_object_set_new(object, "above", json_value_number(place->border));
		json_object_set_new(object, "times", json_value_number(place->times));
		json_object_set_new(object, "runs", json_integer((json_int_t)place->n));
		json_object_set_new(object, "p", json_value_number(place->p));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *make_results(const struct diff *diff)
{
	static const char *const grades[] = {"none", "maybe", "change", "severe"};
	json_t *array = json_array();

	for (size_t i = 0; i < diff->n_results; i++) {
		const struct method_result *result = &diff->results[i];
		json_t *object = json_object();

		json_object_set_new(object, "function", json_value_text(result->function));
		json_object_set_new(object, "metric",
				    json_value_text(metric_info(result->metric)->keyword));
		json_object_set_new(object, "grade", json_value_text(grades[result->grade]));
		json_object_set_new(object, "worse", json_boolean(method_is_worse(result)));
		json_object_set_new(object, "value", json_value_number(result->value));
		json_object_set_new(object, "reason",
				    result->reason ? json_value_text(result->reason) : json_null());
		json_array_append_new(array, object);
	}
	return array;
}

bool json_diff(const struct diff *diff, FILE *out, struct err *err)
{
	json_t *root = json_object();
	json_t *functions = json_array();
	bool regression = false;

	for (size_t i = 0; i < diff->n_subjects; i++) {
		regression |= diff->subjects[i].verdict == DIFF_WORSE;
		json_array_append_new(functions, diff_make_subject(&diff->subjects[i]));
	}
	json_object_set_new(root, "fathom", json_integer(1));
	json_object_set_new(root, "regression", json_boolean(regression));
	json_object_set_new(root, "differences", functions);
	json_object_set_new(root, "suites", make_suites(diff));
	if (diff->n_results)
		json_object_set_new(root, "methods", make_results(diff));
	if (diff->n_places)
		json_object_set_new(root, "layouts", make_places(diff));
	if (diff->n_anovas)
		json_object_set_new(root, "anovas", make_anovas(diff));
	return json_value_write(root, out, err);
}
