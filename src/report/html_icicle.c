/* A rectangle for each step of the tree: callees below their callers. */
#include "html_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "xml.h"

enum { WIDTH = 1100, ROW = 26, STEPS_MOST = 2000, TEXT_FROM = 40, TEXT_MOST = 400 };
/* Narrower ones cannot be seen. */
static const double LEAST_WIDTH = 0.6, CHARACTER = 6.6;

struct icicle {
	const struct call_graph *graph;
	const struct html_function *functions;
	size_t n;
	FILE *out;
};

static const struct html_function *icicle_function(const struct icicle *icicle, const char *name)
{
	for (size_t i = 0; i < icicle->n; i++)
		if (!strcmp(icicle->functions[i].name, name))
			return &icicle->functions[i];
	return NULL;
}

/* Classes of the style sheet: as good as linear, faster, unknown. */
static const char *icicle_class(const struct html_function *function)
{
	if (!function)
		return "g-none";
	if (function->growth == GROWTH_CONSTANT)
		return "g-constant";
	if (function->growth < GROWTH_LINEAR)
		return "g-slow";
	if (function->growth == GROWTH_LINEAR)
		return "g-linear";
	return function->growth == GROWTH_NLOGN ? "g-nlogn" : "g-fast";
}

static void icicle_rectangle(const struct icicle *icicle, const struct call_step *step, double x,
			     double width)
{
	const char *name = icicle->graph->nodes[step->node].name;
	const struct html_function *function = icicle_function(icicle, name);
	const double y = ROW * (double)step->depth;

	if (function)
		fprintf(icicle->out, "<a href=\"#s%u\">", function->number);
	fputs("<g><title>", icicle->out);
	xml_print_short(name, TEXT_MOST, icicle->out);
	fprintf(icicle->out,
		": %.1f %% of the time%s%s</title><rect class=\"%s\" x=\"%.2f\" "
		"y=\"%.0f\" width=\"%.2f\" height=\"%d\"/>",
		100 * step->share, function ? ", grows as " : "",
		function ? growth_info(function->growth)->symbol : "", icicle_class(function), x, y,
		fmax(width - 1, LEAST_WIDTH), ROW - 2);
	if (width >= TEXT_FROM) {
		fprintf(icicle->out, "<text x=\"%.2f\" y=\"%.0f\">", x + 5, y + ROW - 9);
		xml_print_short(name, (size_t)(width / CHARACTER) - 1, icicle->out);
		fputs("</text>", icicle->out);
	}
	fputs("</g>", icicle->out);
	if (function)
		fputs("</a>", icicle->out);
	fputc('\n', icicle->out);
}

/* Beside each other from where their caller begins; @ends: of what was drawn at each depth. */
static unsigned icicle_draw(const struct icicle *icicle, const struct call_step *steps, size_t n,
			    double scale)
{
	double begins[64] = {0}, ends[64] = {0};
	unsigned deepest = 0;

	for (size_t i = 0; i < n; i++) {
		const unsigned depth = steps[i].depth;
		const double width = steps[i].share * scale;

		if (depth >= 63)
			continue;
		if (depth && i && steps[i - 1].depth < depth)
			ends[depth] = begins[depth - 1];
		begins[depth] = ends[depth];
		ends[depth] += width;
		if (!(width >= LEAST_WIDTH))
			continue;
		icicle_rectangle(icicle, &steps[i], begins[depth], width);
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest;
}

void html_icicle(const struct call_graph *graph, const struct html_function *functions, size_t n,
		 FILE *out)
{
	struct icicle icicle = {graph, functions, n, NULL};
	struct arena *arena = arena_create();
	struct call_step *steps;
	const size_t n_steps = call_graph_tree(graph, CALL_GRAPH_NONE, CALL_GRAPH_CALLEES,
					       STEPS_MOST, arena, &steps);
	char *text = NULL;
	double whole = 0;
	unsigned deepest;
	size_t size, known = 0;

	for (size_t i = 0; i < n_steps; i++)
		if (isfinite(steps[i].share)) {
			whole += steps[i].depth ? 0 : steps[i].share;
			steps[known++] = steps[i];
		}
	if (whole > 0) {
		icicle.out = open_memstream(&text, &size);
		deepest = icicle_draw(&icicle, steps, known, WIDTH / fmax(whole, 1));
		fclose(icicle.out);
		fprintf(out,
			"<section class=\"whole\" aria-labelledby=\"whole\">\n<h2 id=\"whole\">"
			"Where the time is</h2>\n<p class=\"soft\">As wide as their part of the "
			"runs' time, callees below callers, coloured by growth: "
			"<span class=\"key g-constant\">constant</span> "
			"<span class=\"key g-slow\">below n</span> "
			"<span class=\"key g-linear\">n</span> "
			"<span class=\"key g-nlogn\">n log n</span> "
			"<span class=\"key g-fast\">faster</span> "
			"<span class=\"key g-none\">no model</span></p>\n"
			"<div class=\"wide\" tabindex=\"0\" role=\"region\" "
			"aria-labelledby=\"whole\">"
			"<svg class=\"icicle\" viewBox=\"0 0 %d %u\" role=\"img\" "
			"aria-labelledby=\"whole\">\n%s</svg></div>\n</section>\n",
			WIDTH, ROW * (deepest + 1), text);
		free(text);
	}
	arena_destroy(arena);
}
