/*
 * Helpers for all commands: checks for program, process and samples; interrupts; the clock.
 */
#include "prompt_state.h"

#include <signal.h>

#include "base/clock.h"
#include "cli/interrupt.h"

bool prompt_needs_program(const struct prompt *prompt, struct err *err)
{
	return prompt->program ||
	       err_set(err, ERR_USAGE,
		       "there is no program: file PROG takes one, attach PID a process");
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
