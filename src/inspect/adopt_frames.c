/*
 * Maps frames of a stack (stack_capture.c) to calls of a session. follow_stuck.c decides when.
 */
#include "adopt_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/verdict/stack_annotations.h"
#include "trace/session_halt.h"

enum { PATTERNS_MAX = 4096 };

static bool may_be_followed(const struct stack_frame *frame)
{
	return frame->function && frame->linkage && frame->cfa && !frame->is_inlined &&
	       !frame->is_signal;
}

static const char *adopted_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool is_of_program(const struct stack *stack, const struct stack_frame *frame)
{
	return frame->declared_file && frame->module && stack->program &&
	       !strcmp(adopted_base_name(frame->module), adopted_base_name(stack->program));
}

static bool frame_is_adoptable(const struct stack *stack, const struct stack_frame *frame,
			       const struct annotation_list *annotations)
{
	if (!may_be_followed(frame))
		return false;
	return annotations->n ? stack_annotations_find(annotations, frame, stack->arena) != NULL
			      : is_of_program(stack, frame);
}

static size_t add_once(const char **list, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], text))
			return n;
	if (n < PATTERNS_MAX)
		list[n++] = text;
	return n;
}

size_t adopt_frames_patterns(const struct stack *stack, const struct annotation_list *annotations,
			     struct arena *arena, const char ***ret)
{
	size_t n = 0;

	*ret = arena_array(arena, const char *, PATTERNS_MAX);
	for (size_t i = 0; i < stack->n_threads; i++)
		for (size_t j = 0; j < stack->threads[i].n_frames; j++)
			if (frame_is_adoptable(stack, &stack->threads[i].frames[j], annotations))
				n = add_once(*ret, n, stack->threads[i].frames[j].linkage);
	return n;
}

/* A caller's address is behind its call instruction. */
static bool frame_is_of_function(const struct stack_frame *frame, bool is_innermost,
				 const struct function *function, const struct catalogue *catalogue)
{
	const uint64_t addr = frame->addr - (is_innermost ? 0 : 1);

	return !function->unmeasurable && !function->block && catalogue_contains(function, addr) &&
	       frame->module &&
	       !strcmp(adopted_base_name(frame->module),
		       adopted_base_name(catalogue->modules[function->module].path));
}

size_t adopt_frames_choose(const struct stack_thread *thread, const struct catalogue *catalogue,
			   unsigned *ret_function)
{
	/* The outermost frame has nowhere to return to. */
	for (size_t i = 0; i + 1 < thread->n_frames; i++) {
		if (!may_be_followed(&thread->frames[i]))
			continue;
		for (size_t j = 0; j < catalogue->n_functions; j++)
			if (frame_is_of_function(&thread->frames[i], i == 0,
						 &catalogue->functions[j], catalogue)) {
				*ret_function = (unsigned)j;
				return i;
			}
	}
	return thread->n_frames;
}

/* The adopted call of @thread with the frame at @cfa. */
static bool find_id(struct session *session, pid_t thread, uint64_t cfa, int64_t *ret)
{
	struct arena *arena = arena_create();
	struct session_open_call *calls;
	const size_t n = session_open_calls(session, arena, &calls);
	bool found = false;

	for (size_t i = 0; i < n && !found; i++) {
		found = calls[i].is_adopted && calls[i].thread == thread && calls[i].cfa == cfa;
		if (found)
			*ret = calls[i].id;
	}
	arena_destroy(arena);
	return found;
}

bool adopt_frames(struct session *session, const struct stack_thread *thread, size_t frame,
		  double at_most_us, const struct catalogue *catalogue, unsigned function,
		  int64_t *ret)
{
	const size_t n = catalogue->functions[function].n_features;
	struct value *features = mem_alloc((n + 1) * sizeof(*features));
	const struct session_adoption adoption = {
		.thread = thread->tid,
		.function = function,
		.cfa = thread->frames[frame].cfa,
		.return_address = thread->frames[frame + 1].pc,
		.features = features,
		.at_most_ns = isnan(at_most_us) || at_most_us > 1e15 ? INT64_MAX
								     : (int64_t)(at_most_us * 1e3),
	};
	bool ok;

	for (size_t i = 0; i < n; i++)
		features[i] = (struct value){.absence = ABSENT_NOT_MEASURED};
	ok = session_adopt(session, &adoption) && find_id(session, thread->tid, adoption.cfa, ret);
	free(features);
	return ok;
}
