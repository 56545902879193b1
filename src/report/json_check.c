/* Checks as JSON. */
#include <math.h>
#include <stdlib.h>

#include "core/verdict/gate.h"
#include "json.h"
#include "json_value.h"

static json_t *check_make_text(const struct annotation *annotation,
			       const struct annotation_case *in, const struct term *term)
{
	struct term alone = {.coefficient = 1};
	const struct formula formula = {&alone, 1};
	char *text = NULL;
	json_t *string;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (in)
		annotation_print_scope(annotation, in, out);
	if (term) {
		alone = *term;
		alone.coefficient = 1;
		annotation_print_formula(annotation, &formula, out);
	}
	fclose(out);
	string = json_value_text(text);
	free(text);
	return string;
}

static json_t *check_make_test(const struct check_test *test)
{
	json_t *object = json_object();

	json_object_set_new(object, "kind", json_value_text(check_kind_name(test->kind)));
	json_object_set_new(object, "scope",
			    test->in && test->in->n_conditions
				    ? check_make_text(test->annotation, test->in, NULL)
				    : json_null());
	json_object_set_new(object, "model", json_integer(test->model));
	json_object_set_new(object, "samples", json_integer((json_int_t)test->n));
	json_object_set_new(object, "expected", json_value_number(test->expected));
	json_object_set_new(object, "observed", json_value_number(test->observed));
	json_object_set_new(object, "term",
			    test->term ? check_make_text(test->annotation, NULL, test->term)
				       : json_null());
	json_object_set_new(object, "coefficient",
			    json_value_number(test->term ? test->term->coefficient : NAN));
	json_object_set_new(object, "coefficient_now",
			    json_value_number(test->term ? test->coefficient : NAN));
	json_object_set_new(object, "p", json_value_number(test->p));
	json_object_set_new(object, "p_runs", json_value_number(test->p_runs));
	json_object_set_new(object, "runs", json_value_runs(&test->spread, test->enough));
	json_object_set_new(object, "changed", json_boolean(test->changed));
	json_object_set_new(object, "violated", json_boolean(test->violated));
	return object;
}

static json_t *check_make_subject(const struct check *check, const struct check_subject *subject)
{
	const struct metric_info *info = metric_info(subject->annotation->metric);
	json_t *object = json_object();
	json_t *tests = json_array();
	size_t n, violated;
	const enum check_verdict verdict = check_verdict(check, subject, &n, &violated);

	for (size_t i = 0; i < check->n_tests; i++)
		if (check->tests[i].annotation == subject->annotation)
			json_array_append_new(tests, check_make_test(&check->tests[i]));
	json_object_set_new(object, "function", json_value_text(subject->annotation->function));
	json_object_set_new(object, "metric", json_value_text(info->keyword));
	json_object_set_new(object, "unit", json_value_text(info->unit));
	json_object_set_new(object, "verdict", json_value_text(check_verdict_name(verdict)));
	if (subject->where)
		json_object_set_new(object, "where", json_value_text(subject->where));
	json_object_set_new(object, "samples", json_integer((json_int_t)subject->n_samples));
	json_object_set_new(object, "unknown", json_integer((json_int_t)subject->n_unknown));
	json_object_set_new(object, "far", json_integer((json_int_t)subject->n_far));
	json_object_set_new(object, "missing", json_value_text(subject->missing));
	json_object_set_new(object, "tests", tests);
	return object;
}

static json_t *make_gate(const struct gate *gate)
{
	const struct metric_info *info = metric_info(gate->metric);
	const bool judged = gate->verdict != CHECK_UNTESTED;
	const bool costs = judged && !gate->is_growth;
	json_t *object = json_object();

	json_object_set_new(object, "gate", json_value_text(gate->text));
	json_object_set_new(object, "function", json_value_text(gate->function));
	json_object_set_new(object, "metric", json_value_text(info->keyword));
	json_object_set_new(object, "verdict", json_value_text(check_verdict_name(gate->verdict)));
	json_object_set_new(object, "reason", json_value_text(gate->reason));
	json_object_set_new(object, "limit", json_value_number(costs ? gate->limit : NAN));
	json_object_set_new(object, "value", json_value_number(costs ? gate->value : NAN));
	json_object_set_new(object, "low", json_value_number(costs ? gate->low : NAN));
	json_object_set_new(object, "high", json_value_number(costs ? gate->high : NAN));
	json_object_set_new(object, "outside", json_boolean(gate->is_outside));
	json_object_set_new(object, "growth", json_value_text(judged ? gate->now : NULL));
	json_object_set_new(object, "growth_before", json_value_text(judged ? gate->before : NULL));
	return object;
}

bool json_check(const struct check *check, FILE *out, struct err *err)
{
	json_t *root = json_object();
	json_t *checks = json_array();
	json_t *gates = json_array();
	bool conforms = true;

	for (size_t i = 0; i < check->n_gates; i++) {
		conforms &= check->gates[i].verdict != CHECK_WORSE;
		json_array_append_new(gates, make_gate(&check->gates[i]));
	}
	for (size_t i = 0; i < check->n_tests; i++)
		conforms &= !check->tests[i].violated;
	for (size_t i = 0; !check->is_of_itself && i < check->n_subjects; i++)
		json_array_append_new(checks, check_make_subject(check, &check->subjects[i]));
	json_object_set_new(root, "fathom", json_integer(1));
	json_object_set_new(root, "conforms", json_boolean(conforms));
	json_object_set_new(root, "checks", checks);
	json_object_set_new(root, "gates", gates);
	return json_value_write(root, out, err);
}
