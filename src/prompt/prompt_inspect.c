/* Inspect the halted process: backtrace, thread, print, list. inspect/ reads its stacks. */
#include "prompt_inspect.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/source_file.h"
#include "prompt_call.h"
#include "prompt_commands.h"
#include "core/metric.h"
#include "prompt_condition.h"
#include "prompt_text.h"
#include "inspect/halted_stack.h"
#include "trace/session_halt.h"

enum { LINES_SHOWN = 10, FRAMES_SHOWN = 8, LINE_WIDTH = 300 };

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

/* Print @thread as a stack of one thread. */
static void print_one(const struct stack *stack, const struct stack_thread *thread, FILE *out)
{
	struct stack_thread own = *thread;
	struct stack one = *stack;

	one.threads = &own;
	one.n_threads = 1;
	stack_print(&one, STACK_FRAMES, out);
}

bool prompt_backtrace(struct prompt *prompt, const struct prompt_arguments *arguments,
		      struct err *err)
{
	const struct stack_thread *thread;
	struct stack *stack;
	char word[8];

	if (!prompt_needs_process(prompt, err) ||
	    (arguments->n &&
	     !shell_find_word(arguments->words[0].text, "all", "the argument of backtrace", word,
			      sizeof(word), err)) ||
	    !halted_stack_take(prompt_session(prompt), &prompt->options, &stack, err))
		return false;
	thread = halted_stack_thread(stack, prompt->thread);
	if (arguments->n || !thread)
		stack_print(stack, STACK_FRAMES, stdout);
	else
		print_one(stack, thread, stdout);
	stack_destroy(stack);
	return true;
}

static FILE *open_source(struct prompt *prompt, const char *file)
{
	const char *path = source_file_find(prompt->spare, file, prompt->path);

	return path ? fopen(path, "re") : NULL;
}

/* Print @n lines from @first on, marking line @marked. Returns how many it printed. */
static unsigned print_lines(FILE *source, unsigned first, unsigned n, unsigned marked, FILE *out)
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
	FILE *source = frame->file && frame->line ? open_source(prompt, frame->file) : NULL;

	if (!source)
		return false;
	print_lines(source, frame->line, 1, frame->line, out);
	fclose(source);
	prompt->listed = arena_strdup(prompt->arena, frame->file);
	prompt->listed_line = frame->line > LINES_SHOWN / 2 ? frame->line - LINES_SHOWN / 2 : 1;
	return true;
}

/* Print the first FRAMES_SHOWN frames, and the source line of the first that has one. */
static void print_short_stack(struct prompt *prompt, const struct stack_thread *thread, FILE *out)
{
	bool shown = false;

	for (size_t i = 0; i < thread->n_frames && i < FRAMES_SHOWN; i++) {
		const struct stack_frame *frame = &thread->frames[i];

		fprintf(out, "  #%-2zu ", i);
		print_frame_place(frame, out);
		fputc('\n', out);
		shown = shown || print_frame_line(prompt, frame, out);
	}
	if (thread->n_frames > FRAMES_SHOWN)
		fprintf(out, "  and %zu more: backtrace shows all\n",
			thread->n_frames - FRAMES_SHOWN);
}

void prompt_print_place(struct prompt *prompt, FILE *out)
{
	const struct stack_thread *thread;
	struct stack *stack;
	struct err ignored;

	if (!prompt->m ||
	    !halted_stack_take(prompt_session(prompt), &prompt->options, &stack, &ignored))
		return;
	thread = halted_stack_thread(stack, prompt->thread);
	if (thread)
		print_short_stack(prompt, thread, out);
	stack_destroy(stack);
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

static void prompt_print_thread(struct prompt *prompt, const struct stack *stack,
				const struct stack_thread *thread, FILE *out)
{
	const struct stack_frame *frame = find_frame(stack, thread);

	fprintf(out, "%c %-8d ", thread->tid == prompt->thread ? '*' : ' ', (int)thread->tid);
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
	struct stack *stack;

	if (!prompt_needs_process(prompt, err) ||
	    !halted_stack_take(prompt_session(prompt), &prompt->options, &stack, err))
		return false;
	for (size_t i = 0; i < stack->n_threads; i++)
		prompt_print_thread(prompt, stack, &stack->threads[i], out);
	stack_destroy(stack);
	return true;
}

bool prompt_thread(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	struct stack *stack;
	char *end;
	long tid;
	bool found;

	if (!prompt_needs_process(prompt, err))
		return false;
	if (!arguments->n) {
		printf("Thread %d is looked at.\n", (int)prompt->thread);
		return true;
	}
	tid = strtol(arguments->words[0].text, &end, 10);
	if (!halted_stack_take(prompt_session(prompt), &prompt->options, &stack, err))
		return false;
	found = !*end && halted_stack_thread(stack, tid);
	stack_destroy(stack);
	if (!found)
		return err_set(err, ERR_NOT_FOUND,
			       "there is no thread %.40s: info threads lists them",
			       arguments->words[0].text);
	prompt_forget_call(prompt);
	prompt->thread = tid;
	prompt_print_place(prompt, stdout);
	return true;
}

static void prompt_print_value(const struct stack_value *value, const struct stack_frame *frame)
{
	if (value->value.absence != PRESENT)
		prompt_say("%s = (%s)   (in %s)", value->expression, value->why, frame->function);
	else if (value->text)
		prompt_say("%s = %s   (in %s)", value->object, value->text, frame->function);
	else if (value->label)
		prompt_say("%s = %s   (in %s)", value->expression, value->label, frame->function);
	else
		prompt_say("%s = %.10g   (in %s)", value->expression, value->value.number,
			   frame->function);
}

/* Print a value from the frames of the thread, as `backtrace` shows it. */
static bool print_from_stack(struct prompt *prompt, const char *expression, struct err *err)
{
	const struct stack_thread *thread;
	struct stack *stack;
	bool found = false;

	if (!halted_stack_take(prompt_session(prompt), &prompt->options, &stack, err))
		return false;
	thread = halted_stack_thread(stack, prompt->thread);
	for (size_t i = 0; thread && i < thread->n_frames && !found; i++)
		for (size_t j = 0; j < thread->frames[i].n_values && !found; j++) {
			const struct stack_value *value = &thread->frames[i].values[j];

			if (strcmp(value->expression, expression) != 0 &&
			    (!value->object || strcmp(value->object, expression) != 0))
				continue;
			found = true;
			prompt_print_value(value, &thread->frames[i]);
		}
	stack_destroy(stack);
	return found ||
	       err_set(err, ERR_NOT_FOUND, "no call that is open in thread %d has a feature %.100s",
		       (int)prompt->thread, expression);
}

/* Print the metric @name of a returned call. */
static bool prompt_print_cost(const struct prompt_call *call, const char *name)
{
	const enum metric metric = metric_parse(name);
	char amount[METRIC_AMOUNT];

	if (!call->metrics || metric == METRIC_COUNT || call->metrics[metric].absence != PRESENT)
		return false;
	prompt_say("%s = %s%s", name, call->was_halted ? "at least " : "",
		   metric_amount(metric, call->metrics[metric].number, amount));
	return true;
}

static bool print_feature(struct prompt *prompt, const struct prompt_call *call,
			  const char *expression)
{
	for (size_t i = 0; i < call->function->n_features; i++)
		if (!strcmp(call->function->features[i].expression, expression)) {
			prompt_print_features(prompt, call, expression, stdout);
			return true;
		}
	return false;
}

/* Print the string or function that @name is in the frame of @call. */
static bool print_text(struct prompt *prompt, const struct prompt_call *call, const char *name)
{
	struct stack *stack;
	const struct stack_frame *frame = prompt_frame_of(prompt, call, &stack);
	bool found = false;

	for (size_t i = 0; frame && i < frame->n_values && !found; i++) {
		found = frame->values[i].text && !strcmp(frame->values[i].object, name);
		if (found)
			prompt_print_value(&frame->values[i], frame);
	}
	stack_destroy(stack);
	return found;
}

/* The expression that output calls @name. */
static const char *meant_by(struct prompt *prompt, const struct prompt_call *call, const char *name)
{
	const struct catalogue one = {.functions = call->function, .n_functions = 1};
	const struct condition_known known = prompt_known_names(prompt, &one, prompt->spare);
	const char *class = arena_printf(prompt->spare, "typeid(*%s)", name);

	for (size_t i = 0; i < call->function->n_features; i++)
		if (!strcmp(call->function->features[i].expression, class))
			return class;
	for (size_t i = 0; i < known.n; i++)
		if (!strcmp(known.list[i].name, name))
			return known.list[i].expression;
	return name;
}

bool prompt_print(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	struct prompt_call call;

	if (!prompt_needs_process(prompt, err))
		return false;
	if (!prompt_find_call(prompt, &call)) {
		if (*arguments->text)
			return print_from_stack(prompt, arguments->text, err);
		return err_set(
			err, ERR_USAGE,
			"no measured call is open in thread %d: backtrace shows what there is",
			(int)prompt->thread);
	}
	if (!*arguments->text) {
		prompt_say(!call.metrics                ? "%s, as it began:"
			   : call.exit == CALL_RETURNED ? "%s, as it returned:"
							: "%s, as it was left:",
			   call.function->name);
		prompt_print_features(prompt, &call, NULL, stdout);
		return true;
	}
	if (print_feature(prompt, &call, arguments->text) ||
	    prompt_print_cost(&call, arguments->text) ||
	    print_text(prompt, &call, arguments->text) ||
	    print_feature(prompt, &call, meant_by(prompt, &call, arguments->text)))
		return true;
	return print_from_stack(prompt, arguments->text, err);
}

static bool list_at(struct prompt *prompt, struct err *err)
{
	FILE *source = open_source(prompt, prompt->listed);
	unsigned shown;

	if (!source)
		return err_set(err, ERR_IO,
			       "the source file %s is not there: list FILE:LINE takes its path",
			       prompt->listed);
	shown = print_lines(source, prompt->listed_line, LINES_SHOWN, 0, stdout);
	fclose(source);
	if (!shown)
		return err_set(err, ERR_USAGE, "%s has no line %u", prompt->listed,
			       prompt->listed_line);
	prompt->listed_line += shown;
	return true;
}

static void list_from(struct prompt *prompt, const char *file, unsigned line)
{
	prompt->listed = arena_strdup(prompt->arena, file);
	prompt->listed_line = line > LINES_SHOWN / 2 ? line - LINES_SHOWN / 2 : 1;
}

/* Is @text a place like "parser.c:12"? */
static bool prompt_is_place(const char *text, struct arena *arena, const char **ret_file,
			    unsigned *ret_line)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || colon[-1] == ':' || !isdigit((unsigned char)colon[1]) ||
	    colon[1 + strspn(colon + 1, "0123456789")])
		return false;
	*ret_file = arena_printf(arena, "%.*s", (int)(colon - text), text);
	*ret_line = strtoul(colon + 1, NULL, 10);
	return true;
}

static bool find_source(struct prompt *prompt, const char *pattern, struct err *err)
{
	const struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = 1,
		.ambiguous = true,
		.debuginfo_path = prompt->options.debuginfo_path,
	};
	struct catalogue *catalogue;
	bool found = false;

	if (!prompt_needs_program(prompt, err) ||
	    !catalogue_build(prompt->interpreter ? prompt->interpreter : prompt->path, &request,
			     &catalogue, err))
		return false;
	for (size_t i = 0; i < catalogue->n_functions && !found; i++) {
		const struct function *function = &catalogue->functions[i];

		found = function->file && function->line;
		if (found)
			list_from(prompt, function->file, function->line);
	}
	catalogue_destroy(catalogue);
	return found ||
	       err_set(err, ERR_NOT_FOUND, "where %.100s is in the source is not known", pattern);
}

/* The path in debug information of the source file that the user calls @file. */
static const char *full_name(struct prompt *prompt, const char *file)
{
	FILE *source = open_source(prompt, file);
	struct err ignored;

	if (source) {
		fclose(source);
		return file;
	}
	if (prompt->program &&
	    find_source(prompt, arena_printf(prompt->spare, "%s:*", file), &ignored))
		return prompt->listed;
	return file;
}

bool prompt_list(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const char *file;
	unsigned line;

	if (arguments->n && prompt_is_place(arguments->words[0].text, prompt->spare, &file, &line))
		list_from(prompt, full_name(prompt, file), line);
	else if (arguments->n && !find_source(prompt, arguments->words[0].text, err))
		return false;
	if (!prompt->listed && !find_source(prompt, "main", err))
		return false;
	return list_at(prompt, err);
}
