/*
 * The status line of a live run. Everything in it is needed, so if there is no room it uses shorter
 * words instead of cutting.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "views.h"

struct numbers {
	char time[32];
	struct cell_text seen, kept, dropped, overhead;
};

static void format_time(double seconds, char ret[32])
{
	if (!(seconds >= 0))
		snprintf(ret, 32, "-");
	else if (seconds < 100)
		snprintf(ret, 32, "%.0f s", seconds);
	else if (seconds < 6000)
		snprintf(ret, 32, "%.0f min", seconds / 60);
	else
		snprintf(ret, 32, "%.0f h", fmin(seconds / 3600, 99999));
}

static struct cell_text whole(uint64_t count)
{
	struct cell_text ret;

	snprintf(ret.bytes, sizeof(ret.bytes), "%" PRIu64, count);
	return ret;
}

static struct numbers format_numbers(const struct explorer_status *status,
				     struct cell_text (*count)(uint64_t))
{
	struct numbers ret = {
		.seen = count(status->seen),
		.kept = count(status->kept),
		.dropped = count(status->dropped),
		.overhead = cell_text_percent(status->overhead),
	};

	format_time(status->seconds, ret.time);
	return ret;
}

/* Wordings, longest first. */
enum { LONG, WORDS, SHORT, LETTERS, LENGTHS };

static char *format(const struct explorer_status *status, int length)
{
	const struct numbers n = format_numbers(status, length == LONG ? whole : cell_text_count);
	const char *state = status->has_ended ? "ended" : "live";
	const char *fitting = status->is_fitting ? "fitting" : "";
	char *ret;
	int done;

	if (length == LONG || length == WORDS)
		done = asprintf(&ret, "%s %s: calls seen %s, kept %s, dropped %s, overhead %s%s%s",
				state, n.time, n.seen.bytes, n.kept.bytes, n.dropped.bytes,
				n.overhead.bytes, *fitting ? ", " : "", fitting);
	else if (length == SHORT)
		done = asprintf(&ret, "%s %s seen %s kept %s drop %s ovh %s%s%s", state, n.time,
				n.seen.bytes, n.kept.bytes, n.dropped.bytes, n.overhead.bytes,
				*fitting ? " " : "", *fitting ? "fit" : "");
	else
		done = asprintf(&ret, "%s s%s k%s d%s o%s", status->has_ended ? "end" : n.time,
				n.seen.bytes, n.kept.bytes, n.dropped.bytes, n.overhead.bytes);
	return done < 0 ? NULL : ret;
}

char *status_line_text(const struct explorer_status *status, unsigned width)
{
	char *text = NULL;

	if (!status->is_live)
		return NULL;
	for (int length = LONG; length < LENGTHS; length++) {
		free(text);
		text = format(status, length);
		if (!text || screen_width(text) <= width)
			break;
	}
	return text;
}
