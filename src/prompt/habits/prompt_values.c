/* Values of the halted process: print, x, whatis, ptype. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/metric.h"
#include "inspect/frame_look.h"
#include "inspect/halted_stack.h"
#include "prompt/prompt_call.h"
#include "prompt/prompt_commands.h"
#include "prompt/prompt_condition.h"
#include "prompt/prompt_text.h"

enum { FRAMES_TRIED = 64 };

/* The chosen frame, to be asked. */
static bool look_at_frame(struct prompt *prompt, struct frame_look **ret_look,
			  struct frame_place *ret, struct err *err)
{
	*ret = (struct frame_place){prompt->thread, prompt->frame};
	return prompt_look(prompt, ret_look, err);
}

/* "/4xw" in front of @text; the rest is an expression. */
static bool parse_format(const char **text, struct frame_format *ret, struct err *err)
{
	static const char sizes[] = "b.h.w...g";
	const char *at = *text + 1, *size;
	char *end;

	if (**text != '/')
		return true;
	if (isdigit((unsigned char)*at)) {
		ret->count = (unsigned)strtoul(at, &end, 10);
		at = end;
	}
	for (; isalpha((unsigned char)*at); at++) {
		size = strchr(sizes, *at);
		if (size)
			ret->size = *at == 'b' ? 1 : *at == 'h' ? 2 : *at == 'w' ? 4 : 8;
		else if (strchr("xduotcas", *at))
			ret->letter = *at;
		else
			return err_set(err, ERR_USAGE,
				       "/%c is no format: x, d, u, o, t, c, a or s, and b, h, w or "
				       "g for sizes",
				       *at);
	}
	*text = at + strspn(at, " \t");
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
		prompt_say("%s = %.*g   (in %s)", value->expression,
			   value->type == FEATURE_FLOAT ? 10 : 17, value->value.number,
			   frame->function);
}

/* Print a value from the frames of the thread, as `backtrace` shows it. */
static bool print_from_stack(struct prompt *prompt, const struct stack *stack,
			     const char *expression)
{
	const struct stack_thread *thread = halted_stack_thread(stack, prompt->thread);
	bool found = false;

	for (size_t i = 0; thread && i < thread->n_frames && !found; i++)
		for (size_t j = 0; j < thread->frames[i].n_values && !found; j++) {
			const struct stack_value *value = &thread->frames[i].values[j];

			if (strcmp(value->expression, expression) != 0 &&
			    (!value->object || strcmp(value->object, expression) != 0))
				continue;
			found = true;
			prompt_print_value(value, &thread->frames[i]);
		}
	return found;
}

/* Print the metric @name of a returned call. */
static bool prompt_print_cost(const struct prompt_call *call, const char *name)
{
	const enum metric metric = metric_parse_measured(name);
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
	const struct stack_frame *frame = prompt_frame_of(prompt, call);
	bool found = false;

	for (size_t i = 0; frame && i < frame->n_values && !found; i++) {
		found = frame->values[i].text && !strcmp(frame->values[i].object, name);
		if (found)
			prompt_print_value(&frame->values[i], frame);
	}
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
		if (!strcmp(known.list[i].name, name) && !strstr(known.list[i].expression, " != 0"))
			return known.list[i].expression;
	return name;
}

/* As the measured call has it: a feature, a cost, the name that output has for one. */
static bool print_of_call(struct prompt *prompt, const char *name)
{
	struct prompt_call call;

	return !prompt->frame && prompt_find_call(prompt, &call) &&
	       (print_feature(prompt, &call, name) || prompt_print_cost(&call, name) ||
		print_text(prompt, &call, name) ||
		print_feature(prompt, &call, meant_by(prompt, &call, name)));
}

/*
 * In the chosen frame; if none was chosen, in the innermost one where the expression has a meaning.
 */
static bool print_in_frames(struct prompt *prompt, const char *expression,
			    struct frame_format format, struct err *err)
{
	const struct stack_thread *thread;
	struct frame_place place;
	struct frame_look *look;
	char *text = NULL;
	bool found = false;
	struct err other;
	size_t size, n;
	FILE *out;

	if (!look_at_frame(prompt, &look, &place, err))
		return false;
	thread = halted_stack_thread(frame_look_stack(look), prompt->thread);
	n = prompt->frame || !thread ? 1 : thread->n_frames;
	out = open_memstream(&text, &size);
	*err = (struct err){.code = ERR_NONE};
	for (size_t i = 0; out && i < n && i < FRAMES_TRIED && !found; i++) {
		place.frame = prompt->frame + i;
		found = frame_look_print(look, &place, expression, format, out, i ? &other : err);
		if (err->code == ERR_FORMAT)
			break;
	}
	if (out)
		fclose(out);
	if (found && place.frame == prompt->frame)
		prompt_say("%s = %s", expression, text);
	else if (found)
		prompt_say("%s = %s   (in %s)", expression, text,
			   thread->frames[place.frame].function);
	else
		found = print_from_stack(prompt, frame_look_stack(look), expression) ||
			err_add(err, "%s", expression);
	free(text);
	return found;
}

/* Is it an assignment? */
static bool assigns(const char *expression)
{
	for (const char *at = expression; (at = strchr(at, '=')); at++) {
		if (at[1] == '=')
			at++;
		else if (at == expression || !strchr("!<>", at[-1]))
			return true;
		else if (at - 1 > expression && at[-2] == at[-1])
			return true; /* <<= */
	}
	return strstr(expression, "++") || strstr(expression, "--");
}

static bool print_all(struct prompt *prompt, struct err *err)
{
	struct prompt_call call;

	if (!prompt_find_call(prompt, &call))
		return err_set(
			err, ERR_USAGE,
			"no measured call is open in thread %d: print EXPRESSION shows a value, "
			"backtrace what there is",
			(int)prompt->thread);
	prompt_say(!call.metrics                ? "%s, as it began:"
		   : call.exit == CALL_RETURNED ? "%s, as it returned:"
						: "%s, as it was left:",
		   call.function->name);
	prompt_print_features(prompt, &call, NULL, stdout);
	return true;
}

bool prompt_print(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	struct frame_format format = {.letter = 0};
	const char *text = arguments->text;

	if (!prompt_needs_process(prompt, err) || !parse_format(&text, &format, err))
		return false;
	if (!*text)
		return print_all(prompt, err);
	if (!format.letter && print_of_call(prompt, text))
		return true;
	if (assigns(text))
		return err_set(err, ERR_USAGE,
			       "fathom does not change what the program has: == compares");
	return print_in_frames(prompt, text, format, err);
}

bool prompt_examine(struct prompt *prompt, const struct prompt_arguments *arguments,
		    struct err *err)
{
	struct frame_format format = {.letter = 'x', .count = 1};
	const char *text = arguments->text;
	struct frame_place place;
	struct frame_look *look;
	bool ok;

	if (!parse_format(&text, &format, err))
		return false;
	if (!*text)
		return err_set(err, ERR_USAGE, "which address? as in x/4xw &table");
	if (!look_at_frame(prompt, &look, &place, err))
		return false;
	ok = frame_look_examine(look, &place, text, format, stdout, err);
	return ok;
}

static bool print_type(struct prompt *prompt, const struct prompt_arguments *arguments, bool whole,
		       struct err *err)
{
	struct frame_place place;
	struct frame_look *look;
	bool ok;

	if (!*arguments->text)
		return err_set(err, ERR_USAGE, "of what? as in whatis box");
	if (!look_at_frame(prompt, &look, &place, err))
		return false;
	fputs("type = ", stdout);
	ok = frame_look_type(look, &place, arguments->text, whole, stdout, err);
	if (!ok)
		puts("?");
	return ok;
}

bool prompt_whatis(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	return print_type(prompt, arguments, false, err);
}

bool prompt_ptype(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	return print_type(prompt, arguments, true, err);
}

static bool print_variables(struct prompt *prompt, enum frame_variables which, const char *what,
			    struct err *err)
{
	struct frame_place place;
	struct frame_look *look;

	if (!look_at_frame(prompt, &look, &place, err))
		return false;
	if (!frame_look_print_variables(look, &place, which, "", stdout))
		printf("No %s are known in this frame.\n", what);
	return true;
}

bool prompt_info_locals(struct prompt *prompt, const struct prompt_arguments *arguments,
			struct err *err)
{
	(void)arguments;
	return print_variables(prompt, FRAME_LOCALS, "local variables", err);
}

bool prompt_info_args(struct prompt *prompt, const struct prompt_arguments *arguments,
		      struct err *err)
{
	(void)arguments;
	return print_variables(prompt, FRAME_PARAMETERS, "parameters", err);
}
