/*
 * Helpers for all commands: checks for program, process and samples; interrupts; the clock.
 */
#include "prompt_state.h"

#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "cli/interrupt.h"
#include "inspect/frame_look.h"

enum { LINES_LISTED = 10 };

bool prompt_needs_program(const struct prompt *prompt, struct err *err)
{
	return prompt->program ||
	       err_set(err, ERR_USAGE,
		       "there is no program: file PROG takes one, attach PID a process");
}

bool prompt_catalogue(struct prompt *prompt, const char *pattern, struct catalogue **ret,
		      struct err *err)
{
	const struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = pattern ? 1 : 0,
		.ambiguous = true,
		.debuginfo_path = prompt->options.debuginfo_path,
	};

	return prompt_needs_program(prompt, err) &&
	       catalogue_build(prompt->interpreter ? prompt->interpreter : prompt->path, &request,
			       ret, err);
}

bool prompt_needs_process(const struct prompt *prompt, struct err *err)
{
	return prompt->m || err_set(err, ERR_USAGE,
				    "there is no process: run launches the program, attach PID "
				    "takes one that runs");
}

bool prompt_needs_none(const struct prompt *prompt, struct err *err)
{
	return !prompt->m ||
	       err_set(err, ERR_USAGE, "process %d is there already: kill or detach it first",
		       (int)session_process(prompt_session(prompt)));
}

bool prompt_needs_samples(struct prompt *prompt, struct err *err)
{
	const char *const *functions;

	if (prompt->m && !recorder_flush(prompt->m->recorder, err))
		return false;
	if (prompt->profile && profile_functions(prompt->profile, &functions) > 0)
		return true;
	return err_set(err, ERR_NOT_FOUND,
		       "there are no samples yet: probe FUNCTION, then run or continue");
}

bool prompt_ask(struct prompt *prompt, const char *question)
{
	return prompt->is_sure || shell_line_ask(prompt->reader, question);
}

unsigned prompt_list_size(const struct prompt *prompt)
{
	return prompt->list_size ? prompt->list_size : LINES_LISTED;
}

void prompt_choose_thread(struct prompt *prompt, pid_t thread)
{
	prompt->thread = thread;
	prompt->frame = 0;
}

struct prompt_script *prompt_find_script(const struct prompt *prompt, const char *name,
					 unsigned probe)
{
	for (size_t i = 0; i < prompt->n_scripts; i++) {
		struct prompt_script *script = prompt->scripts[i];

		if (name ? script->name && !strcmp(script->name, name)
			 : !script->name && script->probe == probe)
			return script;
	}
	return NULL;
}

bool prompt_look(struct prompt *prompt, struct frame_look **ret, struct err *err)
{
	if (!prompt_needs_process(prompt, err) ||
	    (!prompt->look &&
	     !frame_look_take(prompt_session(prompt), &prompt->options, &prompt->look, err)))
		return false;
	*ret = prompt->look;
	return true;
}

const struct stack *prompt_stack(struct prompt *prompt, struct err *err)
{
	struct frame_look *look;

	return prompt_look(prompt, &look, err) ? frame_look_stack(look) : NULL;
}

void prompt_forget_look(struct prompt *prompt)
{
	frame_look_destroy(prompt->look);
	prompt->look = NULL;
}

void prompt_note_interrupts(struct prompt *prompt, double seconds)
{
	interrupt_start(INTERRUPT_BY_TERMINAL, seconds);
	if (shell_line_take_interrupt(prompt->reader))
		raise(SIGINT);
}

uint64_t prompt_now_us(void)
{
	return clock_now_ns() / 1000;
}
