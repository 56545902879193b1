/* One study as HTML: its line in the contents, and its section. page.css styles them. */
#include "html_sections.h"

#include <math.h>
#include <stdlib.h>

#include "core/figure/figure.h"
#include "svg.h"
#include "xml.h"

/* Two figures fit side by side; one is readable on a phone. */
enum { WIDTH = 500, HEIGHT = 340, POINTS_MOST = 4000, CURVE_STEPS = 100, OTHERS_MOST = 2 };
enum { FEATURES_MOST = 40, NODES_MOST = 200, ALIASES_MOST = 6, LABELS_MOST = 4, TEXT_MOST = 400 };

typedef void (*printer)(const struct study *study, const void *what, FILE *out);

/* The output of @print, escaped. */
static void print_escaped(const struct study *study, printer print, const void *what, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	print(study, what, memory);
	fclose(memory);
	xml_print(text, out);
	free(text);
}

static void write_annotation(const struct study *study, const void *what, FILE *out)
{
	(void)what;
	annotation_print(study->annotation, out);
}

static void write_formula(const struct study *study, const void *formula, FILE *out)
{
	annotation_print_formula(study->annotation, formula, out);
}

static void html_write_condition(const struct study *study, const void *condition, FILE *out)
{
	const struct annotation_case one = {.scope = condition, .n_conditions = 1};

	annotation_print_scope(study->annotation, &one, out);
}

/* In percent; an en dash if unknown. */
static void print_part(double part, FILE *out)
{
	if (isnan(part))
		fputs("\xe2\x80\x93", out);
	else
		fprintf(out, "%.0f %%", 100 * part);
}

static const char *number_text(double number, char ret[FIGURE_TEXT])
{
	figure_text(number, ret);
	return ret;
}

static void print_r2(double r2, FILE *out)
{
	if (!isnan(r2))
		fprintf(out, "R\xc2\xb2 %.3f", r2);
}

static void print_function(const struct study *study, FILE *out)
{
	xml_print_short(study->annotation->function, TEXT_MOST, out);
	fprintf(out, " <span class=\"metric\">%s</span>", metric_info(study->metric)->keyword);
}

static void print_models(const struct study *study, const struct annotation_case *one, FILE *out)
{
	for (size_t i = 0; i < one->n_models; i++) {
		fputs(i ? ", " : "", out);
		if (one->n_models > 1) {
			print_part(one->models[i].probability, out);
			fputs(": ", out);
		}
		fputs("<code>", out);
		print_escaped(study, write_formula, &one->models[i].mean, out);
		fputs("</code>", out);
	}
}

/* The annotation's, if it is one for all calls: it may exclude outliers. */
static double fit_of(const struct study *study)
{
	const struct annotation *annotation = study->annotation;

	if (annotation->n_cases == 1 && annotation->cases[0].n_models == 1)
		return annotation->cases[0].models[0].r2;
	return study->n_nodes ? study->nodes[0].r2 : NAN;
}

enum growth html_study_growth(const struct annotation *annotation)
{
	enum growth fastest = GROWTH_CONSTANT;

	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_models; j++)
			if (annotation->cases[i].models[j].growth > fastest)
				fastest = annotation->cases[i].models[j].growth;
	return fastest;
}

/* A cell that is sorted by @number; unknown ones last. */
static void print_cell(double number, const char *text, FILE *out)
{
	if (isfinite(number))
		fprintf(out, "<td class=\"number\" data-n=\"%.9g\">%s</td>", number, text);
	else
		fputs("<td class=\"number\">\xe2\x80\x93</td>", out);
}

static double study_share(const struct study *study, const struct call_graph *graph)
{
	const size_t at = graph && study->metric == METRIC_TIME
				  ? call_graph_find(graph, study->annotation->function)
				  : CALL_GRAPH_NONE;

	return at == CALL_GRAPH_NONE ? NAN : graph->nodes[at].share;
}

void html_study_contents(const struct study *study, const struct call_graph *graph, unsigned number,
			 FILE *out)
{
	const struct annotation *annotation = study->annotation;
	const double share = study_share(study, graph), fit = fit_of(study);
	const enum growth growth = html_study_growth(annotation);
	char text[METRIC_AMOUNT];

	fprintf(out, "<tr><td class=\"name\"><a href=\"#s%u\">", number);
	xml_print_short(annotation->function, TEXT_MOST, out);
	fprintf(out, "</a></td><td>%s</td>", metric_info(study->metric)->keyword);
	snprintf(text, sizeof(text), "%.1f %%", 100 * share);
	print_cell(share, text, out);
	snprintf(text, sizeof(text), "%zu", study->samples->n_calls);
	print_cell((double)study->samples->n_calls, text, out);
	print_cell(study->total, metric_amount(study->metric, study->total, text), out);
	fprintf(out, "<td data-n=\"%d\">%s</td><td>", annotation->n_cases ? (int)growth : -1,
		annotation->n_cases ? growth_info(growth)->symbol : "");
	if (annotation->n_cases == 1) {
		print_models(study, &annotation->cases[0], out);
		fprintf(out, " %s", metric_info(study->metric)->unit_text);
	} else if (annotation->n_cases) {
		fprintf(out, "%zu cases", annotation->n_cases);
	} else {
		fputs("no model", out);
	}
	fputs("</td>", out);
	snprintf(text, sizeof(text), "%.3f", fit);
	print_cell(fit, text, out);
	fputs("</tr>\n", out);
}

static void html_print_place(const struct study *study, FILE *out)
{
	const struct annotation *annotation = study->annotation;
	const struct samples *samples = study->samples;
	char text[FIGURE_TEXT];

	fputs("<p class=\"soft\">", out);
	if (annotation->file) {
		xml_print_short(annotation->file, TEXT_MOST, out);
		if (annotation->line)
			fprintf(out, ":%u", annotation->line);
		fputs("; ", out);
	}
	if (annotation->module) {
		fputs("in ", out);
		xml_print_short(annotation->module, TEXT_MOST, out);
		fputs("; ", out);
	}
	fprintf(out, "%zu sample%s of %zu call%s", study->n_points, study->n_points == 1 ? "" : "s",
		samples->n_calls, samples->n_calls == 1 ? "" : "s");
	if (isfinite(study->total))
		fprintf(out, "; %s %s in all", number_text(study->total, text),
			metric_info(study->metric)->unit_text);
	fputs("</p>\n", out);
}

/* @study: whose points can be asked; NULL: not this figure's. */
static bool html_print_figure(struct figure *figure, const struct study *study, FILE *out,
			      struct err *err)
{
	const struct svg_options options = {
		.width = WIDTH, .height = HEIGHT, .is_embedded = true, .study = study};
	const bool ok = svg_figure(figure, &options, out, err);

	figure_destroy(figure);
	return ok;
}

/* @how: what tells it from the first one. */
static bool print_other_figure(struct figure *figure, const char *how, const char *what,
			       const struct study *study, FILE *out, struct err *err)
{
	figure->title = arena_printf(figure->arena, "%s: %s%s", figure->title, how, what);
	return html_print_figure(figure, study, out, err);
}

/* What may be looked at besides: the same on logarithmic axes, and over what explains most else. */
static bool print_more_figures(const struct study *study, unsigned feature,
			       const struct figure_options *options, FILE *out, struct err *err)
{
	struct figure_options logarithmic = *options;
	unsigned others = 0;
	bool ok;

	logarithmic.log_x = logarithmic.log_y = true;
	fputs("<details class=\"more\"><summary>On logarithmic axes; over other "
	      "features</summary>\n<div class=\"figures\">\n",
	      out);
	ok = print_other_figure(figure_scatter(study, feature, &logarithmic), "logarithmic", "",
				study, out, err);
	for (unsigned i = 0; i < study->n_features && others < OTHERS_MOST && ok; i++) {
		if (i == feature || !(study->features[i].explains > 0))
			continue;
		ok = print_other_figure(figure_scatter(study, i, options), "over ",
					study->features[i].expression, study, out, err);
		others++;
	}
	fputs("</div></details>\n", out);
	return ok;
}

static bool print_figures(const struct study *study, FILE *out, struct err *err)
{
	const unsigned feature = study_main_feature(study);
	struct figure_options options = figure_default;
	bool ok;

	if (!study->n_points)
		return true;
	options.max_points = POINTS_MOST;
	options.n_curve = CURVE_STEPS;
	fputs("<div class=\"figures\">\n", out);
	ok = html_print_figure(figure_scatter(study, feature, &options), study, out, err) &&
	     html_print_figure(figure_residuals(study, feature, &options), NULL, out, err) &&
	     html_print_figure(figure_histogram(study, &options), NULL, out, err);
	fputs("</div>\n", out);
	options.max_points = POINTS_MOST / 4;
	return ok && print_more_figures(study, feature, &options, out, err);
}

static void print_node(const struct study *study, const struct study_node *node, FILE *out)
{
	const char *unit = metric_info(study->metric)->unit_text;
	char text[FIGURE_TEXT];

	if (node->condition) {
		fputs("<code>", out);
		print_escaped(study, html_write_condition, node->condition, out);
		fputs("</code> ", out);
	} else {
		fputs("all calls: ", out);
	}
	fprintf(out, "<span class=\"soft\">%zu sample%s", node->n_points,
		node->n_points == 1 ? "" : "s");
	if (isfinite(node->mean))
		fprintf(out, ", mean %s %s", number_text(node->mean, text), unit);
	if (isfinite(node->deviation))
		fprintf(out, ", deviation %s %s", number_text(node->deviation, text), unit);
	if (isfinite(node->r2))
		fputs(", ", out);
	print_r2(node->r2, out);
	fputs("</span>", out);
	if (node->in_case == STUDY_NONE)
		return;
	fputs("<br/>", out);
	print_models(study, &study->annotation->cases[node->in_case], out);
}

/* Nodes are in preorder: open a list where the depth grows, close it where it shrinks. */
static void print_tree(const struct study *study, FILE *out)
{
	const size_t n = study->n_nodes < NODES_MOST ? study->n_nodes : NODES_MOST;
	unsigned depth = 0;

	if (!n)
		return;
	fputs("<h3>Cases</h3>\n<ul class=\"tree\">\n", out);
	for (size_t i = 0; i < n; i++) {
		if (i && study->nodes[i].depth > depth)
			fputs("\n<ul>\n", out);
		else if (i)
			fputs("</li>\n", out);
		for (; depth > study->nodes[i].depth; depth--)
			fputs("</ul></li>\n", out);
		depth = study->nodes[i].depth;
		fputs("<li>", out);
		print_node(study, &study->nodes[i], out);
	}
	for (fputs("</li>\n", out); depth; depth--)
		fputs("</ul></li>\n", out);
	fputs("</ul>\n", out);
	if (study->n_nodes > n)
		fprintf(out, "<p class=\"soft\">and %zu more parts</p>\n", study->n_nodes - n);
	if (study->n_outside)
		fprintf(out, "<p class=\"soft\">%zu sample%s in no case</p>\n", study->n_outside,
			study->n_outside == 1 ? " is" : "s are");
}

static void html_print_aliases(const struct study_feature *feature, FILE *out)
{
	size_t more = feature->n_more;
	size_t i;

	if (!feature->n_aliases)
		return;
	fputs("<div class=\"soft\">the same as ", out);
	for (i = 0; i < feature->n_aliases && i < ALIASES_MOST; i++) {
		fputs(i ? ", <code>" : "<code>", out);
		xml_print_short(feature->aliases[i], TEXT_MOST, out);
		fputs("</code>", out);
		if (feature->maps) {
			char phrase[ANNOTATION_PHRASE];

			annotation_affine_phrase(&feature->maps[i], phrase);
			fputs(phrase, out);
		}
	}
	more += feature->n_aliases - i;
	if (more)
		fprintf(out, " and %zu more", more);
	fputs("</div>", out);
}

static void print_explains(double explains, FILE *out)
{
	const double part = fmax(0, fmin(1, explains));

	if (!isnan(explains))
		fprintf(out,
			"<svg class=\"meter\" viewBox=\"0 0 60 8\" aria-hidden=\"true\"><rect "
			"width=\"%.0f\" height=\"8\"/></svg> ",
			60 * part);
	print_part(isnan(explains) ? NAN : part, out);
}

static bool label_occurs(const struct study *study, const struct column *column, double number)
{
	for (size_t i = 0; i < study->n_points; i++)
		if (column->absence[study->rows[i]] == PRESENT &&
		    column->numbers[study->rows[i]] == number)
			return true;
	return false;
}

/* The classes or enumerators that calls had. */
static void print_labels(const struct study *study, const struct column *column, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < column->n_labels; i++)
		if (label_occurs(study, column, column->labels[i].number) && n++ < LABELS_MOST) {
			fputs(n > 1 ? ", " : "", out);
			xml_print_short(column->labels[i].name, TEXT_MOST, out);
		}
	if (n > LABELS_MOST)
		fprintf(out, " and %zu more", n - LABELS_MOST);
}

static void print_range(const struct study *study, const struct study_feature *feature, FILE *out)
{
	const struct column *column = &study->samples->columns[feature->column];
	char low[FIGURE_TEXT];
	char high[FIGURE_TEXT];

	if (column->n_labels)
		print_labels(study, column, out);
	else if (isfinite(feature->min) && isfinite(feature->max))
		fprintf(out, "%s \xe2\x80\xa6 %s", number_text(feature->min, low),
			number_text(feature->max, high));
}

static void html_print_feature(const struct study *study, const struct study_feature *feature,
			       FILE *out)
{
	fputs("<tr><td class=\"name\"><code>", out);
	xml_print_short(feature->expression, TEXT_MOST, out);
	fputs("</code>", out);
	html_print_aliases(feature, out);
	fputs("</td><td class=\"number\">", out);
	print_explains(feature->explains, out);
	fputs("</td><td>", out);
	if (feature->in_annotation != STUDY_NONE) {
		fputs("as <code>", out);
		xml_print_short(study->annotation->features[feature->in_annotation].name, TEXT_MOST,
				out);
		fputs("</code>", out);
	}
	fprintf(out, "</td><td>%s, %s</td><td class=\"number\">", feature_type_name(feature->type),
		feature_provenance_name(feature->provenance));
	print_range(study, feature, out);
	fprintf(out, "</td><td class=\"number\">%zu</td></tr>\n", feature->n_present);
}

static void html_print_features(const struct study *study, FILE *out)
{
	const size_t n = study->n_features < FEATURES_MOST ? study->n_features : FEATURES_MOST;

	if (!n)
		return;
	fputs("<h3>Features</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"Features\">\n<table>\n<thead><tr><th scope=\"col\">Feature</th>"
	      "<th scope=\"col\" class=\"number\">Explains alone</th>"
	      "<th scope=\"col\">In the formula</th><th scope=\"col\">Type, origin</th>"
	      "<th scope=\"col\" class=\"number\">Range</th>"
	      "<th scope=\"col\" class=\"number\">Samples with it</th></tr></thead>\n<tbody>\n",
	      out);
	for (size_t i = 0; i < n; i++)
		html_print_feature(study, &study->features[i], out);
	fputs("</tbody>\n</table>\n</div>\n", out);
	if (study->n_features > n)
		fprintf(out, "<p class=\"soft\">and %zu more, which explain less</p>\n",
			study->n_features - n);
}

static void print_notes(const struct annotation *annotation, FILE *out)
{
	if (!annotation->n_notes)
		return;
	fputs("<h3>Notes</h3>\n<ul>\n", out);
	for (size_t i = 0; i < annotation->n_notes; i++) {
		fputs("<li>", out);
		xml_print(annotation->notes[i], out);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

bool html_study_section(const struct study *study, const struct call_graph *graph, unsigned number,
			FILE *out, struct err *err)
{
	bool ok;

	fprintf(out,
		"<section class=\"study\" id=\"s%u\" aria-labelledby=\"h%u\">\n<h2 id=\"h%u\">",
		number, number, number);
	print_function(study, out);
	fputs("</h2>\n", out);
	html_print_place(study, out);
	fputs("<h3>Annotation</h3>\n<pre><code>", out);
	print_escaped(study, write_annotation, NULL, out);
	fputs("</code></pre>\n", out);
	html_model(study, graph, out);
	ok = print_figures(study, out, err);
	print_tree(study, out);
	html_print_features(study, out);
	print_notes(study->annotation, out);
	fputs("</section>\n", out);
	return ok && (!ferror(out) || xml_fail(out, err));
}
