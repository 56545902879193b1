/*
 * Keeps and prints the state of followed calls. adopt_frames.c selects them, follow_stuck.c says
 * when to update.
 */
#include "followed_calls.h"

#include <math.h>
#include <stdlib.h>

#include "core/verdict/stack_annotations.h"
#include "cli/message.h"
#include "report/json.h"
#include "trace/session_halt.h"

/* Update the forecast from the time and wait known now. */
static void followed_judge(struct followed *followed)
{
	struct followed_call *call = &followed->call;

	if (!call->frame->forecast)
		return;
	call->forecast = forecast_go_on(call->frame->forecast, call->at_least_us, call->at_most_us,
					followed->wait);
	call->forecast.is_over = call->state == FOLLOWED_RETURNED;
}

static void set_wait(struct followed_calls *following, struct followed *followed,
		     const struct stack *stack)
{
	const char *wait = NULL;

	for (size_t i = 0; i < stack->n_threads; i++)
		if (stack->threads[i].tid == followed->call.thread) {
			wait = stack_annotations_wait(stack, i);
			followed->is_hopeless = stack_is_hopeless(stack, i);
		}
	followed->wait = wait ? arena_strdup(following->arena, wait) : NULL;
	followed_judge(followed);
}

void followed_calls_add(struct followed_calls *following, const struct stack *stack,
			const struct stack_thread *thread, size_t frame, int64_t id)
{
	struct followed *followed = &following->calls[following->n++];

	*followed = (struct followed){
		.call = {.thread = thread->tid,
			 .thread_name = thread->name,
			 .frame = &thread->frames[frame],
			 .at_least_us = thread->at_least_us,
			 .at_most_us = thread->at_most_us},
		.id = id,
		.before_least_us = thread->at_least_us,
		.before_most_us = thread->at_most_us,
	};
	set_wait(following, followed, stack);
}

void followed_calls_look(struct followed_calls *following, const struct stack *stack)
{
	for (size_t i = 0; i < following->n; i++)
		if (following->calls[i].call.state == FOLLOWED_OPEN)
			set_wait(following, &following->calls[i], stack);
}

static void say_wait(const struct followed *followed)
{
	const struct followed_call *call = &followed->call;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return;
	if (call->frame->forecast) {
		forecast_print(&call->forecast, out);
	} else {
		fprintf(out, "%s; it has run ", followed->wait ? followed->wait : "it runs");
		if (!forecast_print_bounds(call->at_least_us, call->at_most_us, out))
			fputs("nobody knows how long", out);
	}
	fclose(out);
	message_note("%s in thread %d: %s", call->frame->function, (int)call->thread, text);
	free(text);
}

void followed_calls_say(const struct followed_calls *following)
{
	for (size_t i = 0; i < following->n; i++)
		if (following->calls[i].call.state == FOLLOWED_OPEN &&
		    !following->calls[i].is_hopeless)
			say_wait(&following->calls[i]);
}

/* @since_us: its time since it was adopted. */
static void set_time(struct followed *followed, double since_us)
{
	followed->call.at_least_us = followed->before_least_us + since_us;
	followed->call.at_most_us = followed->before_most_us + since_us;
	followed_judge(followed);
}

static void followed_print_call(const struct followed_calls *following,
				const struct followed_call *call)
{
	if (following->options->json)
		return;
	followed_print(call, following->output->file);
	fflush(following->output->file);
}

static void followed_end_call(const struct followed_calls *following, struct followed *followed,
			      enum followed_state state)
{
	followed->call.state = state;
	followed->wait = NULL;
	followed_judge(followed);
	followed_print_call(following, &followed->call);
}

void followed_calls_take(struct followed_calls *following, const struct call_record *record)
{
	const struct value *time = &record->metrics[METRIC_TIME];

	for (size_t i = 0; i < following->n && record->is_adopted; i++) {
		struct followed *followed = &following->calls[i];

		if (followed->id != record->id || followed->call.state != FOLLOWED_OPEN)
			continue;
		if (time->absence == PRESENT)
			set_time(followed, time->number);
		followed_end_call(following, followed,
				  record->exit == CALL_RETURNED ? FOLLOWED_RETURNED
								: FOLLOWED_LEFT);
	}
}

static const struct session_open_call *followed_find_open(const struct session_open_call *list,
							  size_t n, int64_t id)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].id == id)
			return &list[i];
	return NULL;
}

void followed_calls_tend(struct followed_calls *following)
{
	struct arena *arena = arena_create();
	struct session_open_call *list;
	const size_t n = session_open_calls(following->session, arena, &list);

	for (size_t i = 0; i < following->n; i++) {
		struct followed *followed = &following->calls[i];
		const struct session_open_call *open = followed_find_open(list, n, followed->id);

		if (followed->call.state != FOLLOWED_OPEN)
			continue;
		if (open)
			set_time(followed, (double)open->at_least_ns / 1e3);
		else
			followed_end_call(following, followed, FOLLOWED_LEFT);
	}
	arena_destroy(arena);
}

void followed_calls_end(struct followed_calls *following)
{
	for (size_t i = 0; i < following->n; i++)
		if (following->calls[i].call.state == FOLLOWED_OPEN)
			followed_end_call(following, &following->calls[i], FOLLOWED_ENDED);
}

size_t followed_calls_open(const struct followed_calls *following)
{
	size_t n = 0;

	for (size_t i = 0; i < following->n; i++)
		n += following->calls[i].call.state == FOLLOWED_OPEN &&
		     !following->calls[i].is_hopeless;
	return n;
}

bool followed_calls_finish(struct followed_calls *following, const struct stack *stack,
			   struct err *err)
{
	struct followed_call *calls =
		arena_array(following->arena, struct followed_call, following->n);

	for (size_t i = 0; i < following->n; i++) {
		calls[i] = following->calls[i].call;
		if (calls[i].state == FOLLOWED_OPEN)
			followed_print_call(following, &calls[i]);
	}
	return !following->options->json ||
	       json_followed(stack, calls, following->n, following->output->file, err);
}
