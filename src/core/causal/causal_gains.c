/* Gains as text. */
#include "causal_gains.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* From this share on it is told how long what comes from outside is waited for. */
static const double PACED = 0.05;

void causal_gains_destroy(struct causal_gains *gains)
{
	if (!gains)
		return;
	arena_destroy(gains->arena);
	free(gains);
}

/* Names are anybody's, and those of a profile of any length. */
static void print_name(const char *name, FILE *out)
{
	text_print_some(out, name, CAUSAL_NAME_MOST);
}

static void print_slope(const struct causal_gain *gain, FILE *out)
{
	fprintf(out, "%+.2f %% per 1 %%", gain->slope);
	if (isfinite(gain->low))
		fprintf(out, " (95 %%: %.2f to %.2f)", gain->low, gain->high);
	else
		fputs(" (too few pairs for an interval)", out);
}

static bool is_load(const struct causal_gains *gains, const struct causal_gain *gain)
{
	return gains->experiments->units[gain->unit].is_load;
}

double causal_gains_served(const struct causal_gains *gains, double times)
{
	const struct causal_busy *serving = &gains->experiments->serving;
	const struct causal_busy *bringing = &gains->experiments->bringing;

	if (serving->share > 0 && serving->threads > 0)
		times = fmin(times, serving->threads / serving->share);
	if (bringing->share > 0 && bringing->threads > 0)
		times = fmin(times, bringing->threads / bringing->share);
	return fmax(times, 1);
}

/* What the slope means: how far it goes, or that it is none. */
static void print_meaning(const struct causal_gains *gains, const struct causal_gain *gain,
			  FILE *out)
{
	if (!gain->certain) {
		fputs("; not distinguishable from 0", out);
		return;
	}
	if (gain->high < 0)
		fputs(is_load(gains, gain) ? "; the more comes, the less is done: contention"
					   : "; slower if it is faster: contention",
		      out);
	if (isnan(gain->upto))
		return;
	if (is_load(gains, gain))
		fprintf(out, ", up to %.1f times as much; then flat", 1 / (1 - gain->upto));
	else
		fprintf(out, ", up to %.0f %%; then flat", 100 * gain->upto);
	if (gain->then < 0)
		return;
	fputs(": ", out);
	print_name(gains->experiments->units[gain->then].name, out);
	fputs(" takes over", out);
}

static void print_point(const struct gain_point *point, FILE *out)
{
	fprintf(out, "    %3.0f %% faster: %+6.1f %%", 100 * point->speedup, 100 * point->gain);
	if (isfinite(point->low))
		fprintf(out, "  (%.1f to %.1f)", 100 * point->low, 100 * point->high);
	fprintf(out, "  %zu pair%s\n", point->pairs, point->pairs == 1 ? "" : "s");
}

/* As ratios to what is at the load that there is. */
static void print_load_point(const struct causal_gains *gains, const struct gain_point *point,
			     FILE *out)
{
	const bool latency = gains->experiments->progress[gains->progress].latency;
	const double times = 1 / (1 - point->speedup);

	fprintf(out, "    %4.1f times as much comes: ", times);
	if (latency)
		fprintf(out, "it takes %.2f times as long", 1 - point->gain);
	else
		fprintf(out, "%.2f times as much passes", 1 / (1 - point->gain));
	if (isfinite(point->low) && latency)
		fprintf(out, " (%.2f to %.2f)", 1 - point->high, 1 - point->low);
	else if (isfinite(point->low) && point->high < 1)
		fprintf(out, " (%.2f to %.2f)", 1 / (1 - point->low), 1 / (1 - point->high));
	if (!latency)
		fprintf(out, "; by arithmetic %.2f", causal_gains_served(gains, times));
	fprintf(out, "  %zu pair%s\n", point->pairs, point->pairs == 1 ? "" : "s");
}

static void print_gain(const struct causal_gains *gains, const struct causal_gain *gain, FILE *out)
{
	const struct causal_unit *unit = &gains->experiments->units[gain->unit];

	print_name(unit->name, out);
	fputs("  ", out);
	if (unit->file && unit->line) {
		print_name(unit->file, out);
		fprintf(out, ":%u  ", unit->line);
	}
	print_slope(gain, out);
	print_meaning(gains, gain, out);
	fputc('\n', out);
	if (gain->active < 1)
		fprintf(out, "    runs in %.0f %% of the time only, for which gains are reduced\n",
			100 * gain->active);
	for (size_t i = 0; i < gain->n_points; i++)
		if (is_load(gains, gain))
			print_load_point(gains, &gain->points[i], out);
		else
			print_point(&gain->points[i], out);
}

void causal_gains_times(const struct experiments *experiments, double *ret_elapsed_s,
			double *ret_paused_s)
{
	*ret_elapsed_s = *ret_paused_s = 0;
	for (size_t i = 0; i < experiments->n; i++) {
		*ret_elapsed_s += experiments->list[i].elapsed_s;
		*ret_paused_s += experiments->list[i].inserted_s;
	}
}

void causal_gains_print(const struct causal_gains *gains, FILE *out)
{
	const struct causal_progress *progress = &gains->experiments->progress[gains->progress];
	double elapsed_s, paused_s;

	fprintf(out, "What %s",
		gains->experiments->whole ? ""
		: progress->latency       ? "the latency of "
					  : "the throughput of ");
	print_name(progress->name, out);
	fputs(" gains", out);
	if (gains->experiments->load != 1)
		fprintf(out, " at %.3g times the load", gains->experiments->load);
	fprintf(out,
		gains->n && is_load(gains, &gains->list[0])
			? " from more work (%s work %.0f %% of the time, %s %.0f %%):\n"
			: " if these get faster:\n",
		"those that bring it", 100 * gains->experiments->bringing.share, "others",
		100 * gains->experiments->serving.share);
	for (size_t i = 0; i < gains->n; i++)
		print_gain(gains, &gains->list[i], out);
	for (size_t i = EXPERIMENT_USABLE + 1; i < EXPERIMENT_FLAWS; i++)
		if (gains->flaws[i])
			fprintf(out, "%zu of %zu experiments not used: %s\n", gains->flaws[i],
				gains->experiments->n,
				experiment_flaw_text((enum experiment_flaw)i));
	if (gains->unstable)
		fprintf(out, "%zu pairs of experiments not used: more work came than was done\n",
			gains->unstable);
	if (gains->experiments->paced > PACED)
		fprintf(out,
			"Threads that work wait %.0f %% of the time for what comes from outside: "
			"gains are too high where that comes at times of its own\n",
			100 * gains->experiments->paced);
	causal_gains_times(gains->experiments, &elapsed_s, &paused_s);
	fprintf(out, "%zu experiments in %.1f s, of which %.1f s were pauses\n",
		gains->experiments->n, elapsed_s, paused_s);
}
