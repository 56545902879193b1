/* An empty box with the model as JSON in an attribute; page.js fills it. */
#include "html_sections.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "xml.h"

/* [power, log, feature] for x^power log(x)^log; [base, feature] for base^x. NULL: another kind. */
static json_t *model_factor(const struct factor *factor)
{
	const struct formula *argument = factor->arguments;
	const struct term *term = argument && argument->n_terms == 1 ? argument->terms : NULL;

	if (factor->kind == FACTOR_FEATURE)
		return json_pack("[f,i,i]", factor->power, (int)factor->log, (int)factor->feature);
	if (factor->kind != FACTOR_EXPONENTIAL || !term || term->n_factors != 1 ||
	    term->coefficient != 1 || factor->power != 1 ||
	    term->factors[0].kind != FACTOR_FEATURE || term->factors[0].power != 1 ||
	    term->factors[0].log)
		return NULL;
	return json_pack("[f,i]", factor->base, (int)term->factors[0].feature);
}

/* [[coefficient, factor...]...]; NULL: it cannot be computed there. */
static json_t *model_formula(const struct formula *formula)
{
	json_t *terms = json_array();

	for (size_t i = 0; i < formula->n_terms; i++) {
		json_t *term = json_array();

		json_array_append_new(terms, term);
		json_array_append_new(term, json_real(formula->terms[i].coefficient));
		for (size_t j = 0; j < formula->terms[i].n_factors; j++) {
			json_t *factor = model_factor(&formula->terms[i].factors[j]);

			if (!factor) {
				json_decref(terms);
				return NULL;
			}
			json_array_append_new(term, factor);
		}
	}
	return terms;
}

static json_t *model_case(const struct study *study, const struct annotation_case *one)
{
	json_t *models = json_array();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *ret;

	annotation_print_scope(study->annotation, one, out);
	fclose(out);
	for (size_t i = 0; i < one->n_models; i++) {
		json_t *formula = model_formula(&one->models[i].mean);

		if (formula)
			json_array_append_new(models,
					      json_pack("{s:f,s:o}", "p",
							one->models[i].probability, "f", formula));
	}
	ret = json_array_size(models) == one->n_models
		      ? json_pack("{s:s%,s:O}", "scope", text, strlen(text), "models", models)
		      : NULL;
	json_decref(models);
	free(text);
	return ret;
}

/* null: without a slider; also if its name cannot be written. */
static json_t *model_feature(const struct annotation_feature *feature, bool is_used)
{
	json_t *ret = is_used ? json_pack("{s:s,s:f,s:f}", "name", feature->name, "min",
					  feature->min, "max", feature->max)
			      : NULL;

	return ret ? ret : json_null();
}

/* Of each feature whether a formula has it: then a slider, from its range. */
static json_t *model_features(const struct annotation *annotation, bool *ret_any)
{
	json_t *features = json_array();

	for (size_t i = 0; i < annotation->n_features; i++) {
		const struct annotation_feature *feature = &annotation->features[i];
		bool is_used = false;

		for (size_t j = 0; j < annotation->n_cases; j++)
			for (size_t k = 0; k < annotation->cases[j].n_models; k++)
				is_used |= annotation_formula_uses(
					&annotation->cases[j].models[k].mean, (unsigned)i);
		is_used = is_used && isfinite(feature->min) && isfinite(feature->max);
		*ret_any |= is_used;
		json_array_append_new(features, model_feature(feature, is_used));
	}
	return features;
}

/* [name, cost of a call, of which this function has so much]: of those that call it. */
static json_t *model_callers(const struct study *study, const struct call_graph *graph)
{
	json_t *callers = json_array();
	const size_t at = graph && study->metric == METRIC_TIME
				  ? call_graph_find(graph, study->annotation->function)
				  : CALL_GRAPH_NONE;

	for (size_t i = 0; at != CALL_GRAPH_NONE && i < graph->n_edges; i++) {
		const struct call_edge *edge = &graph->edges[i];
		const struct call_node *caller;

		if (edge->callee != at || edge->caller == at || edge->caller == CALL_GRAPH_NONE)
			continue;
		caller = &graph->nodes[edge->caller];
		if (caller->n_calls && isfinite(caller->total_us) &&
		    isfinite(graph->nodes[at].total_us))
			json_array_append_new(callers,
					      json_pack("[s?,f,f]", caller->name,
							caller->total_us / (double)caller->n_calls,
							edge->part * graph->nodes[at].total_us /
								(double)caller->n_calls));
	}
	return callers;
}

void html_model(const struct study *study, const struct call_graph *graph, FILE *out)
{
	const struct annotation *annotation = study->annotation;
	bool any = false;
	json_t *features = model_features(annotation, &any);
	json_t *cases = json_array(), *model;
	char *text;

	for (size_t i = 0; i < annotation->n_cases; i++) {
		json_t *one = model_case(study, &annotation->cases[i]);

		if (one)
			json_array_append_new(cases, one);
	}
	any = any && json_array_size(cases) == annotation->n_cases;
	model = json_pack(
		"{s:s,s:f,s:o,s:o,s:o}", "unit", metric_info(study->metric)->unit_text, "mean",
		study->total / (double)(study->samples->n_calls + !study->samples->n_calls),
		"features", features, "cases", cases, "callers", model_callers(study, graph));
	text = any && model ? json_dumps(model, JSON_COMPACT) : NULL;
	if (text) {
		fputs("<div class=\"what-if\" hidden=\"hidden\" data-model=\"", out);
		xml_print(text, out);
		fputs("\"></div>\n", out);
	}
	free(text);
	json_decref(model);
}
