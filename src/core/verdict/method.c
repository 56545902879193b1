/* Names and lines of the detectors. */
#include "method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/annotation/quote.h"

const char *method_name(enum method method)
{
	static const char *const names[] = {"tests",    "average", "order",
					    "integral", "local",   "outliers"};

	return names[method];
}

/* A window may have changed where the whole has not. */
static double method_away(const struct method_result *result)
{
	return result->x ? result->window : result->value;
}

bool method_is_worse(const struct method_result *result)
{
	return !result->reason && result->grade >= GRADE_CHANGE && method_away(result) > 0;
}

static const char *grade_words(const struct method_result *result)
{
	const double away = method_away(result);

	switch (result->grade) {
	case GRADE_NONE:
		return "unchanged";
	case GRADE_MAYBE:
		return away > 0 ? "perhaps worse" : "perhaps better";
	case GRADE_CHANGE:
		return away > 0 ? "WORSE" : "better";
	case GRADE_SEVERE:
		return away > 0 ? "WORSE, far from all others" : "better, far from all others";
	}
	return "";
}

static void print_value(const struct method_result *result, enum method method, FILE *out)
{
	switch (method) {
	case METHOD_AVERAGE:
		fprintf(out, "%.3g times the mean", 1 + result->value);
		break;
	case METHOD_ORDER:
		fprintf(out, "%+g classes of growth", result->value);
		break;
	case METHOD_OUTLIERS:
		fprintf(out, "%+.4g %s a run, %+.3g %% of the program's", result->value,
			metric_info(result->metric)->unit_text, 100 * result->share);
		break;
	case METHOD_TESTS:
	case METHOD_INTEGRAL:
	case METHOD_LOCAL:
		fprintf(out, "%+.3g %%", 100 * result->value);
		break;
	}
}

void method_print(const struct method_result *result, enum method method, FILE *out)
{
	quote_print_head(result->function, result->metric, out);
	if (result->side)
		fprintf(out, ", %s", result->side);
	if (result->reason) {
		fprintf(out, ": not compared: %s\n", result->reason);
		return;
	}
	fprintf(out, ": %s by %s: ", grade_words(result), method_name(method));
	print_value(result, method, out);
	if (result->x) {
		fprintf(out, "; %+.3g %% where %.4g <= ", 100 * result->window, result->where[0]);
		text_print_safe(out, result->x);
		fprintf(out, " < %.4g", result->where[1]);
	}
	fputc('\n', out);
}

const char *method_text(const struct method_result *result, enum method method, struct arena *arena)
{
	size_t size;
	char *text = NULL;
	const char *copy;
	FILE *memory = open_memstream(&text, &size);

	method_print(result, method, memory);
	fclose(memory);
	copy = arena_printf(arena, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	return copy;
}
