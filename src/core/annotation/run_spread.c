/* The spread between runs as text. */
#include "run_spread.h"

#include <math.h>

/* Nobody makes more by an assumption, or by what so few runs say. */
enum { MANY = 20, FEW_FREEDOM = 4 };

bool run_spread_is_busy(const struct run_spread *spread)
{
	return spread->is_unfair || spread->minute > 0;
}

/* Calibrations differ by chance; this much they do where the machine or the probes do. */
enum { OTHER = 3 };

static void print_load(const struct run_spread *spread, FILE *out)
{
	const struct machine_load *old = &spread->load[0], *new = &spread->load[1];
	const char *before = "";

	fputs("; the machine was busy (", out);
	if (new->threads >= 0) {
		fprintf(out, "load %.3g", new->threads);
		if (old->threads >= 0)
			fprintf(out, ", %.3g before", old->threads);
		before = "; ";
	}
	if (new->preempted > 0 || old->preempted > 0)
		fprintf(out, "%scalls without a processor %.2g %% of their time, %.2g %% before",
			before, 100 * new->preempted, 100 * old->preempted);
	if (new->stolen > 0 || old->stolen > 0)
		fprintf(out, "; other machines had %.2g %% of the processors, %.2g %% before",
			100 * new->stolen, 100 * old->stolen);
	fputs("): measure when it is not", out);
}

/* Calibration found that much other noise. */
static void print_resolution(const struct run_spread *spread, FILE *out)
{
	const double old = spread->load[0].resolution, new = spread->load[1].resolution;

	if (old > 0 && new > 0 && (new / old > OTHER || old / new > OTHER))
		fprintf(out, "; calibration differs: a resolution of %.2g µs, %.2g before", new,
			old);
}

void run_spread_print(const struct run_spread *spread, size_t enough, FILE *out)
{
	const char *what = spread->of_builds ? "build" : "run";

	if (spread->runs[0] == 1 && spread->runs[1] == 1)
		fprintf(out, "one %s each", what);
	else
		fprintf(out, "%zu and %zu %ss", spread->runs[0], spread->runs[1], what);
	fprintf(out,
		spread->is_assumed ? ", which are taken to differ by %.3g %%"
				   : " differ by %.3g %%",
		100 * spread->deviation);
	if (spread->minute > 0)
		fprintf(out,
			"; the machine was busy (load %.3g), whose minutes are taken to differ by "
			"%.3g %%: compare runs both by turns",
			fmax(spread->load[0].threads, spread->load[1].threads),
			100 * spread->minute);
	if (spread->is_unfair)
		print_load(spread, out);
	else if ((spread->is_assumed || spread->freedom < FEW_FREEDOM) && enough > MANY)
		fprintf(out, "; 3 or more a side would say %show much they do",
			spread->is_assumed ? "" : "better ");
	else if (enough > spread->runs[0] || enough > spread->runs[1])
		fprintf(out, "; %zu a side would tell", enough);
	print_resolution(spread, out);
}

static void print_p(double p, FILE *out)
{
	if (p >= 0)
		fprintf(out, "%.2g", p);
	else
		fputs("not known", out);
}

void run_spread_print_shape(const struct run_spread *spread, bool all, FILE *out)
{
	const bool doubtful =
		spread->normal[0] < RUN_SPREAD_DOUBT || spread->normal[1] < RUN_SPREAD_DOUBT;

	if ((spread->normal[0] >= 0 || spread->normal[1] >= 0) && (all || doubtful)) {
		fprintf(out, "; %s (Shapiro-Wilk: p ", doubtful ? "not normal" : "normal");
		print_p(spread->normal[0], out);
		fputs(" and ", out);
		print_p(spread->normal[1], out);
		fputs(doubtful ? "), so judged by permutations, from 7 a side on" : ")", out);
	}
	if (all && (!(spread->load[0].threads >= 0) || !(spread->load[1].threads >= 0)))
		fprintf(out, "; how busy the machine was is not known%s",
			spread->load[1].threads >= 0   ? " of the old side"
			: spread->load[0].threads >= 0 ? " of the new side"
						       : "");
	if (spread->equal < RUN_SPREAD_DOUBT)
		fprintf(out,
			"; they vary differently (Brown-Forsythe: p %.2g), so judged by "
			"Welch's test",
			spread->equal);
	else if (spread->equal >= 0 && all)
		fprintf(out, "; they vary alike (Brown-Forsythe: p %.2g)", spread->equal);
}
