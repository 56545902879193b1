/* Annotations and predictions as JSON. */
#include "json.h"

#include <math.h>
#include <stdlib.h>

#include "json_value.h"

static const char *feature_name(const struct annotation *annotation, unsigned feature)
{
	return feature < annotation->n_features ? annotation->features[feature].name : NULL;
}

static json_t *json_make_affine(const struct annotation_feature *feature)
{
	json_t *array = json_array();

	for (size_t i = 0; i < feature->n_affine; i++) {
		const struct annotation_affine *one = &feature->affine[i];
		json_t *object = json_object();

		json_object_set_new(object, "expression", json_value_text(one->expression));
		json_object_set_new(object, "scale", json_value_number(one->scale));
		json_object_set_new(object, "offset", json_value_number(one->offset));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *json_make_feature(const struct annotation_feature *feature)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_value_text(feature->name));
	json_object_set_new(object, "type", json_value_text(feature_type_name(feature->type)));
	json_object_set_new(object, "expression", json_value_text(feature->expression));
	json_object_set_new(object, "min", json_value_number(feature->min));
	json_object_set_new(object, "max", json_value_number(feature->max));
	json_object_set_new(object, "aliases",
			    json_value_texts(feature->aliases, feature->n_aliases));
	json_object_set_new(object, "affine", json_make_affine(feature));
	json_object_set_new(object, "correlated", json_value_texts(feature->kin, feature->n_kin));
	return object;
}

static json_t *make_condition(const struct annotation *annotation,
			      const struct condition *condition)
{
	static const char *const operators[] = {
		[LESS] = "<",
		[LESS_EQUAL] = "<=",
		[GREATER] = ">",
		[GREATER_EQUAL] = ">=",
		[EQUAL] = "==",
		[NOT_EQUAL] = "!=",
		[IS_TRUE] = "==",
		[IS_FALSE] = "==",
		[IS_DEFINED] = "defined",
		[IS_ABSENT] = "defined",
	};
	json_t *object = json_object();
	json_t *value;

	if (condition->comparison >= IS_TRUE)
		value = json_boolean(condition->comparison == IS_TRUE ||
				     condition->comparison == IS_DEFINED);
	else if (condition->symbol)
		value = json_value_text(condition->symbol);
	else
		value = json_value_number(condition->number);
	json_object_set_new(object, "feature",
			    json_value_text(feature_name(annotation, condition->feature)));
	json_object_set_new(object, "op", json_value_text(operators[condition->comparison]));
	if (condition->of_pair) {
		json_decref(value);
		value = json_object();
		json_object_set_new(value, "feature",
				    json_value_text(feature_name(annotation, condition->other)));
		json_object_set_new(object, "times", json_value_number(condition->number));
	}
	json_object_set_new(object, "value", value);
	return object;
}

static json_t *json_make_scope(const struct annotation *annotation,
			       const struct annotation_case *in)
{
	json_t *array = json_array();

	for (size_t i = 0; i < in->n_conditions; i++)
		json_array_append_new(array, make_condition(annotation, &in->scope[i]));
	return array;
}

/* A factor that is no plain feature, in the text form. */
static json_t *make_expression(const struct annotation *annotation, const struct factor *factor)
{
	struct term term = {.coefficient = 1, .n_factors = 1, .factors = {*factor}};
	const struct formula formula = {&term, 1};
	char *text = NULL;
	json_t *string;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	annotation_print_formula(annotation, &formula, out);
	fclose(out);
	string = json_value_text(text);
	free(text);
	return string;
}

/* Is the formula a plain feature? */
static bool is_feature(const struct formula *formula)
{
	const struct term *term = formula->terms;

	return formula->n_terms == 1 && term->coefficient == 1 && term->n_factors == 1 &&
	       term->factors[0].kind == FACTOR_FEATURE && term->factors[0].power == 1 &&
	       !term->factors[0].log;
}

static json_t *make_factor(const struct annotation *annotation, const struct factor *factor)
{
	json_t *object = json_object();

	if (factor->kind == FACTOR_EXPONENTIAL && is_feature(factor->arguments)) {
		const unsigned feature = factor->arguments->terms->factors[0].feature;

		json_object_set_new(object, "feature",
				    json_value_text(feature_name(annotation, feature)));
		json_object_set_new(object, "base", json_value_number(factor->base));
		return object;
	}
	if (factor->kind != FACTOR_FEATURE) {
		json_object_set_new(object, "expression", make_expression(annotation, factor));
		return object;
	}
	json_object_set_new(object, "feature",
			    json_value_text(feature_name(annotation, factor->feature)));
	json_object_set_new(object, "power", json_value_number(factor->power));
	json_object_set_new(object, "log", json_integer(factor->log));
	return object;
}

static json_t *json_make_term(const struct annotation *annotation, const struct term *term)
{
	json_t *object = json_object();
	json_t *factors = json_array();

	for (size_t i = 0; i < term->n_factors; i++)
		json_array_append_new(factors, make_factor(annotation, &term->factors[i]));
	json_object_set_new(object, "coefficient", json_value_number(term->coefficient));
	json_object_set_new(object, "stderr", json_value_number(term->std_error));
	json_object_set_new(object, "factors", factors);
	return object;
}

static json_t *make_terms(const struct annotation *annotation, const struct formula *formula)
{
	json_t *array = json_array();

	for (size_t i = 0; i < formula->n_terms; i++)
		json_array_append_new(array, json_make_term(annotation, &formula->terms[i]));
	return array;
}

/* The value of a formula without features; NAN if it has one. */
static double constant_value(const struct formula *formula)
{
	double sum = 0;

	for (size_t i = 0; i < formula->n_terms; i++) {
		if (formula->terms[i].n_factors)
			return NAN;
		sum += formula->terms[i].coefficient;
	}
	return sum;
}

/* One that depends on features is given as a typical number and as `deviation_terms`. */
static void json_set_deviation(json_t *object, const struct annotation *annotation,
			       const struct model *model)
{
	const double number = constant_value(&model->deviation);

	json_object_set_new(object, "deviation",
			    json_value_number(isnan(number) ? model->spread : number));
	if (isnan(number))
		json_object_set_new(object, "deviation_terms",
				    make_terms(annotation, &model->deviation));
}

static json_t *make_heuristic(enum heuristic heuristic)
{
	switch (heuristic) {
	case HEURISTIC_NONE:
		return json_null();
	case HEURISTIC_ENVELOPE:
		return json_string("R");
	case HEURISTIC_TREND:
		return json_string("M");
	}
	return json_null();
}

static json_t *make_model(const struct annotation *annotation, const struct annotation_case *in,
			  const struct model *model)
{
	json_t *object = json_object();

	json_object_set_new(object, "scope", json_make_scope(annotation, in));
	json_object_set_new(object, "probability", json_value_number(model->probability));
	json_object_set_new(object, "heuristic", make_heuristic(model->heuristic));
	json_object_set_new(object, "samples", json_integer(model->n_samples));
	json_object_set_new(object, "terms", make_terms(annotation, &model->mean));
	json_set_deviation(object, annotation, model);
	json_object_set_new(object, "r2", json_value_number(model->r2));
	json_object_set_new(object, "cv_r2", json_value_number(model->cv_r2));
	json_object_set_new(object, "class",
			    model->is_unexplained ? json_null()
						  : json_value_text(growth_name(model->growth)));
	if (model->growth >= GROWTH_FIXED && model->free_low > 0)
		json_object_set_new(object, model->growth == GROWTH_POWER ? "exponent" : "base",
				    json_pack("[ff]", model->free_low, model->free_high));
	json_object_set_new(object, "unexplained", json_boolean(model->is_unexplained));
	json_object_set_new(object, "rest", json_boolean(model->is_rest));
	if (model->is_unexplained) {
		json_object_set_new(object, "low", json_value_number(model->low));
		json_object_set_new(object, "high", json_value_number(model->high));
	}
	return object;
}

static json_t *make_models(const struct annotation *annotation)
{
	json_t *array = json_array();

	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_models; j++)
			json_array_append_new(array, make_model(annotation, &annotation->cases[i],
								&annotation->cases[i].models[j]));
	return array;
}

static json_t *make_features(const struct annotation *annotation)
{
	json_t *array = json_array();

	for (size_t i = 0; i < annotation->n_features; i++)
		json_array_append_new(array, json_make_feature(&annotation->features[i]));
	return array;
}

static json_t *json_make_text(const struct annotation *annotation)
{
	char *text = NULL;
	size_t size;
	json_t *value;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return json_null();
	annotation_print(annotation, out);
	fclose(out);
	value = json_value_text(text);
	free(text);
	return value;
}

/* null: one, or it is not known. */
static json_t *make_runs(const struct annotation *annotation)
{
	json_t *object;

	if (annotation->n_runs < 2 || !(annotation->run_deviation >= 0))
		return json_null();
	object = json_object();
	json_object_set_new(object, "count", json_integer((json_int_t)annotation->n_runs));
	json_object_set_new(object, "deviation", json_value_number(annotation->run_deviation));
	return object;
}

static json_t *make_left_out(const struct annotation_left_out *out)
{
	json_t *object;

	if (!out->is_known)
		return json_null();
	object = json_object();
	json_object_set_new(object, "far", json_integer((json_int_t)out->n_far));
	json_object_set_new(object, "unread", json_integer((json_int_t)out->n_unread));
	json_object_set_new(object, "cost", json_value_number(out->cost));
	json_object_set_new(object, "share", json_value_number(out->share));
	return object;
}

static json_t *make_curve(const struct smooth *curve)
{
	json_t *object = json_object(), *points = json_array();

	for (size_t i = 0; i < curve->n; i++) {
		json_t *point = json_object();

		json_object_set_new(point, "x", json_value_number(curve->x[i]));
		json_object_set_new(point, "y", json_value_number(curve->y[i]));
		json_object_set_new(point, "low", json_value_number(curve->low[i]));
		json_object_set_new(point, "high", json_value_number(curve->high[i]));
		json_array_append_new(points, point);
	}
	json_object_set_new(object, "kind", json_value_text(smooth_name(curve->kind)));
	json_object_set_new(object, "over", json_value_text(curve->over));
	json_object_set_new(object, "points", points);
	return object;
}

static json_t *make_annotation(const struct annotation *annotation)
{
	json_t *object = json_object();

	json_object_set_new(object, "function", json_value_text(annotation->function));
	json_object_set_new(object, "linkage", json_value_text(annotation->linkage));
	json_object_set_new(object, "file", json_value_text(annotation->file));
	json_object_set_new(object, "line",
			    annotation->line ? json_integer(annotation->line) : json_null());
	json_object_set_new(object, "module", json_value_text(annotation->module));
	json_object_set_new(object, "metric",
			    json_value_text(metric_info(annotation->metric)->keyword));
	json_object_set_new(object, "unit", json_value_text(metric_info(annotation->metric)->unit));
	if (annotation->where)
		json_object_set_new(object, "where", json_value_text(annotation->where));
	json_object_set_new(object, "samples", json_integer(annotation->n_samples));
	json_object_set_new(object, "features", make_features(annotation));
	json_object_set_new(object, "models", make_models(annotation));
	json_object_set_new(object, "runs", make_runs(annotation));
	json_object_set_new(object, "left_out", make_left_out(&annotation->left_out));
	json_object_set_new(object, "notes",
			    json_value_texts(annotation->notes, annotation->n_notes));
	if (annotation->curve)
		json_object_set_new(object, "curve", make_curve(annotation->curve));
	json_object_set_new(object, "text", json_make_text(annotation));
	return object;
}

bool json_annotations(const struct json_models *models, FILE *out, struct err *err)
{
	json_t *root = json_object();
	json_t *array = json_array();

	for (size_t i = 0; i < models->n; i++)
		json_array_append_new(array, make_annotation(models->annotations[i]));
	json_object_set_new(root, "fathom", json_integer(1));
	json_object_set_new(root, "annotations", array);
	json_object_set_new(root, "notes", json_value_texts(models->notes, models->n_notes));
	if (models->n_probes)
		json_object_set_new(root, "probes",
				    json_value_texts(models->probes, models->n_probes));
	return json_value_write(root, out, err);
}

static json_t *make_prediction(const struct json_prediction *prediction)
{
	const struct annotation *annotation = prediction->annotation;
	const struct metric_info *info = metric_info(annotation->metric);
	const struct expectation *expectation = &prediction->expectation;
	json_t *object = json_object();

	json_object_set_new(object, "function", json_value_text(annotation->function));
	json_object_set_new(object, "metric", json_value_text(info->keyword));
	json_object_set_new(object, "unit", json_value_text(info->unit));
	json_object_set_new(object, "scope",
			    prediction->curve ? json_null()
					      : json_make_scope(annotation, expectation->in));
	if (prediction->curve)
		json_object_set_new(object, "curve",
				    json_value_text(smooth_name(prediction->curve->kind)));
	json_object_set_new(object, "mean", json_value_number(expectation->mean));
	json_object_set_new(object, "deviation", json_value_number(expectation->deviation));
	json_object_set_new(object, "low", json_value_number(expectation->low));
	json_object_set_new(object, "high", json_value_number(expectation->high));
	json_object_set_new(object, "outside",
			    json_value_texts(prediction->outside, prediction->n_outside));
	return object;
}

bool json_predictions(const struct json_prediction *predictions, size_t n, FILE *out,
		      struct err *err)
{
	json_t *root = json_object();
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, make_prediction(&predictions[i]));
	json_object_set_new(root, "fathom", json_integer(1));
	json_object_set_new(root, "predictions", array);
	return json_value_write(root, out, err);
}

static json_t *make_advised(const struct json_advised *advised)
{
	json_t *object = json_object(), *sentences = json_array();

	for (size_t i = 0; i < advised->n; i++)
		json_array_append_new(sentences, json_value_text(advised->sentences[i]));
	json_object_set_new(object, "function", json_value_text(advised->annotation->function));
	json_object_set_new(object, "metric",
			    json_value_text(metric_info(advised->annotation->metric)->keyword));
	json_object_set_new(object, "share", json_value_number(advised->share));
	json_object_set_new(object, "precision", json_value_number(advised->precision));
	json_object_set_new(object, "sentences", sentences);
	return object;
}

bool json_advice(const struct json_advised *advised, size_t n, FILE *out, struct err *err)
{
	json_t *root = json_object(), *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, make_advised(&advised[i]));
	json_object_set_new(root, "fathom", json_integer(1));
	json_object_set_new(root, "advice", array);
	return json_value_write(root, out, err);
}
