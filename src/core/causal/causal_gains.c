/* Gains as text. */
#include "causal_gains.h"

#include <math.h>
#include <stdlib.h>

void causal_gains_destroy(struct causal_gains *gains)
{
	if (!gains)
		return;
	arena_destroy(gains->arena);
	free(gains);
}

static void print_slope(const struct causal_gain *gain, FILE *out)
{
	fprintf(out, "%+.2f %% per 1 %%", gain->slope);
	if (isfinite(gain->low))
		fprintf(out, " (95 %%: %.2f to %.2f)", gain->low, gain->high);
	else
		fputs(" (too few pairs for an interval)", out);
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
		fputs("; slower if it is faster: contention", out);
	if (isnan(gain->upto))
		return;
	fprintf(out, ", up to %.0f %%; then flat", 100 * gain->upto);
	if (gain->then >= 0)
		fprintf(out, ": %s takes over", gains->experiments->units[gain->then].name);
}

static void print_point(const struct gain_point *point, FILE *out)
{
	fprintf(out, "    %3.0f %% faster: %+6.1f %%", 100 * point->speedup, 100 * point->gain);
	if (isfinite(point->low))
		fprintf(out, "  (%.1f to %.1f)", 100 * point->low, 100 * point->high);
	fprintf(out, "  %zu pair%s\n", point->pairs, point->pairs == 1 ? "" : "s");
}

static void print_gain(const struct causal_gains *gains, const struct causal_gain *gain, FILE *out)
{
	const struct causal_unit *unit = &gains->experiments->units[gain->unit];
	size_t i;

	fputs(unit->name, out);
	if (unit->file && unit->line)
		fprintf(out, "  %s:%u", unit->file, unit->line);
	fputs("  ", out);
	print_slope(gain, out);
	print_meaning(gains, gain, out);
	fputc('\n', out);
	if (gain->active < 1)
		fprintf(out, "    runs in %.0f %% of the time only, for which gains are reduced\n",
			100 * gain->active);
	for (i = 0; i < gain->n_points; i++)
		print_point(&gain->points[i], out);
}

void causal_gains_print(const struct causal_gains *gains, FILE *out)
{
	const struct causal_progress *progress = &gains->experiments->progress[gains->progress];
	size_t i;

	fprintf(out, "What %s%s gains if these get faster:\n",
		gains->experiments->whole ? ""
		: progress->latency	  ? "the latency of "
					  : "the throughput of ",
		progress->name);
	for (i = 0; i < gains->n; i++)
		print_gain(gains, &gains->list[i], out);
	for (i = EXPERIMENT_USABLE + 1; i < EXPERIMENT_FLAWS; i++)
		if (gains->flaws[i])
			fprintf(out, "%zu of %zu experiments not used: %s\n", gains->flaws[i],
				gains->experiments->n,
				experiment_flaw_text((enum experiment_flaw)i));
}
