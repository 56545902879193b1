/* Stacks as text: threads that do the same are grouped, values abbreviated. report/ writes JSON. */
#include "stack.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "forecast.h"

enum {
	INNER_MAX = 64, /* frames shown of a deep stack, before and behind the gap */
	OUTER_MAX = 16,
	TIDS_MAX = 8, /* named of a group of threads */
	VALUE_INDENT = 8,
	LINE_WIDTH = 100,
	ABSENT_MAX = 4, /* parameters without value shown per frame */
};

#define NULL_TEST " != 0"

void stack_destroy(struct stack *stack)
{
	if (stack)
		arena_destroy(stack->arena);
}

static const struct stack_thread *stack_find(const struct stack *stack, pid_t tid)
{
	for (size_t i = 0; i < stack->n_threads; i++)
		if (stack->threads[i].tid == tid)
			return &stack->threads[i];
	return NULL;
}

size_t stack_circle(const struct stack *stack, size_t from, pid_t *ret, size_t size)
{
	const struct stack_thread *thread = &stack->threads[from];
	const pid_t first = thread->tid;
	size_t n = 0;

	while (thread && n + 1 < size) {
		ret[n++] = thread->tid;
		if (!thread->wait.owner)
			return 0;
		if (thread->wait.owner == first) {
			ret[n] = first;
			return n;
		}
		thread = stack_find(stack, thread->wait.owner);
	}
	return 0;
}

/* Whom does thread @index wait for at last? NULL: threads in a circle. */
static const struct stack_thread *stack_last(const struct stack *stack, size_t index)
{
	const struct stack_thread *each = &stack->threads[index];

	/* Nobody waits for more threads than there are, but in a circle. */
	for (size_t i = 0; i <= stack->n_threads; i++) {
		const struct stack_thread *owner =
			each->wait.owner ? stack_find(stack, each->wait.owner) : NULL;

		if (!owner || each->wait.is_limited)
			return each;
		each = owner;
	}
	return NULL;
}

bool stack_is_hopeless(const struct stack *stack, size_t thread)
{
	size_t circles = 0;

	if (!stack_last(stack, thread))
		return true;
	/* What only threads of the process can change stays if each of them waits so. */
	for (size_t i = 0; i < stack->n_threads; i++) {
		const struct stack_thread *last = stack_last(stack, i);

		circles += !last;
		if (last && (!last->wait.is_private || last->wait.is_limited || last->wait.owner))
			return false;
	}
	return circles > 0;
}

bool stack_is_own(const struct stack *stack, const struct stack_frame *frame)
{
	return frame->function && frame->file && stack->program && frame->module &&
	       !frame->is_header && !strcmp(frame->module, stack->program);
}

static bool stack_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Values may differ unless they are shown. */
static bool same_values(const struct stack_frame *a, const struct stack_frame *b)
{
	if (a->n_values != b->n_values)
		return false;
	for (size_t i = 0; i < a->n_values; i++) {
		const struct value *x = &a->values[i].value, *y = &b->values[i].value;

		if (x->absence != y->absence || (x->absence == PRESENT && x->number != y->number) ||
		    !stack_same_text(a->values[i].text, b->values[i].text))
			return false;
	}
	return true;
}

static bool same_verdict(const struct stack_frame *a, const struct stack_frame *b)
{
	if (!a->forecast || !b->forecast)
		return a->forecast == b->forecast;
	return a->forecast->verdict == b->forecast->verdict &&
	       stack_same_text(a->forecast->waits_for, b->forecast->waits_for);
}

static bool stack_is_same(const struct stack_thread *a, const struct stack_thread *b)
{
	if (a->activity != b->activity || a->n_frames != b->n_frames ||
	    !stack_same_text(a->wait.call, b->wait.call) ||
	    !stack_same_text(a->wait.what, b->wait.what) || !stack_same_text(a->end, b->end))
		return false;
	for (size_t i = 0; i < a->n_frames; i++)
		if (a->frames[i].pc != b->frames[i].pc ||
		    !stack_same_text(a->frames[i].function, b->frames[i].function) ||
		    !same_values(&a->frames[i], &b->frames[i]) ||
		    !same_verdict(&a->frames[i], &b->frames[i]))
			return false;
	return true;
}

static void stack_print_number(const struct stack_value *value, FILE *out)
{
	if (value->label)
		text_print_safe(out, value->label);
	else if (value->type == FEATURE_BOOL)
		fputs(value->value.number != 0 ? "true" : "false", out);
	else if (value->type == FEATURE_FLOAT)
		fprintf(out, "%.10g", value->value.number);
	else
		fprintf(out, "%.17g", value->value.number);
}

/* The length of the pointer in a feature `pointer != 0`; 0: another feature. */
static size_t stack_null_test(const struct stack_value *value)
{
	const size_t n = strlen(value->expression);

	if (value->type != FEATURE_BOOL || n <= strlen(NULL_TEST) ||
	    strcmp(value->expression + n - strlen(NULL_TEST), NULL_TEST) != 0)
		return 0;
	return n - strlen(NULL_TEST);
}

/* Is it a member of the C library's own, as in mutexes? */
static bool is_internal(const char *expression)
{
	return strstr(expression, "->__") || strstr(expression, ".__");
}

/* Show null tests only for null pointers: what others point to shows that they are not null. */
static bool stack_is_shown(const struct stack_value *value, bool whole)
{
	if (value->is_part || (!whole && is_internal(value->expression)))
		return false;
	return value->value.absence == PRESENT &&
	       (whole || value->text || !stack_null_test(value) || value->value.number == 0);
}

static void stack_print_value(const struct stack_value *value, FILE *out)
{
	char *pointer = strdup(value->expression);

	if (value->text) {
		text_print_safe(out, value->object);
		fputs(" = ", out);
		text_print_safe(out, value->text);
	} else if (pointer && stack_null_test(value)) {
		pointer[stack_null_test(value)] = '\0';
		text_print_safe(out, pointer);
		fputs(value->value.number == 0 ? " = null" : " is not null", out);
	} else {
		text_print_safe(out, value->expression);
		fputs(" = ", out);
		stack_print_number(value, out);
	}
	free(pointer);
}

/* Print values on one line while they fit. */
static void print_present(const struct stack_frame *frame, bool whole, FILE *out)
{
	size_t column = 0;

	for (size_t i = 0; i < frame->n_values; i++) {
		char *text = NULL;
		size_t n = 0;
		FILE *memory;

		if (!stack_is_shown(&frame->values[i], whole))
			continue;
		memory = open_memstream(&text, &n);
		if (!memory)
			return;
		stack_print_value(&frame->values[i], memory);
		fclose(memory);
		if (column && column + n + 3 > LINE_WIDTH)
			column = 0, fputc('\n', out);
		if (column)
			fputs(",  ", out);
		else
			fprintf(out, "%*s", VALUE_INDENT, "");
		fputs(text, out);
		column = (column ? column + 3 : VALUE_INDENT) + n;
		free(text);
	}
	if (column)
		fputc('\n', out);
}

/* Values behind a null pointer are not worth a line. */
static bool absent_is_shown(const struct stack_value *value, bool whole)
{
	const enum absence absence = value->value.absence;

	if (absence == PRESENT || absence == ABSENT_NULL)
		return false;
	if (!whole && is_internal(value->expression))
		return false;
	return whole || stack_null_test(value) || !strpbrk(value->expression, ".->[(*");
}

static void print_absent(const struct stack_frame *frame, bool whole, FILE *out)
{
	size_t shown = 0;

	for (size_t i = 0; i < frame->n_values; i++) {
		const struct stack_value *value = &frame->values[i];
		const size_t pointer = stack_null_test(value);
		char *name;

		if (value->is_part || !absent_is_shown(value, whole) ||
		    (!whole && shown == ABSENT_MAX))
			continue;
		name = pointer ? strndup(value->expression, pointer) : strdup(value->expression);
		fprintf(out, "%*s", VALUE_INDENT, "");
		text_print_safe(out, name ? name : "?");
		fputs(": ", out);
		text_print_safe(out, value->why ? value->why
						: value_absence_meaning(value->value.absence));
		fputc('\n', out);
		free(name);
		shown++;
	}
}

void stack_print_values(const struct stack_frame *frame, FILE *out)
{
	print_present(frame, false, out);
	print_absent(frame, false, out);
}

static const char *stack_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void stack_print_place(const struct stack_frame *frame, FILE *out)
{
	if (frame->is_signal)
		fputs("<signal handler called>", out);
	else if (frame->function)
		text_print_safe(out, frame->function);
	else
		fprintf(out, "0x%" PRIx64, frame->pc);
	if (frame->is_inlined)
		fputs(" (inlined)", out);
	fputs("  ", out);
	if (frame->file) {
		text_print_safe(out, stack_base_name(frame->file));
		if (frame->line)
			fprintf(out, ":%u", frame->line);
	} else if (frame->module) {
		fputs("in ", out);
		text_print_safe(out, stack_base_name(frame->module));
	} else {
		fputs("in no file that is mapped", out);
	}
}

static void print_outlook(const struct forecast *forecast, FILE *out)
{
	fprintf(out, "%*s", VALUE_INDENT, "");
	forecast_print_verdict(forecast, out);
	fputc('\n', out);
	if (isnan(forecast->at_least) && isnan(forecast->at_most) && !forecast->is_expected)
		return;
	fprintf(out, "%*s", VALUE_INDENT, "");
	forecast_print_account(forecast, out);
	fputc('\n', out);
}

static void print_frame_head(const struct stack_frame *frame, size_t index, FILE *out)
{
	fprintf(out, "  #%-3zu ", index);
	stack_print_place(frame, out);
	fputc('\n', out);
}

static void print_frame_values(const struct stack_frame *frame, bool whole, FILE *out)
{
	print_present(frame, whole, out);
	print_absent(frame, whole, out);
	if (frame->values_cut && whole)
		fprintf(out, "%*s%zu more\n", VALUE_INDENT, "", frame->values_cut);
}

void stack_print_frame(const struct stack_frame *frame, size_t index, FILE *out)
{
	print_frame_head(frame, index, out);
	print_frame_values(frame, false, out);
}

/* What holds for that call in all threads grouped with the one at @index. */
static struct forecast forecast_of_group(const struct stack *stack, size_t index, size_t frame)
{
	const struct stack_thread *thread = &stack->threads[index];
	struct forecast ret = *thread->frames[frame].forecast;

	for (size_t i = index + 1; i < stack->n_threads; i++)
		if (stack_is_same(thread, &stack->threads[i]))
			forecast_join(&ret, stack->threads[i].frames[frame].forecast);
	return ret;
}

/* Libraries' frames are not shown, but what the program called, and signals. */
static bool frame_is_hidden(const struct stack *stack, const struct stack_thread *thread,
			    size_t index)
{
	const struct stack_frame *frame = &thread->frames[index];

	return !frame->is_signal && !frame->forecast && !stack_is_own(stack, frame) &&
	       (index + 1 == thread->n_frames || !stack_is_own(stack, frame + 1));
}

static bool has_own(const struct stack *stack, const struct stack_thread *thread)
{
	for (size_t i = 0; i < thread->n_frames; i++)
		if (stack_is_own(stack, &thread->frames[i]))
			return true;
	return false;
}

static void print_frames(const struct stack *stack, size_t index, enum stack_detail detail,
			 FILE *out)
{
	const struct stack_thread *thread = &stack->threads[index];
	const bool whole = detail == STACK_WHOLE;
	const bool hides = detail == STACK_OWN && has_own(stack, thread);
	const size_t n = thread->n_frames;
	size_t hidden = 0;

	for (size_t i = 0; i < n; i++) {
		if (!whole && i == INNER_MAX && n > INNER_MAX + OUTER_MAX) {
			fprintf(out, "  ... %zu more frames ...\n", n - INNER_MAX - OUTER_MAX);
			i = n - OUTER_MAX;
		}
		if (hides && frame_is_hidden(stack, thread, i)) {
			hidden++;
			continue;
		}
		print_frame_head(&thread->frames[i], i, out);
		if (!hides || stack_is_own(stack, &thread->frames[i]))
			print_frame_values(&thread->frames[i], whole, out);
		if (thread->frames[i].forecast) {
			const struct forecast forecast = whole ? *thread->frames[i].forecast
							       : forecast_of_group(stack, index, i);

			print_outlook(&forecast, out);
		}
	}
	if (hidden)
		fprintf(out, "  (%zu more of libraries: -v shows %s)\n", hidden,
			hidden == 1 ? "it" : "them");
	if (thread->end) {
		fputs("  (the stack ends here: ", out);
		text_print_safe(out, thread->end);
		fputs(")\n", out);
	}
}

static void print_activity(const struct stack_thread *thread, FILE *out)
{
	const struct stack_wait *wait = &thread->wait;

	if (thread->activity == STACK_RUNS) {
		fputs("running", out);
		return;
	}
	if (thread->activity == STACK_STOPPED)
		fputs("stopped by a signal", out);
	if (thread->activity == STACK_ASLEEP)
		fputs("in uninterruptible sleep", out);
	if (thread->activity == STACK_MISSED)
		fputs("was not stopped in time", out);
	if (thread->activity != STACK_WAITS && wait->call)
		fputs("; ", out);
	if (wait->what)
		text_print_safe(out, wait->what);
	else if (wait->call)
		fprintf(out, "in %s", wait->call);
	else if (thread->activity == STACK_WAITS)
		fputs("waits", out);
}

/* Print @n equal threads, of which this is the first. */
static void stack_print_thread(const struct stack *stack, size_t index, size_t n,
			       enum stack_detail detail, FILE *out)
{
	const struct stack_thread *thread = &stack->threads[index];
	size_t named = 0;

	fprintf(out, "thread %d (", (int)thread->tid);
	text_print_safe(out, thread->name);
	fputc(')', out);
	if (n > 1) {
		fprintf(out, " and %zu more (", n - 1);
		for (size_t i = index + 1; i < stack->n_threads && named < TIDS_MAX; i++)
			if (stack_is_same(thread, &stack->threads[i]))
				fprintf(out, "%s%d", named++ ? ", " : "",
					(int)stack->threads[i].tid);
		fputs(n - 1 > named ? ", ...)" : ")", out);
	}
	fputs(": ", out);
	print_activity(thread, out);
	fputc('\n', out);
	print_frames(stack, index, detail, out);
}

/* Has an equal thread been printed before? */
static bool stack_is_printed(const struct stack *stack, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (stack_is_same(&stack->threads[i], &stack->threads[index]))
			return true;
	return false;
}

static size_t count_same(const struct stack *stack, size_t index)
{
	size_t n = 0;

	for (size_t i = index; i < stack->n_threads; i++)
		n += stack_is_same(&stack->threads[index], &stack->threads[i]);
	return n;
}

void stack_print(const struct stack *stack, enum stack_detail detail, FILE *out)
{
	const bool whole = detail == STACK_WHOLE;

	fprintf(out, "process %d", (int)stack->pid);
	if (stack->program) {
		fputs(" (", out);
		text_print_safe(out, stack->program);
		fputc(')', out);
	}
	fprintf(out, ", %zu thread%s\n", stack->n_threads, stack->n_threads == 1 ? "" : "s");
	for (size_t i = 0; i < stack->n_notes; i++) {
		text_print_safe(out, stack->notes[i]);
		fputc('\n', out);
	}
	for (size_t i = 0; i < stack->n_threads; i++) {
		if (!whole && stack_is_printed(stack, i))
			continue;
		fputc('\n', out);
		stack_print_thread(stack, i, whole ? 1 : count_same(stack, i), detail, out);
	}
}
