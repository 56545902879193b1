/* A stack as JSON: threads, frames, values. */
#include <jansson.h>
#include <math.h>

#include "core/verdict/followed.h"
#include "core/verdict/forecast.h"

#include "json.h"
#include "json_value.h"

static json_t *make_value(const struct stack_value *value)
{
	json_t *object = json_object();
	const bool present = value->value.absence == PRESENT;

	json_object_set_new(object, "expression", json_value_text(value->expression));
	json_object_set_new(object, "type", json_value_text(feature_type_name(value->type)));
	json_object_set_new(object, "provenance",
			    json_value_text(feature_provenance_name(value->provenance)));
	json_object_set_new(object, "value",
			    present ? json_value_number(value->value.number) : json_null());
	json_object_set_new(object, "label", json_value_text(present ? value->label : NULL));
	json_object_set_new(object, "text", json_value_text(value->text));
	json_object_set_new(object, "object", json_value_text(value->text ? value->object : NULL));
	json_object_set_new(object, "absence",
			    present ? json_null()
				    : json_value_text(value_absence_name(value->value.absence)));
	json_object_set_new(object, "explanation", json_value_text(present ? NULL : value->why));
	return object;
}

static json_t *make_expectation(const struct forecast *forecast)
{
	const struct expectation *expectation = &forecast->expectation;
	json_t *object;

	if (!forecast->is_expected)
		return json_null();
	object = json_object();
	json_object_set_new(object, "mean", json_value_number(expectation->mean));
	json_object_set_new(object, "deviation", json_value_number(expectation->deviation));
	json_object_set_new(object, "low", json_value_number(expectation->low));
	json_object_set_new(object, "high", json_value_number(expectation->high));
	return object;
}

static json_t *make_outlook(const struct forecast *forecast)
{
	const struct metric_info *metric = metric_info(forecast->annotation->metric);
	json_t *object = json_object();

	json_object_set_new(object, "annotation", json_value_text(forecast->annotation->function));
	json_object_set_new(object, "metric", json_value_text(metric->keyword));
	json_object_set_new(object, "unit", json_value_text(metric->unit));
	json_object_set_new(object, "verdict",
			    json_value_text(forecast_verdict_name(forecast->verdict)));
	json_object_set_new(object, "at_least", json_value_number(forecast->at_least));
	json_object_set_new(object, "at_most", json_value_number(forecast->at_most));
	json_object_set_new(object, "expected", make_expectation(forecast));
	json_object_set_new(object, "outside",
			    json_value_texts(forecast->outside, forecast->n_outside));
	json_object_set_new(object, "beyond", json_boolean(!isnan(forecast->deviations)));
	json_object_set_new(object, "deviations", json_value_number(forecast->deviations));
	json_object_set_new(object, "waits_for", json_value_text(forecast->waits_for));
	json_object_set_new(object, "explanation", json_value_text(forecast->why));
	return object;
}

static json_t *make_frame(const struct stack_frame *frame)
{
	json_t *object = json_object(), *values = json_array();

	for (size_t i = 0; i < frame->n_values; i++)
		json_array_append_new(values, make_value(&frame->values[i]));
	json_object_set_new(object, "function", json_value_text(frame->function));
	json_object_set_new(object, "file", json_value_text(frame->file));
	json_object_set_new(object, "line", frame->line ? json_integer(frame->line) : json_null());
	json_object_set_new(object, "module", json_value_text(frame->module));
	json_object_set_new(object, "pc", json_value_address(frame->pc));
	json_object_set_new(object, "address",
			    frame->module ? json_value_address(frame->addr) : json_null());
	json_object_set_new(object, "inlined", json_boolean(frame->is_inlined));
	json_object_set_new(object, "signal", json_boolean(frame->is_signal));
	json_object_set_new(object, "features", values);
	json_object_set_new(object, "features_cut", json_integer((json_int_t)frame->values_cut));
	if (frame->forecast)
		json_object_set_new(object, "outlook", make_outlook(frame->forecast));
	return object;
}

static json_t *make_wait(const struct stack_wait *wait)
{
	json_t *object = json_object();

	if (!wait->call) {
		json_decref(object);
		return json_null();
	}
	json_object_set_new(object, "call", json_value_text(wait->call));
	json_object_set_new(object, "what", json_value_text(wait->what));
	json_object_set_new(object, "descriptor",
			    wait->descriptor >= 0 ? json_integer(wait->descriptor) : json_null());
	json_object_set_new(object, "futex",
			    wait->address ? json_value_address(wait->address) : json_null());
	json_object_set_new(object, "owner", wait->owner ? json_integer(wait->owner) : json_null());
	return object;
}

static json_t *make_thread(const struct stack_thread *thread)
{
	static const char *const activities[] = {
		[STACK_RUNS] = "runs",     [STACK_WAITS] = "waits",   [STACK_STOPPED] = "stopped",
		[STACK_ASLEEP] = "asleep", [STACK_MISSED] = "missed",
	};
	json_t *object = json_object(), *frames = json_array();

	for (size_t i = 0; i < thread->n_frames; i++)
		json_array_append_new(frames, make_frame(&thread->frames[i]));
	json_object_set_new(object, "tid", json_integer(thread->tid));
	json_object_set_new(object, "name", json_value_text(thread->name));
	json_object_set_new(object, "activity", json_value_text(activities[thread->activity]));
	json_object_set_new(object, "waits", make_wait(&thread->wait));
	json_object_set_new(object, "frames", frames);
	json_object_set_new(object, "end", json_value_text(thread->end));
	return object;
}

bool json_stack(const struct stack *stack, FILE *out, struct err *err)
{
	json_t *root = json_object(), *threads = json_array();

	for (size_t i = 0; i < stack->n_threads; i++)
		json_array_append_new(threads, make_thread(&stack->threads[i]));
	json_object_set_new(root, "fathom", json_integer(1));
	json_object_set_new(root, "pid", json_integer(stack->pid));
	json_object_set_new(root, "program", json_value_text(stack->program));
	json_object_set_new(root, "threads", threads);
	json_object_set_new(root, "notes", json_value_texts(stack->notes, stack->n_notes));
	json_object_set_new(root, "held_ms", json_value_number(stack->stopped_ms));
	json_object_set_new(root, "longest_held_ms", json_value_number(stack->longest_ms));
	json_object_set_new(root, "holds", json_integer(stack->holds));
	return json_value_write(root, out, err);
}

static json_t *make_followed(const struct followed_call *call)
{
	json_t *object = json_object(), *frame = make_frame(call->frame);

	json_object_del(frame, "outlook"); /* outdated: made when the call was found */
	json_object_set_new(object, "thread", json_integer(call->thread));
	json_object_set_new(object, "name", json_value_text(call->thread_name));
	json_object_set_new(object, "state", json_value_text(followed_state_name(call->state)));
	json_object_set_new(object, "unit", json_value_text(metric_info(METRIC_TIME)->unit));
	json_object_set_new(object, "at_least", json_value_number(call->at_least_us));
	json_object_set_new(object, "at_most", json_value_number(call->at_most_us));
	json_object_set_new(object, "frame", frame);
	json_object_set_new(object, "outlook",
			    call->frame->forecast ? make_outlook(&call->forecast) : json_null());
	return object;
}

bool json_followed(const struct stack *stack, const struct followed_call *calls, size_t n,
		   FILE *out, struct err *err)
{
	json_t *root = json_object(), *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, make_followed(&calls[i]));
	json_object_set_new(root, "fathom", json_integer(1));
	json_object_set_new(root, "pid", json_integer(stack->pid));
	json_object_set_new(root, "program", json_value_text(stack->program));
	json_object_set_new(root, "calls", list);
	json_object_set_new(root, "notes", json_value_texts(stack->notes, stack->n_notes));
	return json_value_write(root, out, err);
}
