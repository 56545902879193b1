/*
 * The function's source beside its cost: at its line what a call costs, at lines with branches how
 * they went, and what calls cost that went so; at each the share of the program's time, if that was
 * sampled. Only the caller reads files.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "views.h"

enum { NUMBER = 6, SHORT = 14, LONG = 44, LONG_FROM = 100 /* columns */, TAB = 8 };

void view_source_set(struct source_lines *source, const char *text, const char *why)
{
	size_t n = 1;

	arena_destroy(source->arena);
	*source = (struct source_lines){.arena = arena_create()};
	source->why = arena_strdup(source->arena, why ? why : "");
	if (!text)
		return;
	for (const char *at = text; *at; at++)
		n += *at == '\n';
	source->lines = arena_array(source->arena, const char *, n);
	while (*text) {
		const size_t size = strcspn(text, "\n");

		source->lines[source->n++] = arena_printf(source->arena, "%.*s", (int)size, text);
		text += size + (text[size] == '\n');
	}
}

void view_source_add_share(struct source_lines *source, unsigned line, double share)
{
	if (!source->n || line > source->n)
		return;
	if (!source->shares)
		source->shares = arena_array(source->arena, double, source->n);
	source->shares[line - 1] += share;
}

/* The line of a branch's name, "parse.c:31 at f+0x10"; 0: of another file. */
static unsigned branch_line(const struct samples *samples, const char *name)
{
	const char *file = samples->file ? samples->file : "";
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	const size_t n = strlen(base);

	return n && !strncmp(name, base, n) && name[n] == ':'
		       ? (unsigned)strtoul(name + n + 1, NULL, 10)
		       : 0;
}

struct branch_sums {
	size_t n, taken;
	double cost_taken, cost_else;
	bool is_switch;
};

static struct branch_sums branch_sum(const struct study *study, const struct column *column)
{
	struct branch_sums ret = {0};

	for (size_t i = 0; i < study->n_points; i++) {
		const size_t row = study->rows[i];

		if (column->absence[row] != PRESENT)
			continue;
		ret.n++;
		ret.is_switch |= column->numbers[row] > 1;
		ret.taken += column->numbers[row] != 0;
		*(column->numbers[row] != 0 ? &ret.cost_taken : &ret.cost_else) += study->costs[i];
	}
	return ret;
}

static void source_say_branch(const struct study *study, const struct column *column, bool is_long,
			      struct text *ret)
{
	const struct branch_sums sums = branch_sum(study, column);
	const size_t other = sums.n - sums.taken;
	char text[64], amount[METRIC_AMOUNT];

	if (!sums.n)
		return;
	if (ret->n)
		text_add_string(ret, "; ");
	snprintf(text, sizeof(text), sums.is_switch ? "case 0: %.0f %%" : "jumps %.0f %%",
		 100.0 * (double)(sums.is_switch ? other : sums.taken) / (double)sums.n);
	text_add_string(ret, text);
	if (!is_long || sums.is_switch || !sums.taken || !other)
		return;
	text_add_string(ret, ": ");
	text_add_string(ret,
			metric_amount(study->metric, sums.cost_taken / (double)sums.taken, amount));
	text_add_string(ret, ", else ");
	text_add_string(ret, metric_amount(study->metric, sums.cost_else / (double)other, amount));
}

/* What is known of line @line, which so large a @share of all samples of time was at. */
static void source_say(const struct study *study, unsigned line, double share, bool is_long,
		       struct text *ret)
{
	const struct samples *samples = study->samples;
	char amount[METRIC_AMOUNT], part[32];

	if (share > 0) {
		snprintf(part, sizeof(part), is_long ? "%.*f %% of the time" : "%.*f %%",
			 share < 0.1, 100 * share);
		text_add_string(ret, part);
	}

	if (line == samples->line && isfinite(study->total) && samples->n_calls) {
		text_add_string(ret, ret->n ? "; " : "");
		text_add_string(ret,
				metric_amount(study->metric,
					      study->total / (double)samples->n_calls, amount));
		text_add_string(ret, is_long ? " a call" : "");
	}
	for (size_t i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role == COLUMN_BRANCH &&
		    branch_line(samples, samples->columns[i].name) == line)
			source_say_branch(study, &samples->columns[i], is_long, ret);
}

static void source_draw_line(const struct explorer *explorer, struct pane region, unsigned y,
			     size_t at)
{
	const bool is_long = region.width >= LONG_FROM;
	const unsigned cost = is_long ? LONG : SHORT, x = NUMBER + cost + 2;
	struct text said = {0}, line = {0};
	char number[24];

	snprintf(number, sizeof(number), "%zu", at + 1);
	cell_text_right(region, cost, y, NUMBER, number);
	source_say(explorer->opened.study, (unsigned)at + 1,
		   explorer->source.shares ? explorer->source.shares[at] : 0, is_long, &said);
	if (said.n)
		cell_text_right(region, 0, y, cost, said.bytes);
	for (const char *c = explorer->source.lines[at]; *c; c++)
		text_add(&line, *c == '\t' ? "        " : c, *c == '\t' ? TAB - line.n % TAB : 1);
	if (line.n && region.width > x)
		cell_text_fit(region, x, y, region.width - x, line.bytes);
	text_deinit(&said);
	text_deinit(&line);
}

void view_source_draw(struct explorer *explorer, struct pane region)
{
	const struct source_lines *source = &explorer->source;
	struct scroll *scroll = &explorer->opened.source;
	const unsigned line = explorer->opened.study->samples->line;

	if (!source->n) {
		cell_text_fit(region, 0, 0, region.width,
			      source->why && *source->why ? source->why : "not read yet");
		screen_style(region, 0, STYLE_WARNING);
		return;
	}
	if (!explorer->opened.has_line) {
		scroll->selected = line ? line - 1 : 0;
		scroll->first = scroll->selected > 2 ? scroll->selected - 2 : 0;
		explorer->opened.has_line = true;
	}
	explorer->layout.body = region;
	scroll_fit_list(scroll, source->n, region.height);
	for (unsigned y = 0; y < region.height && scroll->first + y < source->n; y++) {
		source_draw_line(explorer, region, y, scroll->first + y);
		if (scroll->first + y == scroll->selected)
			screen_style(region, y, STYLE_SELECTED);
	}
}

void view_source_act(struct explorer *explorer, enum action action)
{
	scroll_list(&explorer->opened.source, action, explorer->source.n);
}

bool view_source_click(struct explorer *explorer, unsigned y)
{
	if (explorer->opened.source.first + y >= explorer->source.n)
		return false;
	explorer->opened.source.selected = explorer->opened.source.first + y;
	return true;
}
