/* Followed calls as text. trace/ follows them, forecast.c prints the verdicts. */
#include "followed.h"

#include <math.h>

#include "base/text.h"

enum { INDENT = 8 };

const char *followed_state_name(enum followed_state state)
{
	static const char *const names[] = {
		[FOLLOWED_OPEN] = "open",
		[FOLLOWED_RETURNED] = "returned",
		[FOLLOWED_LEFT] = "left",
		[FOLLOWED_ENDED] = "ended",
	};

	return names[state];
}

static const char *followed_phrase(enum followed_state state)
{
	static const char *const phrases[] = {
		[FOLLOWED_OPEN] = "is still open",
		[FOLLOWED_RETURNED] = "has returned",
		[FOLLOWED_LEFT] = "is gone, and has not returned",
		[FOLLOWED_ENDED] = "has not returned: the process has ended",
	};

	return phrases[state];
}

static void followed_print_outlook(const struct forecast *forecast, FILE *out)
{
	fprintf(out, "%*s", INDENT, "");
	forecast_print_verdict(forecast, out);
	fprintf(out, "\n%*s", INDENT, "");
	if (!forecast_print_account(forecast, out))
		fputs("how long it has run is not known", out);
	fputc('\n', out);
}

static void print_bounds(const struct followed_call *call, FILE *out)
{
	const bool is_over = call->state == FOLLOWED_RETURNED;

	if (isnan(call->at_least_us) && isnan(call->at_most_us))
		return;
	fprintf(out, "%*s%s", INDENT, "", is_over ? "it took " : "it has run ");
	forecast_print_bounds(call->at_least_us, call->at_most_us, out);
	fputc('\n', out);
}

void followed_print(const struct followed_call *call, FILE *out)
{
	text_print_safe(out, call->frame->function);
	fprintf(out, " in thread %d (", (int)call->thread);
	text_print_safe(out, call->thread_name);
	fprintf(out, ") %s\n", followed_phrase(call->state));
	stack_print_values(call->frame, out);
	if (call->frame->forecast)
		followed_print_outlook(&call->forecast, out);
	else
		print_bounds(call, out);
}
