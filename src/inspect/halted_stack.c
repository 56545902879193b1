/* Captures of a process that is halted already. */
#include "halted_stack.h"

#include <string.h>

#include "trace/session_halt.h"

static bool take_snapshot(void *self, pid_t pid, struct snapshot **ret, struct err *err)
{
	return session_snapshot(self, pid, ret, err);
}

struct catalogue_request halted_stack_request(const struct options *options)
{
	return (struct catalogue_request){
		.max_depth = 2,
		.max_features = 16,
		.globals = GLOBALS_NONE,
		.containers = options->containers,
		.debuginfo_path = options->debuginfo_path,
	};
}

struct stack_capture_source halted_stack_source(struct session *session)
{
	return (struct stack_capture_source){take_snapshot, session};
}

bool halted_stack_take(struct session *session, const struct options *options, struct stack **ret,
		       struct err *err)
{
	const struct catalogue_request request = halted_stack_request(options);
	const struct stack_capture_source source = halted_stack_source(session);
	const pid_t pid = session_process(session);

	if (!stack_capture_run_with(pid, &request, &source, ret, err))
		return false;
	if ((*ret)->n_threads)
		return true;
	stack_destroy(*ret);
	return err_set(err, ERR_TARGET,
		       "process %d has no threads any more: continue tells its end", (int)pid);
}

const struct stack_thread *halted_stack_thread(const struct stack *stack, pid_t tid)
{
	for (size_t i = 0; i < stack->n_threads; i++)
		if (stack->threads[i].tid == tid)
			return &stack->threads[i];
	return NULL;
}

const struct stack_frame *halted_stack_frame(const struct stack *stack, pid_t tid,
					     const char *function)
{
	const struct stack_thread *thread = halted_stack_thread(stack, tid);

	for (size_t i = 0; thread && i < thread->n_frames; i++)
		if (thread->frames[i].function && !strcmp(thread->frames[i].function, function))
			return &thread->frames[i];
	return NULL;
}
