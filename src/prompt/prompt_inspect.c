/* Where the threads of the halted process are, with the source. inspect/ reads its stacks. */
#include "prompt_inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/source_file.h"
#include "inspect/halted_stack.h"
#include "trace/session_halt.h"

enum { FRAMES_SHOWN = 8, LINE_WIDTH = 300 };

/*
 * The innermost frame of the program itself, which says more than the place where a library waits;
 * else the innermost of all.
 */
static const struct stack_frame *find_frame(const struct stack *stack,
					    const struct stack_thread *thread)
{
	for (size_t i = 0; stack->program && i < thread->n_frames; i++)
		if (thread->frames[i].module && thread->frames[i].function &&
		    !strcmp(thread->frames[i].module, stack->program))
			return &thread->frames[i];
	return thread->n_frames ? &thread->frames[0] : NULL;
}

FILE *prompt_inspect_source(struct prompt *prompt, const char *file)
{
	if (!prompt->sought || strcmp(prompt->sought, file) != 0) {
		prompt->sought = arena_strdup(prompt->arena, file);
		prompt->found = source_file_find(prompt->arena, file, prompt->path);
	}
	return prompt->found ? fopen(prompt->found, "re") : NULL;
}

unsigned prompt_inspect_lines(FILE *source, unsigned first, unsigned n, unsigned marked, FILE *out)
{
	size_t capacity = 0;
	char *line = NULL;
	unsigned at = 0, shown = 0;

	while (shown < n && getline(&line, &capacity, source) > 0) {
		if (++at < first)
			continue;
		line[strcspn(line, "\r\n")] = '\0';
		for (char *tab = line; (tab = strchr(tab, '\t'));)
			*tab = ' ';
		if (strlen(line) > LINE_WIDTH)
			line[LINE_WIDTH] = '\0';
		fprintf(out, "%c%5u  ", at == marked ? '>' : ' ', at);
		text_print_safe(out, line);
		fputc('\n', out);
		shown++;
	}
	free(line);
	return shown;
}

static void print_frame_place(const struct stack_frame *frame, FILE *out)
{
	text_print_safe(out, frame->function ? frame->function : "?");
	if (frame->file) {
		fputs(" at ", out);
		text_print_safe(out, frame->file);
		fprintf(out, ":%u", frame->line);
	} else if (frame->module) {
		fputs(" in ", out);
		text_print_safe(out, frame->module);
	}
}

/* Print the frame's source line. False: its source cannot be opened. */
static bool print_frame_line(struct prompt *prompt, const struct stack_frame *frame, FILE *out)
{
	FILE *source =
		frame->file && frame->line ? prompt_inspect_source(prompt, frame->file) : NULL;

	if (!source)
		return false;
	prompt_inspect_lines(source, frame->line, 1, frame->line, out);
	fclose(source);
	prompt->listed = arena_strdup(prompt->arena, frame->file);
	prompt->listed_line = frame->line > prompt_list_size(prompt) / 2
				      ? frame->line - prompt_list_size(prompt) / 2
				      : 1;
	prompt->listed_from = prompt->listed_line;
	return true;
}

void prompt_print_frame(struct prompt *prompt, const struct stack_frame *frame, size_t index,
			FILE *out)
{
	fprintf(out, "  #%-2zu ", index);
	print_frame_place(frame, out);
	fputc('\n', out);
	print_frame_line(prompt, frame, out);
}

/* How many frames there are up to main(): what called it says nothing. */
static size_t frames_to_main(const struct stack_thread *thread)
{
	size_t n = 0;

	while (n < thread->n_frames &&
	       (!thread->frames[n].function || strcmp(thread->frames[n].function, "main") != 0))
		n++;
	return n < thread->n_frames ? n + 1 : n;
}

/* Print the first FRAMES_SHOWN frames, and the source line of the first that has one. */
static void print_short_stack(struct prompt *prompt, const struct stack_thread *thread, FILE *out)
{
	const size_t n = frames_to_main(thread);
	bool shown = false;

	for (size_t i = 0; i < n && i < FRAMES_SHOWN; i++) {
		const struct stack_frame *frame = &thread->frames[i];

		fprintf(out, "  #%-2zu ", i);
		print_frame_place(frame, out);
		fputc('\n', out);
		shown = shown || print_frame_line(prompt, frame, out);
	}
	if (n > FRAMES_SHOWN)
		fprintf(out, "  and %zu more: backtrace shows all\n", n - FRAMES_SHOWN);
}

void prompt_print_place(struct prompt *prompt, FILE *out)
{
	const struct stack_thread *thread;
	const struct stack *stack;
	struct err ignored;

	stack = prompt_stack(prompt, &ignored);
	if (!stack)
		return;
	thread = halted_stack_thread(stack, prompt->thread);
	if (thread)
		print_short_stack(prompt, thread, out);
}

static const char *activity(const struct stack_thread *thread, struct arena *arena)
{
	switch (thread->activity) {
	case STACK_RUNS:
		return "runs";
	case STACK_WAITS:
		if (thread->wait.what)
			return thread->wait.what;
		return thread->wait.call ? arena_printf(arena, "in %s", thread->wait.call)
					 : "in a system call";
	case STACK_STOPPED:
		return "stopped by a signal";
	case STACK_ASLEEP:
		return "in the kernel, where it cannot be interrupted";
	case STACK_MISSED:
		return "not stopped yet";
	}
	return "?";
}

static void prompt_print_thread(struct prompt *prompt, const struct stack *stack, size_t index,
				FILE *out)
{
	const struct stack_thread *thread = &stack->threads[index];
	const struct stack_frame *frame = find_frame(stack, thread);

	fprintf(out, "%c %-3zu %-8d ", thread->tid == prompt->thread ? '*' : ' ', index + 1,
		(int)thread->tid);
	text_print_safe(out, thread->name ? thread->name : "");
	fputs("  ", out);
	text_print_safe(out, activity(thread, prompt->spare));
	if (frame) {
		fputs(", in ", out);
		print_frame_place(frame, out);
	}
	fputc('\n', out);
}

bool prompt_print_threads(struct prompt *prompt, FILE *out, struct err *err)
{
	const struct stack *stack = prompt_stack(prompt, err);

	if (!stack)
		return false;
	for (size_t i = 0; i < stack->n_threads; i++)
		prompt_print_thread(prompt, stack, i, out);
	return true;
}
