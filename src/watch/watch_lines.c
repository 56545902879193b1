/* The formats of watch_lines.h. Times are UTC; names are made printable. */
#include "watch_lines.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "base/text.h"
#include "core/metric.h"
#include "core/annotation/quote_head.h"

static void print_time(int64_t now, FILE *out)
{
	const time_t seconds = now;
	struct tm parts;
	char text[32] = "";

	if (gmtime_r(&seconds, &parts))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	fputs(text, out);
}

/* Within double quotes of JSON and of OpenMetrics: what cannot be printed becomes '?'. */
static void print_within_quotes(const char *text, FILE *out)
{
	size_t length;

	for (; *text; text += length ? length : 1) {
		length = text_printable_length(text);
		if (!length)
			fputc('?', out);
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fwrite(text, 1, length, out);
	}
}

static const char *keyword_of(const struct annotation *annotation)
{
	return metric_info(annotation->metric)->keyword;
}

static void print_ratio(double ratio, FILE *out)
{
	const double percent = 100 * (ratio - 1);

	if (ratio >= 3)
		fprintf(out, "costs %.3g times what is expected", ratio);
	else
		fprintf(out, "costs %.0f %% %s than expected", fabs(percent),
			percent >= 0 ? "more" : "less");
}

void watch_lines_change(const struct watch_change *change, FILE *out)
{
	static const char *const why[] = {
		[WATCH_BY_NOTHING] = "",
		[WATCH_BY_CHECK] = "its calls do not conform",
		[WATCH_BY_LEVEL] = "it is not what it was in this process",
		[WATCH_BY_DRIFT] = "it has been drifting",
	};
	const struct watch_subject *subject = change->subject;

	print_time(subject->since, out);
	fputc(' ', out);
	text_print_safe(out, quote_head(change->annotation->arena, change->annotation->function,
					change->annotation->metric));
	if (subject->verdict == WATCH_VIOLATED) {
		fputs(" is VIOLATED: ", out);
		if (subject->ratio > 0) {
			print_ratio(subject->ratio, out);
			fputs("; ", out);
		}
		fputs(why[subject->reason], out);
	} else {
		fputs(" conforms again", out);
	}
	fprintf(out, " (%zu calls, period %" PRIu64 ")\n", change->samples, change->period);
}

void watch_lines_json(const struct watch_change *change, FILE *out)
{
	const struct watch_subject *subject = change->subject;
	const char *at;

	fputs("{\"time\": \"", out);
	print_time(subject->since, out);
	fputs("\", \"function\": \"", out);
	print_within_quotes(change->annotation->function, out);
	fprintf(out, "\", \"metric\": \"%s\", \"state\": \"%s\", \"reason\": ",
		keyword_of(change->annotation), watch_state_verdict_name(subject->verdict));
	if (subject->verdict == WATCH_VIOLATED)
		fprintf(out, "\"%s\", \"ratio\": ", watch_state_reason_name(subject->reason));
	else
		fputs("null, \"ratio\": ", out);
	if (subject->ratio > 0)
		fprintf(out, "%.6g", subject->ratio);
	else
		fputs("null", out);
	fprintf(out, ", \"samples\": %zu, \"period\": %" PRIu64 ", \"pids\": [", change->samples,
		change->period);
	for (at = change->pids; *at; at++)
		fputs(*at == ' ' ? ", " : (const char[]){*at, '\0'}, out);
	fputs("]}\n", out);
}

static size_t count_verdict(const struct watch_state *state, enum watch_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < state->n; i++)
		n += state->subjects[i].verdict == verdict;
	return n;
}

void watch_lines_period(const struct watch_state *state, int64_t now, FILE *out)
{
	print_time(now, out);
	fprintf(out, " period %" PRIu64 ": %zu conform, %zu violated, %zu wait for samples\n",
		state->periods, count_verdict(state, WATCH_CONFORMS),
		count_verdict(state, WATCH_VIOLATED), count_verdict(state, WATCH_WAITING));
}

static void metric_head(const char *name, const char *type, const char *help, FILE *out)
{
	fprintf(out, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
}

static void metric_row(const char *name, const struct annotation *annotation, FILE *out)
{
	fprintf(out, "%s{function=\"", name);
	print_within_quotes(annotation->function, out);
	fprintf(out, "\",metric=\"%s\"} ", keyword_of(annotation));
}

void watch_lines_metrics(const struct watch_state *state, struct annotation *const *list,
			 size_t processes, FILE *out)
{
	metric_head("fathom_violated", "gauge", "1 if calls cost more than annotated.", out);
	for (size_t i = 0; i < state->n; i++) {
		if (state->subjects[i].verdict == WATCH_WAITING)
			continue; /* absent is not 0 */
		metric_row("fathom_violated", list[i], out);
		fprintf(out, "%d\n", state->subjects[i].verdict == WATCH_VIOLATED);
	}
	metric_head("fathom_cost_ratio", "gauge", "Observed to expected cost of a period.", out);
	for (size_t i = 0; i < state->n; i++) {
		if (!(state->subjects[i].ratio > 0))
			continue;
		metric_row("fathom_cost_ratio", list[i], out);
		fprintf(out, "%.6g\n", state->subjects[i].ratio);
	}
	metric_head("fathom_samples", "counter", "Calls that were checked.", out);
	for (size_t i = 0; i < state->n; i++) {
		metric_row("fathom_samples_total", list[i], out);
		fprintf(out, "%" PRIu64 "\n", state->subjects[i].samples);
	}
	metric_head("fathom_periods", "counter", "Periods that were checked.", out);
	fprintf(out, "fathom_periods_total %" PRIu64 "\n", state->periods);
	metric_head("fathom_processes", "gauge", "Processes that are watched.", out);
	fprintf(out, "fathom_processes %zu\n# EOF\n", processes);
}
