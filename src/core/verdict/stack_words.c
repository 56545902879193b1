/* Sentences about threads. stack.c prints their frames, forecast.c has the words for durations. */
#include "stack_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/paint.h"
#include "base/text.h"
#include "core/cxx_name.h"
#include "forecast.h"

enum {
	SENTENCES_MAX = 16,
	ARGUMENTS_MAX = 3,
	TEXT_MAX = 40, /* bytes of a string in a sentence */
	CIRCLE_MAX = 64,
};

/* A thread that had a processor for less of the time in which it could run was starved. */
#define SHARE_ENOUGH 0.8

/* The call to talk about: the innermost of which something is expected, else the innermost. */
static const struct stack_frame *main_call(const struct stack *stack,
					   const struct stack_thread *thread)
{
	const struct stack_frame *own = NULL;

	for (size_t i = 0; i < thread->n_frames; i++) {
		const struct stack_frame *frame = &thread->frames[i];

		if (frame->forecast && frame->forecast->is_expected)
			return frame;
		if (!own && stack_is_own(stack, frame))
			own = frame;
	}
	return own;
}

static const struct stack_value *value_of(const struct stack_frame *frame, const char *expression)
{
	for (size_t i = 0; i < frame->n_values; i++)
		if (!strcmp(frame->values[i].expression, expression))
			return &frame->values[i];
	return NULL;
}

/* 400000 as "400,000". */
static void print_whole(double number, FILE *out)
{
	char digits[32];
	const int n = snprintf(digits, sizeof(digits), "%.0f", fabs(number));

	fputs(number < 0 ? "-" : "", out);
	for (int i = 0; i < n; i++)
		fprintf(out, "%s%c", i && (n - i) % 3 == 0 ? "," : "", digits[i]);
}

static void print_number(double number, FILE *out)
{
	if (number == rint(number) && fabs(number) < 1e15)
		print_whole(number, out);
	else
		fprintf(out, "%.4g", number);
}

/* Print "n = 3" as the @n-th argument. False: it has no value that is worth it. */
static bool argument_print(const struct stack_value *value, const char *name, size_t n, FILE *out)
{
	const bool is_text = value && value->text && strlen(value->text) <= TEXT_MAX;

	if (!value || value->value.absence != PRESENT || n == ARGUMENTS_MAX)
		return false;
	fputs(n ? ", " : "(", out);
	text_print_safe(out, is_text ? value->object : name);
	fputs(" = ", out);
	if (is_text || value->label)
		text_print_safe(out, is_text ? value->text : value->label);
	else if (value->type == FEATURE_BOOL)
		fputs(value->value.number != 0 ? "true" : "false", out);
	else
		fprintf(out, "%.10g", value->value.number);
	return true;
}

/* Is it a parameter as a whole, that says something? */
static bool is_plain(const struct stack_value *value)
{
	const char *name = value->text ? value->object : value->expression;

	return !value->is_part && value->provenance == FROM_PARAMETER && !strpbrk(name, ".->[( ");
}

/* "dedup(n = 400000)": with what its cost depends on, else with its parameters. */
static void print_call(const struct stack_frame *frame, FILE *out)
{
	size_t length, n = 0;
	const char *plain = cxx_name_plain(frame->function, &length);
	const struct annotation *annotation = frame->forecast && frame->forecast->is_expected
						      ? frame->forecast->annotation
						      : NULL;

	for (size_t i = 0; i < length; i++) {
		const char one[] = {plain[i], '\0'};

		text_print_safe(out, one);
	}
	for (size_t i = 0; annotation && i < annotation->n_features; i++)
		n += argument_print(value_of(frame, annotation->features[i].expression),
				    annotation->features[i].name, n, out);
	for (size_t i = 0; !n && i < frame->n_values; i++)
		for (; i < frame->n_values; i++)
			n += is_plain(&frame->values[i]) &&
			     argument_print(&frame->values[i], frame->values[i].expression, n, out);
	fputs(n ? ")" : "()", out);
}

/* "; the largest n seen before was 2,996" */
static void print_outside(const struct stack_frame *frame, FILE *out)
{
	const struct annotation *annotation = frame->forecast->annotation;

	for (size_t i = 0; i < annotation->n_features; i++) {
		const struct annotation_feature *feature = &annotation->features[i];
		const struct stack_value *value = value_of(frame, feature->expression);
		const bool is_above = value && value->value.number > feature->max;

		if (!value || value->value.absence != PRESENT || isnan(feature->max) ||
		    feature->type == FEATURE_CLASS || feature->type == FEATURE_ENUM ||
		    (!is_above && !(value->value.number < feature->min)))
			continue;
		fprintf(out, "; the %s ", is_above ? "largest" : "smallest");
		text_print_safe(out, feature->name);
		fputs(" seen before was ", out);
		print_number(is_above ? feature->max : feature->min, out);
	}
}

/* How long it still takes, as far as that is known. */
static void print_rest(const struct forecast *forecast, FILE *out)
{
	const double mean = forecast->expectation.mean;
	char rest[FORECAST_DURATION], low[FORECAST_DURATION];

	if (!isnan(forecast->deviations)) {
		forecast_duration(forecast->at_least - mean, rest);
		fprintf(out, ": %s longer than expected", rest);
	} else if (forecast->at_most < mean) {
		forecast_duration(mean - forecast->at_most, rest);
		forecast_duration(mean - fmax(forecast->at_least, 0), low);
		fprintf(out, ": %s %s to go",
			forecast->at_least > 0 && strcmp(rest, low) == 0 ? "about" : "at least",
			rest);
	}
}

static void print_expected(const struct stack_frame *frame, FILE *out)
{
	const struct forecast *forecast = frame->forecast;
	char mean[FORECAST_DURATION], low[FORECAST_DURATION], high[FORECAST_DURATION];

	forecast_duration(forecast->expectation.mean, mean);
	forecast_duration(forecast->expectation.low, low);
	forecast_duration(forecast->expectation.high, high);
	if (!isnan(forecast->at_least) || !isnan(forecast->at_most)) {
		fputs(" has run ", out);
		forecast_print_bounds(forecast->at_least, forecast->at_most, out);
		fprintf(out, " of about %s (95 %%: %s to %s)", mean, low, high);
		print_rest(forecast, out);
	} else {
		fprintf(out, " takes about %s (95 %%: %s to %s)", mean, low, high);
	}
	print_outside(frame, out);
}

/* What thread @tid waits for, as its frames or a variable call it. */
static void print_lock(const struct stack_thread *thread, FILE *out)
{
	if (thread->wait.object)
		text_print_safe(out, thread->wait.object);
	else
		fprintf(out, "the mutex at 0x%" PRIx64, thread->wait.address);
}

static const struct stack_thread *words_find(const struct stack *stack, pid_t tid)
{
	for (size_t i = 0; i < stack->n_threads; i++)
		if (stack->threads[i].tid == tid)
			return &stack->threads[i];
	return NULL;
}

static void print_actor(const struct stack *stack, const struct stack_thread *thread, FILE *out)
{
	const struct stack_frame *frame = main_call(stack, thread);

	if (frame)
		print_call(frame, out);
	else
		fprintf(out, "thread %d", (int)thread->tid);
}

/* "deadlock: f(a = 1) holds m and waits for n; g() holds n and waits for m: neither returns" */
static void print_circle(const struct stack *stack, const pid_t *circle, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct stack_thread *thread = words_find(stack, circle[i]);
		const struct stack_thread *behind = words_find(stack, circle[(i + n - 1) % n]);

		paint(out, i ? PAINT_NONE : PAINT_BAD);
		fputs(i ? "; " : "deadlock: ", out);
		paint(out, PAINT_NONE);
		print_actor(stack, thread, out);
		if (behind->wait.is_lock) {
			fputs(" holds ", out);
			print_lock(behind, out);
			fputs(" and", out);
		}
		fputs(" waits for ", out);
		if (thread->wait.is_lock)
			print_lock(thread, out);
		else
			fprintf(out, "thread %d to end", (int)circle[i + 1]);
	}
	fprintf(out, ": %s\n",
		n == 1   ? "it will never return"
		: n == 2 ? "neither will ever return"
			 : "none will ever return");
}

/* Is it in a circle, whose sentence names it? */
static bool is_in_circle(const struct stack *stack, size_t index)
{
	pid_t circle[CIRCLE_MAX];

	return stack_circle(stack, index, circle, CIRCLE_MAX) > 0 &&
	       stack_is_hopeless(stack, index);
}

static void print_waiting(const struct stack *stack, const struct stack_thread *thread, FILE *out)
{
	const struct stack_thread *owner =
		thread->wait.owner ? words_find(stack, thread->wait.owner) : NULL;

	if (thread->wait.is_lock && owner) {
		fputs(" waits for ", out);
		print_lock(thread, out);
		fputs(", held by ", out);
		print_actor(stack, owner, out);
	} else if (thread->wait.object && !thread->wait.is_lock) {
		fputs(" waits for ", out);
		print_lock(thread, out);
		fputs(" to change", out);
	} else {
		fputc(' ', out);
		text_print_safe(out, thread->wait.what ? thread->wait.what : "waits");
	}
}

/* False: there is nothing to say of the thread. */
static bool print_sentence(const struct stack *stack, const struct stack_thread *thread, FILE *out)
{
	const struct stack_frame *frame = main_call(stack, thread);
	const bool waits =
		thread->activity == STACK_WAITS && (thread->wait.what || thread->wait.call);

	if (!frame)
		return false;
	print_call(frame, out);
	if (frame->forecast && frame->forecast->is_expected)
		print_expected(frame, out);
	if (waits) {
		fputs(frame->forecast && frame->forecast->is_expected ? "; it" : "", out);
		print_waiting(stack, thread, out);
	} else if (!frame->forecast || !frame->forecast->is_expected) {
		fputs(thread->activity == STACK_STOPPED ? " is stopped by a signal" : " runs", out);
		if (frame->file && frame->line)
			fprintf(out, " at line %u", frame->line);
	}
	if (thread->activity == STACK_RUNS && thread->processor_share < SHARE_ENOUGH)
		fprintf(out, "; it had a processor for %.0f %% of the time in which it could run",
			100 * thread->processor_share);
	return true;
}

static char *sentence_of(const struct stack *stack, const struct stack_thread *thread)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool ok;

	if (!out)
		return NULL;
	ok = print_sentence(stack, thread, out);
	fclose(out);
	if (!ok)
		free(text);
	return ok ? text : NULL;
}

size_t stack_words_circles(const struct stack *stack, FILE *out)
{
	size_t circles = 0;
	pid_t circle[CIRCLE_MAX];

	for (size_t i = 0; i < stack->n_threads; i++) {
		const size_t n = stack_circle(stack, i, circle, CIRCLE_MAX);
		bool is_lowest = n > 0 && stack_is_hopeless(stack, i);

		for (size_t j = 1; j < n; j++)
			is_lowest &= circle[j] > circle[0];
		if (is_lowest)
			print_circle(stack, circle, n, out);
		circles += is_lowest;
	}
	return circles;
}

/* The sentence of thread @index, unless it was said of another one. */
static void print_once(char **sentences, size_t index, size_t n, FILE *out)
{
	size_t same = 0;

	for (size_t i = 0; i < index; i++)
		if (sentences[i] && !strcmp(sentences[i], sentences[index]))
			return;
	for (size_t i = index; i < n; i++)
		same += sentences[i] && !strcmp(sentences[i], sentences[index]);
	text_print_safe(out, sentences[index]);
	if (same > 1)
		fprintf(out, " (%zu threads)", same);
	fputc('\n', out);
}

bool stack_words_print(const struct stack *stack, FILE *out)
{
	char **sentences = calloc(stack->n_threads + 1, sizeof(*sentences));
	size_t circles, said = 0;

	if (!sentences)
		return false;
	circles = stack_words_circles(stack, out);
	for (size_t i = 0; i < stack->n_threads; i++)
		if (!is_in_circle(stack, i))
			sentences[i] = sentence_of(stack, &stack->threads[i]);
	for (size_t i = 0; i < stack->n_threads; i++)
		if (sentences[i] && said++ < SENTENCES_MAX)
			print_once(sentences, i, stack->n_threads, out);
	if (said > SENTENCES_MAX)
		fprintf(out, "and %zu more threads\n", said - SENTENCES_MAX);
	for (size_t i = 0; i < stack->n_threads; i++)
		free(sentences[i]);
	free(sentences);
	return circles + said > 0;
}
