/* What info tells of the chosen frame, and of the program's code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "inspect/frame_look.h"
#include "inspect/halted_stack.h"
#include "prompt/prompt_commands.h"
#include "prompt/prompt_inspect.h"
#include "prompt/prompt_text.h"

/* The chosen frame. */
static const struct stack_frame *chosen_frame(struct prompt *prompt, struct frame_look **ret_look,
					      struct err *err)
{
	const struct stack_thread *thread;

	if (!prompt_look(prompt, ret_look, err))
		return NULL;
	thread = halted_stack_thread(frame_look_stack(*ret_look), prompt->thread);
	if (thread && prompt->frame < thread->n_frames)
		return &thread->frames[prompt->frame];
	err_set(err, ERR_NOT_FOUND, "thread %d has no frame that is known", (int)prompt->thread);
	return NULL;
}

bool prompt_info_frame(struct prompt *prompt, const struct prompt_arguments *arguments,
		       struct err *err)
{
	struct frame_look *look;
	const struct stack_frame *frame = chosen_frame(prompt, &look, err);

	(void)arguments;
	if (!frame)
		return false;
	prompt_print_frame(prompt, frame, prompt->frame, stdout);
	printf("rip is 0x%lx", frame->pc);
	if (frame->cfa)
		printf("; the caller's stack begins at 0x%lx", frame->cfa);
	puts(frame->is_inlined ? "; inlined in the next frame" : "");
	return true;
}

bool prompt_info_registers(struct prompt *prompt, const struct prompt_arguments *arguments,
			   struct err *err)
{
	const struct frame_place place = {prompt->thread, prompt->frame};
	struct frame_look *look;

	(void)arguments;
	if (!chosen_frame(prompt, &look, err))
		return false;
	frame_look_print_registers(look, &place, stdout);
	return true;
}

bool prompt_info_source(struct prompt *prompt, const struct prompt_arguments *arguments,
			struct err *err)
{
	struct frame_look *look;
	const struct stack_frame *frame = chosen_frame(prompt, &look, err);

	(void)arguments;
	if (!frame)
		return false;
	if (frame->file)
		prompt_say("%s:%u, of %s", frame->file, frame->line, frame->module);
	else
		prompt_say("No source is known of this frame%s%s.", frame->module ? ", in " : "",
			   frame->module ? frame->module : "");
	return true;
}

bool prompt_info_files(struct prompt *prompt, const struct prompt_arguments *arguments,
		       struct err *err)
{
	struct frame_look *look;

	(void)arguments;
	if (!chosen_frame(prompt, &look, err))
		return false;
	puts("From               File");
	frame_look_print_files(look, stdout);
	return true;
}

bool prompt_info_symbol(struct prompt *prompt, const struct prompt_arguments *arguments,
			struct err *err)
{
	if (arguments->n < 2)
		return err_set(err, ERR_USAGE, "of which address? as in info symbol $rip");
	return prompt->execute(
		prompt,
		arena_printf(
			prompt->spare, "print/a %s",
			shell_words_rest(arguments->text, arguments->words[1].at, prompt->spare)),
		err);
}

/* Where the functions that are called so begin. */
bool prompt_info_line(struct prompt *prompt, const struct prompt_arguments *arguments,
		      struct err *err)
{
	const char *pattern =
		arguments->n > 1
			? shell_words_rest(arguments->text, arguments->words[1].at, prompt->spare)
			: "main";
	struct catalogue *catalogue;

	if (!prompt_catalogue(prompt, pattern, &catalogue, err))
		return false;
	for (size_t i = 0; i < catalogue->n_functions; i++) {
		const struct function *function = &catalogue->functions[i];

		if (function->file && function->line)
			prompt_say("%s begins in line %u of %s.", function->name, function->line,
				   function->file);
		else
			prompt_say("Where %s is in the source is not known.", function->name);
	}
	catalogue_destroy(catalogue);
	return true;
}

bool prompt_info_signals(struct prompt *prompt, const struct prompt_arguments *arguments,
			 struct err *err)
{
	(void)prompt;
	(void)arguments;
	(void)err;
	puts("Every signal goes to the program as if fathom was not there. One that would end it, "
	     "or stop it, halts it first, and is delivered by continue; so does Ctrl-C, which it "
	     "does not get.");
	return true;
}
