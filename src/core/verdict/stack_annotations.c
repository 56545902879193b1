/*
 * Joining stacks with annotations. Frames come with all features that annotations need, if
 * available; forecast.c judges them.
 */
#include "stack_annotations.h"

#include <math.h>
#include <string.h>

#include "core/annotation/namesakes.h"
#include "core/cxx_name.h"

enum {
	CHAIN_MAX = 8, /* threads shown of a chain of waits */
	NAMED_MAX = 5,
};

static const char *annotated_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool frame_same_plain_name(const char *a, const char *b)
{
	size_t n_a, n_b;
	const char *plain_a = cxx_name_plain(a, &n_a), *plain_b = cxx_name_plain(b, &n_b);

	return n_a == n_b && !memcmp(plain_a, plain_b, n_a);
}

static enum namesakes frame_match(const struct stack_frame *frame, const char *name)
{
	const struct namesake namesake = {frame->function, frame->linkage, frame->declared_file,
					  frame->declared_line};

	return namesakes_match(name, &namesake);
}

/* Compares names as printed, or as people write them, with parts left out. */
static bool frame_has_name(const struct stack_frame *frame, const char *name, struct arena *arena)
{
	const char *canonical;

	if (frame_match(frame, name) != NAMESAKES_OTHER ||
	    (frame->linkage && !strcmp(frame->linkage, name)))
		return true;
	if (!frame_same_plain_name(frame->function, name)) /* quick, and settles most */
		return false;
	canonical = cxx_name_canonical(arena, name);
	if (!strcmp(frame->function, canonical))
		return true;
	/* The star of a parameter's type is not a glob. */
	return !cxx_name_is_glob(canonical) &&
	       cxx_name_matches(frame->function, frame->linkage, canonical);
}

/* Rates annotations of the same name; 0: a static function of another file. */
static unsigned fitness(const struct stack_frame *frame, const struct annotation *annotation)
{
	unsigned ret = 1;

	if (annotation->file && frame->declared_file) {
		if (strcmp(annotated_base_name(annotation->file),
			   annotated_base_name(frame->declared_file)) != 0)
			return 0;
		ret += 2;
		ret += annotation->line && annotation->line == frame->declared_line;
	}
	if (annotation->module && frame->module &&
	    !strcmp(annotated_base_name(annotation->module), annotated_base_name(frame->module)))
		ret += 4;
	return ret + 8 * frame_match(frame, annotation->function);
}

/* The best annotation, and how many rate equally. */
static const struct annotation *find_annotation(const struct annotation_list *annotations,
						const struct stack_frame *frame,
						struct arena *arena, size_t *ret_n)
{
	const struct annotation *best = NULL;
	unsigned best_fitness = 0;

	*ret_n = 0;
	for (size_t i = 0; frame->function && i < annotations->n; i++) {
		const struct annotation *each = annotations->list[i];
		unsigned each_fitness;

		if (each->metric != METRIC_TIME || !frame_has_name(frame, each->function, arena))
			continue;
		each_fitness = fitness(frame, each);
		if (each_fitness > best_fitness) {
			best = each;
			best_fitness = each_fitness;
			*ret_n = 0;
		}
		*ret_n += each_fitness && each_fitness == best_fitness;
	}
	return best;
}

const struct annotation *stack_annotations_find(const struct annotation_list *annotations,
						const struct stack_frame *frame,
						struct arena *arena)
{
	size_t n;

	return find_annotation(annotations, frame, arena, &n);
}

static const struct stack_value *frame_find_value(const struct stack_frame *frame,
						  const char *expression)
{
	for (size_t i = 0; i < frame->n_values; i++)
		if (!strcmp(frame->values[i].expression, expression))
			return &frame->values[i];
	return NULL;
}

static bool starts_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const char *why_no_value(const char *expression)
{
	if (starts_with(expression, "system."))
		return "it is about the moment in which the call began";
	if (strstr(expression, "return"))
		return "it may be known when the call returns";
	return "there is no such value in the frame";
}

/* Returns why the feature is unknown, or NULL. */
static const char *take_argument(const struct stack_frame *frame,
				 const struct annotation_feature *feature, struct argument *ret)
{
	const struct stack_value *value = frame_find_value(frame, feature->expression);

	*ret = (struct argument){.known = false};
	if (!value)
		return why_no_value(feature->expression);
	ret->absent = value_is_missing(value->value.absence);
	if (value->value.absence != PRESENT)
		return value->why ? value->why : value_absence_meaning(value->value.absence);
	*ret = (struct argument){
		.known = true, .number = value->value.number, .symbol = value->label};
	return NULL;
}

static struct forecast *judge_call(const struct stack *stack, const struct stack_frame *frame,
				   const struct annotation *annotation,
				   const struct annotation_list *all, struct forecast_facts facts)
{
	struct arena *arena = stack->arena;
	const size_t n = annotation->n_features;
	struct argument *x = arena_array(arena, struct argument, n + 1);
	const char **absences = arena_array(arena, const char *, n + 1);
	struct forecast *ret = arena_new(arena, struct forecast);

	for (size_t i = 0; i < n; i++)
		absences[i] = take_argument(frame, &annotation->features[i], &x[i]);
	facts.absences = absences;
	*ret = forecast_find(annotation, all, x, &facts, arena);
	return ret;
}

static size_t judge_thread(struct stack *stack, size_t index,
			   const struct annotation_list *annotations)
{
	const struct stack_thread *thread = &stack->threads[index];
	struct forecast_facts facts = {
		.at_least = thread->at_least_us,
		.at_most = thread->at_most_us,
		.waits_for = stack_annotations_wait(stack, index),
	};
	size_t n = 0, n_fit;

	for (size_t i = 0; i < thread->n_frames; i++) {
		struct stack_frame *frame = &thread->frames[i];
		const struct annotation *annotation =
			find_annotation(annotations, frame, stack->arena, &n_fit);

		if (!annotation)
			continue;
		facts.in_doubt = n_fit < 2 ? NULL
					   : arena_printf(stack->arena,
							  "%zu annotations are of functions that "
							  "are called %s",
							  n_fit, frame->function);
		frame->forecast = judge_call(stack, frame, annotation, annotations, facts);
		n++;
	}
	return n;
}

size_t stack_annotations_apply(struct stack *stack, const struct annotation_list *annotations)
{
	size_t n = 0;

	for (size_t i = 0; i < stack->n_threads; i++)
		n += judge_thread(stack, i, annotations);
	return n;
}

static size_t stack_thread_by_tid(const struct stack *stack, pid_t tid)
{
	size_t i = 0;

	while (i < stack->n_threads && stack->threads[i].tid != tid)
		i++;
	return i;
}

/* NULL: it does not wait. */
static const char *own_wait(const struct stack *stack, const struct stack_thread *thread)
{
	const struct stack_wait *wait = &thread->wait;

	switch (thread->activity) {
	case STACK_RUNS:
	case STACK_MISSED:
		return NULL;
	case STACK_STOPPED:
		return "stopped by a signal";
	case STACK_WAITS:
	case STACK_ASLEEP:
		break;
	}
	if (wait->what)
		return wait->what;
	if (wait->call)
		return arena_printf(stack->arena, "in %s", wait->call);
	return thread->activity == STACK_ASLEEP ? "in uninterruptible sleep" : "waits";
}

static bool is_among(const size_t *threads, int n, size_t thread)
{
	for (int i = 0; i < n; i++)
		if (threads[i] == thread)
			return true;
	return false;
}

const char *stack_annotations_wait(const struct stack *stack, size_t thread)
{
	const struct stack_thread *each = &stack->threads[thread];
	const char *ret = own_wait(stack, each);
	pid_t circle[CHAIN_MAX + 1];
	size_t told[CHAIN_MAX];

	if (!ret || !each->wait.owner)
		return ret;
	/* The circle's own sentence says the rest. */
	if (stack_circle(stack, thread, circle, CHAIN_MAX + 1))
		return arena_printf(stack->arena, "%s: a deadlock", ret);
	for (int i = 0; i < CHAIN_MAX && each->wait.owner; i++) {
		const size_t owner = stack_thread_by_tid(stack, each->wait.owner);
		const char *waits;

		if (owner == thread || owner == stack->n_threads || is_among(told, i, owner))
			break;
		told[i] = owner;
		each = &stack->threads[owner];
		waits = own_wait(stack, each);
		ret = arena_printf(stack->arena, "%s; thread %d %s", ret, (int)each->tid,
				   waits ? waits : "runs");
	}
	return ret;
}

const char *stack_annotations_list(const struct annotation_list *annotations, struct arena *arena)
{
	const char *ret = NULL;
	size_t n = 0;

	for (size_t i = 0; i < annotations->n; i++) {
		if (annotations->list[i]->metric != METRIC_TIME)
			continue;
		if (n++ < NAMED_MAX)
			ret = arena_printf(arena, "%s%s%s", ret ? ret : "", ret ? ", " : "",
					   annotations->list[i]->function);
	}
	return n > NAMED_MAX ? arena_printf(arena, "%s and %zu more", ret, n - NAMED_MAX) : ret;
}
