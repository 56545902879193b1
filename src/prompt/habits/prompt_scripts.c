/* Commands of commands: define, alias, commands; and what a halt calls for. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/message.h"
#include "prompt/prompt_commands.h"

enum { NESTING_OF_SCRIPTS_MAX = 16, LINES_MAX = 10000 };

static struct prompt_script *script_renew(struct prompt *prompt, const char *name, unsigned probe)
{
	struct prompt_script *script = prompt_find_script(prompt, name, probe);

	if (!script) {
		prompt->scripts = mem_grow(prompt->scripts, &prompt->scripts_capacity,
					   prompt->n_scripts + 1, sizeof(*prompt->scripts));
		script = mem_alloc(sizeof(*script));
		script->name = name ? arena_strdup(prompt->arena, name) : NULL;
		script->probe = probe;
		prompt->scripts[prompt->n_scripts++] = script;
	}
	script->n = 0;
	return script;
}

static void script_add(struct prompt *prompt, struct prompt_script *script, const char *line)
{
	script->lines =
		mem_grow(script->lines, &script->capacity, script->n + 1, sizeof(*script->lines));
	script->lines[script->n++] = arena_strdup(prompt->arena, line);
}

void prompt_forget_scripts(struct prompt *prompt)
{
	for (size_t i = 0; i < prompt->n_scripts; i++) {
		free(prompt->scripts[i]->lines);
		free(prompt->scripts[i]);
	}
	free(prompt->scripts);
}

void prompt_collect(struct prompt *prompt, const char *line)
{
	const size_t n = strcspn(line, " \t");

	if (n == 3 && !strncmp(line, "end", n) && !line[n + strspn(line + n, " \t")])
		prompt->collecting = NULL;
	else if (prompt->collecting->n < LINES_MAX)
		script_add(prompt, prompt->collecting, line);
}

/* A name for a new command. */
static bool check_new_name(const char *name, struct err *err)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_' && *at != '-')
			return err_set(err, ERR_USAGE, "\"%.40s\" is no name of a command", name);
	for (size_t i = 0; i < SHELL_COMMAND_COUNT; i++)
		if (!strcmp(shell_table[i].name, name))
			return err_set(err, ERR_USAGE, "%s is a command already: take another name",
				       name);
	return true;
}

bool prompt_define(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	if (arguments->n != 1)
		return err_set(err, ERR_USAGE,
			       "which command? as in define twice; its lines follow, then end");
	if (!check_new_name(arguments->words[0].text, err))
		return false;
	prompt->collecting = script_renew(prompt, arguments->words[0].text, 0);
	return true;
}

bool prompt_alias(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const struct shell_command *command;
	const char *meant;

	if (arguments->n < 3 || strcmp(arguments->words[1].text, "=") != 0)
		return err_set(err, ERR_USAGE, "which name for what? as in alias bw = break work");
	meant = shell_words_rest(arguments->text, arguments->words[2].at, prompt->spare);
	if (!check_new_name(arguments->words[0].text, err) ||
	    !shell_find(arguments->words[2].text, &command, err))
		return false;
	script_add(prompt, script_renew(prompt, arguments->words[0].text, 0),
		   arena_printf(prompt->spare, "%s $*", meant));
	return true;
}

bool prompt_commands(struct prompt *prompt, const struct prompt_arguments *arguments,
		     struct err *err)
{
	unsigned long number = prompt->last_number;
	char *end = "";

	if (arguments->n)
		number = strtoul(arguments->words[0].text, &end, 10);
	for (size_t i = 0; i < prompt->n_probes && !*end; i++)
		if (prompt->probes[i]->number == number) {
			if (!prompt->probes[i]->stops)
				message_note("probe %lu does not stop: break, or probe ... stop "
					     "does",
					     number);
			prompt->collecting = script_renew(prompt, NULL, (unsigned)number);
			return true;
		}
	return err_set(err, ERR_NOT_FOUND, "there is no such probe: info probes lists them");
}

/* @line with $arg0, $argc and $* replaced. */
static const char *substitute(const char *line, const struct line_word *words, size_t n,
			      const char *all, struct arena *arena)
{
	struct text text = {.n = 0};
	const char *ret;

	while (*line) {
		const bool is_word = !strncmp(line, "$arg", 4) && isdigit((unsigned char)line[4]);
		const size_t number = is_word ? (size_t)(line[4] - '0') : 0;
		const size_t length = is_word || !strncmp(line, "$argc", 5) ? 5
				      : !strncmp(line, "$*", 2)             ? 2
									    : 0;

		if (!length)
			text_add(&text, line++, 1);
		else if (is_word)
			text_add_string(&text, number < n ? words[number].text : "");
		else
			text_add_string(&text, length == 2 ? all : arena_printf(arena, "%zu", n));
		line += length;
	}
	ret = arena_strdup(arena, text.bytes ? text.bytes : "");
	text_deinit(&text);
	return ret;
}

bool prompt_run_script(struct prompt *prompt, const struct prompt_script *script, const char *text,
		       struct err *err)
{
	const char *all = shell_words_rest(text, strspn(text, " \t"), prompt->spare);
	const size_t n_lines = script->n;
	struct line_word *words;
	bool ok = true;
	size_t n;

	if (!shell_words_split(all, prompt->spare, &words, &n, err))
		return false;
	if (prompt->depth == NESTING_OF_SCRIPTS_MAX)
		return err_set(err, ERR_USAGE, "%s: commands call each other too deeply",
			       script->name);
	prompt->depth++;
	for (size_t i = 0; ok && i < n_lines && i < script->n && !prompt->is_over; i++)
		ok = prompt->execute(
			prompt, substitute(script->lines[i], words, n, all, prompt->spare), err);
	prompt->depth--;
	return ok;
}

bool prompt_is_silent(const struct prompt *prompt, unsigned probe)
{
	const struct prompt_script *script = probe ? prompt_find_script(prompt, NULL, probe) : NULL;

	return script && script->n && !strcmp(script->lines[0], "silent");
}

static void show_displays(struct prompt *prompt)
{
	struct err err;

	for (size_t i = 0; i < prompt->n_displays; i++) {
		if (!prompt->displays[i])
			continue;
		printf("%zu: ", i + 1);
		if (!prompt->execute(prompt,
				     arena_printf(prompt->spare, "print %s", prompt->displays[i]),
				     &err))
			printf("%s: (%s)\n", prompt->displays[i], err.text);
	}
}

bool prompt_display(struct prompt *prompt, const struct prompt_arguments *arguments,
		    struct err *err)
{
	(void)err;
	if (!*arguments->text) {
		show_displays(prompt);
		return true;
	}
	prompt->displays = mem_grow(prompt->displays, &prompt->displays_capacity,
				    prompt->n_displays + 1, sizeof(*prompt->displays));
	prompt->displays[prompt->n_displays++] = arena_strdup(prompt->arena, arguments->text);
	if (!prompt->m)
		return true;
	printf("%zu: ", prompt->n_displays);
	return prompt->execute(prompt, arena_printf(prompt->spare, "print %s", arguments->text),
			       err);
}

bool prompt_undisplay(struct prompt *prompt, const struct prompt_arguments *arguments,
		      struct err *err)
{
	if (!arguments->n)
		prompt->n_displays = 0;
	for (size_t i = 0; i < arguments->n; i++) {
		char *end;
		const unsigned long number = strtoul(arguments->words[i].text, &end, 10);

		if (*end || !number || number > prompt->n_displays || !prompt->displays[number - 1])
			return err_set(err, ERR_NOT_FOUND,
				       "there is no display %.40s: info display lists them",
				       arguments->words[i].text);
		prompt->displays[number - 1] = NULL;
	}
	return true;
}

/* What follows a command that lets the process go on is not executed. */
static bool run_lines(struct prompt *prompt, const struct prompt_script *script, struct err *err)
{
	const size_t n = script->n;

	for (size_t i = prompt_is_silent(prompt, script->probe); i < n && i < script->n; i++) {
		if (!prompt->execute(prompt, script->lines[i], err))
			return false;
		if (prompt->has_halted || !prompt->m || prompt->is_over)
			break;
	}
	return true;
}

bool prompt_tell_halt(struct prompt *prompt, struct err *err)
{
	bool ok = true;

	if (prompt->is_telling)
		return true;
	prompt->is_telling = true;
	while (ok && prompt->has_halted && prompt->m) {
		const struct prompt_script *script =
			prompt->stopped_by ? prompt_find_script(prompt, NULL, prompt->stopped_by)
					   : NULL;

		prompt->has_halted = false;
		if (!prompt_is_silent(prompt, prompt->stopped_by))
			show_displays(prompt);
		if (script)
			ok = run_lines(prompt, script, err);
	}
	prompt->is_telling = false;
	return ok;
}
