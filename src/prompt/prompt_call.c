/*
 * Returned and open calls: decides which become samples and which halt the process, and reports
 * those. prompt_condition.c evaluates conditions, prompt_predictions.c predicts costs.
 */
#include "prompt_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "inspect/halted_stack.h"
#include "prompt_commands.h"
#include "prompt_predictions.h"
#include "prompt_probe.h"
#include "core/metric.h"
#include "prompt_text.h"
#include "prompt_condition.h"
#include "trace/session_halt.h"

enum { FEATURES_SHOWN = 24 };

static const struct catalogue *call_catalogue_of(const struct prompt *prompt, unsigned image)
{
	struct program *const *programs;

	programs_measured(prompt->m->programs, &programs);
	return programs[image]->catalogue;
}

static struct prompt_call from_record(const struct prompt *prompt, const struct call_record *record)
{
	const struct catalogue *catalogue = call_catalogue_of(prompt, record->image);
	const struct value time = record->metrics[METRIC_TIME]; /* 0 of one that begins */

	return (struct prompt_call){
		.image = record->image,
		.index = record->function,
		.catalogue = catalogue,
		.function = &catalogue->functions[record->function],
		.features = record->features,
		.metrics = record->metrics,
		.exit = record->exit,
		.elapsed_us = time.absence == PRESENT ? time.number : NAN,
		.id = record->id,
		.thread = record->thread,
		.was_halted = record->was_halted,
	};
}

static struct prompt_call from_open(const struct prompt *prompt,
				    const struct session_open_call *open)
{
	const struct catalogue *catalogue = call_catalogue_of(prompt, open->image);

	return (struct prompt_call){
		.image = open->image,
		.index = open->function,
		.catalogue = catalogue,
		.function = &catalogue->functions[open->function],
		.features = open->features,
		.elapsed_us = open->at_least_ns / 1e3,
		.id = open->id,
		.thread = open->thread,
	};
}

void prompt_forget_call(struct prompt *prompt)
{
	arena_destroy(prompt->returned_arena);
	prompt->returned_arena = NULL;
	prompt->returned = (struct prompt_call){.function = NULL};
}

/* Copies: the next event overwrites the record. */
static void remember(struct prompt *prompt, const struct prompt_call *call)
{
	prompt_forget_call(prompt);
	prompt->returned_arena = arena_create();
	prompt->returned = *call;
	prompt->returned.features =
		arena_copy(prompt->returned_arena, call->features,
			   call->function->n_features * sizeof(*call->features));
	prompt->returned.metrics = arena_copy(prompt->returned_arena, call->metrics,
					      METRIC_MEASURED * sizeof(*call->metrics));
	prompt->thread = call->thread;
}

/*
 * Is there a string or container, of which the features say the size only, or, of @only (NULL: of
 * all), an integer whose digits they do not have?
 */
static bool frame_says_more(const struct prompt_call *call, const char *only)
{
	for (size_t i = 0; i < call->function->n_features; i++) {
		const struct feature *feature = &call->function->features[i];
		const bool is_wanted = !only || !strcmp(feature->expression, only);

		if (call->features[i].absence == PRESENT &&
		    ((!only && feature->object) || (is_wanted && feature->type == FEATURE_INT &&
						    fabs(call->features[i].number) >= 0x1p53)))
			return true;
	}
	return false;
}

const struct stack_frame *prompt_frame_of(struct prompt *prompt, const struct prompt_call *call)
{
	const struct stack *stack;
	struct err ignored;

	if (call->metrics || !(stack = prompt_stack(prompt, &ignored)))
		return NULL;
	return halted_stack_frame(stack, call->thread, call->function->name);
}

/*
 * @frame (NULL: none) is that of the call, which is open: strings and containers that have kept
 * their size are what they were when it began.
 */
static void call_print_feature(const struct prompt_call *call, size_t index,
			       const struct stack_frame *frame, FILE *out)
{
	const struct feature *feature = &call->function->features[index];
	const struct value value = call->features[index];
	const char *label = prompt_label(call, index);

	for (size_t i = 0; frame && i < frame->n_values; i++) {
		const struct stack_value *now = &frame->values[i];

		if (now->text && !strcmp(now->expression, feature->expression) &&
		    value.absence == PRESENT && now->value.number == value.number) {
			fprintf(out, "%s = ", now->object);
			text_print_safe(out, now->text);
			return;
		}
	}
	text_print_safe(out, feature->expression);
	fputs(" = ", out);
	if (value.absence != PRESENT)
		fprintf(out, "(%s)",
			feature->absence != PRESENT ? feature->explanation
						    : value_absence_meaning(value.absence));
	else if (label && feature->type == FEATURE_STRING)
		fputc('"', out), text_print_safe(out, label), fputc('"', out);
	else if (label)
		text_print_safe(out, label);
	else if (feature->type == FEATURE_BOOL)
		fputs(value.number != 0 ? "true" : "false", out);
	else
		fprintf(out, feature->type == FEATURE_FLOAT ? "%.10g" : "%.17g", value.number);
}

/* Not shown unless asked for: the system's values, and that pointers are not null. */
static bool is_shown_unasked(const struct prompt_call *call, size_t index)
{
	const struct feature *feature = &call->function->features[index];
	const struct value value = call->features[index];

	return value.absence == PRESENT && feature->provenance != FROM_SYSTEM &&
	       (feature->type != FEATURE_BOOL || value.number == 0 ||
		!strstr(feature->expression, " != 0"));
}

void prompt_print_features(struct prompt *prompt, const struct prompt_call *call, const char *only,
			   FILE *out)
{
	const struct stack_frame *frame =
		frame_says_more(call, only) ? prompt_frame_of(prompt, call) : NULL;
	const size_t n = call->function->n_features;
	size_t shown = 0, left = 0;

	for (size_t i = 0; i < n; i++) {
		if (only ? strcmp(call->function->features[i].expression, only) != 0
			 : !is_shown_unasked(call, i) ||
				    (frame && call->function->features[i].type == FEATURE_STRING))
			continue;
		if (shown++ >= FEATURES_SHOWN) {
			left++;
			continue;
		}
		fputs(only ? "" : "  ", out);
		call_print_feature(call, i, frame, out);
		fputc('\n', out);
	}
	if (left)
		fprintf(out, "  and %zu more: print EXPRESSION shows one\n", left);
}

static void call_print_costs(struct prompt *prompt, const struct prompt_call *call, FILE *out)
{
	const uint64_t metrics = prompt->options.metrics | METRIC_BIT(METRIC_TIME);
	char amount[METRIC_AMOUNT];
	const char *source;
	double expected;

	for (enum metric metric = 0; metric < METRIC_MEASURED; metric++) {
		if (!(metrics & METRIC_BIT(metric)) || call->metrics[metric].absence != PRESENT)
			continue;
		fprintf(out, "  %s = %s%s%s", metric_info(metric)->keyword,
			call->was_halted ? "at least " : "",
			metric_amount(metric, call->metrics[metric].number, amount),
			call->was_halted && metric == METRIC_TIME ? ": it was halted meanwhile"
								  : "");
		if (prompt_expect(prompt, call, metric, &expected, &source))
			fprintf(out, "; %s is expected by %s",
				metric_amount(metric, expected, amount), source);
		fputc('\n', out);
	}
}

static void call_print_head(const struct prompt_call *call, const struct prompt_probe *probe,
			    FILE *out)
{
	static const char *const ends[CALL_EXIT_COUNT] = {
		[CALL_RETURNED] = "returned",
		[CALL_THROWN] = "was left by an exception",
		[CALL_JUMPED] = "was left by a jump",
	};
	char amount[METRIC_AMOUNT];

	if (probe)
		fprintf(out, "\nProbe %u: ", probe->number);
	else
		fputc('\n', out);
	text_print_safe(out, call->function->name);
	if (call->metrics)
		fprintf(out, " %s in thread %d", call->function->block ? "ended" : ends[call->exit],
			(int)call->thread);
	else if (probe && probe->line_addr)
		fprintf(out, " is at %s in thread %d", probe->line, (int)call->thread);
	else if (call->begins)
		fprintf(out, " begins in thread %d", (int)call->thread);
	else
		fprintf(out, " has run for %s in thread %d",
			metric_amount(METRIC_TIME, call->elapsed_us, amount), (int)call->thread);
	fputc('\n', out);
}

static void report_call(struct prompt *prompt, const struct prompt_call *call,
			const struct prompt_probe *probe)
{
	prompt->thread = call->thread;
	call_print_head(call, probe, stdout);
	if (call->metrics)
		call_print_costs(prompt, call, stdout);
	if (call->features)
		prompt_print_features(prompt, call, NULL, stdout);
}

/* Count a call for which the condition is true. Does the probe stop there? */
static bool count_match(struct prompt_probe *probe)
{
	probe->matched++;
	if (!probe->stops || !probe->ignore)
		return probe->stops;
	probe->ignore--;
	return false;
}

/*
 * Probes that stop keep every call as a sample, since predictions need them all; others only the
 * calls for which their condition is true.
 */
static bool is_kept(const struct prompt_probe *probe, bool holds)
{
	return probe->stops || holds;
}

static void stop_here(struct prompt *prompt, const struct prompt_call *call,
		      struct prompt_probe *probe)
{
	struct err gone;

	session_halt(prompt_session(prompt), &gone);
	prompt->stopped_by = probe->number;
	if (prompt_is_silent(prompt, probe->number))
		prompt_choose_thread(prompt, call->thread);
	else
		report_call(prompt, call, probe);
	if (call->metrics)
		remember(prompt, call);
	else
		probe->stopped = call->id;
}

/* Disable a one-shot probe; remove_used() in prompt_run.c removes it at the next halt. */
static void retire(struct prompt_probe *probe)
{
	if (probe->is_temporary)
		probe->is_enabled = false;
}

/* The first that stops is *@ret_stopped. */
static void take_match(struct prompt_probe *probe, struct prompt_probe **ret_stopped)
{
	if (count_match(probe) && !*ret_stopped)
		*ret_stopped = probe;
	retire(probe);
}

static bool stops_at_entry(const struct prompt_probe *probe, const struct function *function)
{
	return probe->stops && !probe->line_addr && prompt_is_at_entry(probe, function);
}

bool prompt_take_call(struct prompt *prompt, const struct call_record *record)
{
	const uint64_t mask = prompt_probes_of(prompt, record->image, record->function);
	struct prompt_call call = from_record(prompt, record);
	struct prompt_probe *stopped = NULL;
	bool kept = !mask;

	for (size_t i = 0; i < prompt->n_probes; i++) {
		struct prompt_probe *probe = prompt->probes[i];
		bool holds;

		if (!(mask >> i & 1) || !probe->is_enabled)
			continue;
		probe->calls++;
		holds = prompt_holds(prompt, probe, &call);
		kept |= is_kept(probe, holds);
		if (!holds || (probe->stopped == call.id && call.id) || probe->line_addr ||
		    stops_at_entry(probe, call.function))
			continue;
		take_match(probe, &stopped);
	}
	if (stopped)
		stop_here(prompt, &call, stopped);
	if (kept) {
		measure_keep(prompt->m, record);
		prompt->is_unsaved = true;
	} else {
		recorder_leave_out(prompt->m->recorder, record);
	}
	return stopped != NULL;
}

/* The innermost call of the function in the thread; its head alone if it began unseen. */
static void find_open(struct prompt *prompt, const struct session_event *event, struct arena *arena,
		      struct prompt_call *ret)
{
	struct session_open_call *calls;
	const size_t n = session_open_calls(prompt_session(prompt), arena, &calls);
	size_t i = 0;

	while (i < n &&
	       (calls[i].thread != event->line.thread || calls[i].image != event->line.image ||
		calls[i].function != event->line.function))
		i++;
	if (i < n) {
		*ret = from_open(prompt, &calls[i]);
		return;
	}
	ret->catalogue = call_catalogue_of(prompt, event->line.image);
	ret->function = &ret->catalogue->functions[event->line.function];
	ret->thread = event->line.thread;
}

bool prompt_take_beginning(struct prompt *prompt, const struct call_record *record)
{
	const uint64_t mask = prompt_probes_of(prompt, record->image, record->function);
	struct prompt_call call = from_record(prompt, record);
	struct prompt_probe *stopped = NULL;

	call.metrics = NULL;
	call.begins = true;
	for (size_t i = 0; i < prompt->n_probes; i++) {
		struct prompt_probe *probe = prompt->probes[i];

		if (!(mask >> i & 1) || !probe->is_enabled ||
		    !stops_at_entry(probe, call.function) || !prompt_holds(prompt, probe, &call))
			continue;
		take_match(probe, &stopped);
	}
	if (stopped)
		stop_here(prompt, &call, stopped);
	return stopped != NULL;
}

/* Without the call, if it began unseen: then only a probe without a condition stops. */
bool prompt_take_line(struct prompt *prompt, const struct session_event *event)
{
	const uint64_t mask = prompt_probes_of(prompt, event->line.image, event->line.function);
	struct arena *arena = arena_create();
	struct prompt_call call = {.id = 0};
	struct prompt_probe *stopped = NULL;

	find_open(prompt, event, arena, &call);
	for (size_t i = 0; i < prompt->n_probes; i++) {
		struct prompt_probe *probe = prompt->probes[i];

		if (!(mask >> i & 1) || !probe->is_enabled ||
		    probe->line_addr != event->line.addr ||
		    (probe->parsed && (!call.features || !prompt_holds(prompt, probe, &call))))
			continue;
		take_match(probe, &stopped);
	}
	if (stopped)
		stop_here(prompt, &call, stopped);
	arena_destroy(arena);
	return stopped != NULL;
}

void prompt_take_finished(struct prompt *prompt, const struct call_record *record)
{
	const struct prompt_call call = from_record(prompt, record);

	report_call(prompt, &call, NULL);
	remember(prompt, &call);
}

void prompt_take_last_call(struct prompt *prompt, const struct call_record *record)
{
	const uint64_t mask = prompt_probes_of(prompt, record->image, record->function);
	const struct prompt_call call = from_record(prompt, record);
	bool kept = !mask;

	for (size_t i = 0; i < prompt->n_probes && !kept; i++)
		kept = mask >> i & 1 &&
		       is_kept(prompt->probes[i], prompt_holds(prompt, prompt->probes[i], &call));
	if (kept) {
		measure_keep(prompt->m, record);
		prompt->is_unsaved = true;
	} else {
		recorder_leave_out(prompt->m->recorder, record);
	}
}

static bool stops_in_the_middle(const struct prompt_probe *probe)
{
	return probe->stops && probe->is_enabled && probe->parsed &&
	       condition_is_early(probe->parsed) && condition_is_elapsed(probe->parsed);
}

static bool look_at(struct prompt *prompt, const struct prompt_call *call)
{
	const uint64_t mask = prompt_probes_of(prompt, call->image, call->index);

	for (size_t i = 0; i < prompt->n_probes; i++) {
		struct prompt_probe *probe = prompt->probes[i];

		if (!(mask >> i & 1) || !stops_in_the_middle(probe) || probe->stopped == call->id ||
		    !prompt_holds(prompt, probe, call))
			continue;
		probe->stopped = call->id;
		if (!count_match(probe))
			continue;
		retire(probe);
		stop_here(prompt, call, probe);
		return true;
	}
	return false;
}

static bool has_early_stop(const struct prompt *prompt)
{
	for (size_t i = 0; i < prompt->n_probes; i++)
		if (stops_in_the_middle(prompt->probes[i]))
			return true;
	return false;
}

bool prompt_look_at_open(struct prompt *prompt)
{
	struct session_open_call *calls;
	struct arena *arena;
	bool stopped = false;
	size_t n;

	if (!has_early_stop(prompt))
		return false;
	arena = arena_create();
	n = session_open_calls(prompt_session(prompt), arena, &calls);
	for (size_t i = 0; i < n && !stopped; i++) {
		const struct prompt_call call = from_open(prompt, &calls[i]);

		stopped = look_at(prompt, &call);
	}
	arena_destroy(arena);
	return stopped;
}

bool prompt_find_call(struct prompt *prompt, struct prompt_call *ret)
{
	struct session_open_call *calls;
	size_t n;

	if (!prompt->m)
		return false;
	if (prompt->returned.function && prompt->returned.thread == prompt->thread) {
		*ret = prompt->returned;
		return true;
	}
	n = session_open_calls(prompt_session(prompt), prompt->spare, &calls);
	for (size_t i = 0; i < n; i++)
		if (calls[i].thread == prompt->thread) {
			*ret = from_open(prompt, &calls[i]);
			return true;
		}
	return false;
}
