/* Threads and frames of the halted process: backtrace, thread, frame, up, down. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/frame_look.h"
#include "inspect/halted_stack.h"
#include "prompt/prompt_call.h"
#include "prompt/prompt_commands.h"
#include "prompt/prompt_inspect.h"

/* Print @thread as a stack of one thread. */
static void print_one(const struct stack *stack, const struct stack_thread *thread, FILE *out)
{
	struct stack_thread own = *thread;
	struct stack one = *stack;

	one.threads = &own;
	one.n_threads = 1;
	stack_print(&one, STACK_FRAMES, out);
}

/* The frames to show: [from, to) of @n; @limit 0: all, negative: the outermost ones. */
static void limit_frames(long limit, size_t n, size_t *ret_from, size_t *ret_to)
{
	*ret_from = limit < 0 && (size_t)-limit < n ? n - (size_t)-limit : 0;
	*ret_to = limit > 0 && (size_t)limit < n ? (size_t)limit : n;
}

static void print_thread_frames(struct frame_look *look, const struct stack_thread *thread,
				long limit, bool full, FILE *out)
{
	struct frame_place place = {.thread = thread->tid};
	size_t from, to;

	limit_frames(limit, thread->n_frames, &from, &to);
	for (size_t i = from; i < to; i++) {
		stack_print_frame(&thread->frames[i], i, out);
		place.frame = i;
		if (full)
			frame_look_print_variables(look, &place, FRAME_LOCALS, "          ", out);
	}
	if (to < thread->n_frames)
		fprintf(out, "  and %zu more\n", thread->n_frames - to);
}

/* "full", a number of frames, or both. */
static bool parse_limit(const struct prompt_arguments *arguments, long *ret_limit, bool *ret_full,
			struct err *err)
{
	for (size_t i = 0; i < arguments->n; i++) {
		const char *text = arguments->words[i].text;
		char *end;
		const long limit = strtol(text, &end, 10);

		if (!strcmp(text, "full"))
			*ret_full = true;
		else if (*text && !*end && limit && limit > -1000000 && limit < 1000000)
			*ret_limit = limit;
		else
			return err_set(err, ERR_USAGE,
				       "\"%.40s\" is none of: all, full, a number of frames (-3: "
				       "the outermost)",
				       text);
	}
	return true;
}

bool prompt_backtrace(struct prompt *prompt, const struct prompt_arguments *arguments,
		      struct err *err)
{
	const bool all = arguments->n == 1 && !strcmp(arguments->words[0].text, "all");
	const struct stack_thread *thread;
	struct frame_look *look;
	bool full = false;
	long limit = 0;

	if ((!all && !parse_limit(arguments, &limit, &full, err)) ||
	    !prompt_look(prompt, &look, err))
		return false;
	thread = halted_stack_thread(frame_look_stack(look), prompt->thread);
	if (all || !thread)
		stack_print(frame_look_stack(look), STACK_FRAMES, stdout);
	else if (arguments->n)
		print_thread_frames(look, thread, limit, full, stdout);
	else
		print_one(frame_look_stack(look), thread, stdout);
	return true;
}

/* The thread that gdb would number so, or with that id; 0: none. */
static pid_t find_thread(const struct stack *stack, const char *text)
{
	char *end;
	const long number = strtol(text, &end, 10);

	if (!*text || *end || number < 1)
		return 0;
	if ((size_t)number <= stack->n_threads)
		return stack->threads[number - 1].tid;
	return halted_stack_thread(stack, (pid_t)number) ? (pid_t)number : 0;
}

static bool refuse_thread(const char *text, struct err *err)
{
	return err_set(err, ERR_NOT_FOUND, "there is no thread %.40s: info threads lists them",
		       text);
}

/* Execute the command behind the thread numbers, or `all`, for each of them. */
static bool thread_apply(struct prompt *prompt, const struct prompt_arguments *arguments,
			 const struct stack *stack, struct err *err)
{
	const pid_t before = prompt->thread;
	const size_t frame_before = prompt->frame, n_all = stack->n_threads;
	const bool all = arguments->n > 1 && !strcmp(arguments->words[1].text, "all");
	pid_t *tids = arena_array(prompt->spare, pid_t, n_all + arguments->n);
	size_t n = all ? 1 : 0;
	const char *command;
	bool ok = true;

	/* The command may let the process go on, which ends the stack. */
	for (size_t i = 0; all && i < n_all; i++)
		tids[i] = stack->threads[i].tid;
	while (!all && 1 + n < arguments->n &&
	       (tids[n] = find_thread(stack, arguments->words[1 + n].text)))
		n++;
	if (!n && arguments->n > 1)
		return refuse_thread(arguments->words[1].text, err);
	if (1 + n >= arguments->n)
		return err_set(err, ERR_USAGE, "what is to be done? as in thread apply all bt 3");
	command = shell_words_rest(arguments->text, arguments->words[1 + n].at, prompt->spare);
	for (size_t i = 0; ok && prompt->m && i < (all ? n_all : n); i++) {
		prompt_choose_thread(prompt, tids[i]);
		printf("\nThread %d:\n", (int)prompt->thread);
		ok = prompt->execute(prompt, command, err);
	}
	prompt->thread = before;
	prompt->frame = frame_before;
	return ok;
}

bool prompt_thread(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const struct stack *stack = prompt_stack(prompt, err);
	bool ok = true;
	pid_t tid = 0;

	if (!stack)
		return false;
	if (!arguments->n) {
		printf("Thread %d is looked at.\n", (int)prompt->thread);
		return true;
	}
	if (!strcmp(arguments->words[0].text, "apply"))
		ok = thread_apply(prompt, arguments, stack, err);
	else
		ok = (tid = find_thread(stack, arguments->words[0].text)) ||
		     refuse_thread(arguments->words[0].text, err);
	if (!tid)
		return ok;
	prompt_forget_call(prompt);
	prompt_choose_thread(prompt, tid);
	prompt_print_place(prompt, stdout);
	return true;
}

/* Choose frame @wanted of the thread, or the last there is, and show it. */
static bool frame_choose(struct prompt *prompt, size_t wanted, bool nearest, struct err *err)
{
	const struct stack_thread *thread;
	const struct stack *stack = prompt_stack(prompt, err);
	size_t n;

	if (!stack)
		return false;
	thread = halted_stack_thread(stack, prompt->thread);
	n = thread ? thread->n_frames : 0;
	if (n && wanted >= n && nearest && prompt->frame + 1 < n)
		wanted = n - 1;
	if (wanted < n) {
		prompt->frame = wanted;
		prompt_print_frame(prompt, &thread->frames[wanted], wanted, stdout);
	}
	return wanted < n || err_set(err, ERR_USAGE,
				     nearest ? "there is no frame further out"
					     : "there is no such frame: bt lists them");
}

/* How many frames to go; 1 without an argument. */
static bool parse_count(const struct prompt_arguments *arguments, size_t otherwise, size_t *ret,
			struct err *err)
{
	const char *text = arguments->n ? arguments->words[0].text : "";
	char *end;

	*ret = otherwise;
	if (!arguments->n)
		return true;
	*ret = strtoul(text, &end, 10);
	return (arguments->n == 1 && *text >= '0' && *text <= '9' && !*end && *ret < 1000000) ||
	       err_set(err, ERR_USAGE, "\"%.40s\" is no number of frames", text);
}

bool prompt_frame(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	size_t n;

	return parse_count(arguments, prompt->frame, &n, err) &&
	       frame_choose(prompt, n, false, err);
}

bool prompt_up(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	size_t n;

	return parse_count(arguments, 1, &n, err) &&
	       frame_choose(prompt, prompt->frame + n, true, err);
}

bool prompt_down(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	size_t n;

	if (!parse_count(arguments, 1, &n, err) || !prompt_needs_process(prompt, err))
		return false;
	if (!prompt->frame && n)
		return err_set(err, ERR_USAGE, "the innermost frame is chosen already");
	return frame_choose(prompt, prompt->frame > n ? prompt->frame - n : 0, false, err);
}
