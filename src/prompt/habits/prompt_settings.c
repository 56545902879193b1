/* The commands set, show, help and apropos. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/host.h"
#include "prompt/prompt_commands.h"
#include "prompt/prompt_run.h"
#include "prompt/prompt_text.h"

enum { LIST_SIZE_MAX = 100000 };

/* A setting; @value is the words behind its name. */
struct setting {
	const char *name;
	bool (*set)(struct prompt *prompt, const char *value, struct err *err);
	void (*show)(const struct prompt *prompt);
};

static bool switch_parse(const char *value, const char *name, bool *ret, struct err *err)
{
	*ret = !*value || !strcmp(value, "on") || !strcmp(value, "1") || !strcmp(value, "yes");
	return *ret || !strcmp(value, "off") || !strcmp(value, "0") || !strcmp(value, "no") ||
	       err_set(err, ERR_USAGE, "on or off? as in set %s off", name);
}

static bool args_set(struct prompt *prompt, const char *value, struct err *err)
{
	struct prompt_arguments arguments = {.text = value};
	struct line_word *words;

	if (!shell_words_split(value, prompt->spare, &words, &arguments.n, err))
		return false;
	arguments.words = words;
	return prompt_needs_program(prompt, err) && prompt_set_arguments(prompt, &arguments, err);
}

static void args_show(const struct prompt *prompt)
{
	prompt_say("The arguments of the program: %s",
		   prompt->arguments && prompt->arguments[1]
			   ? host_quote(prompt->spare, prompt->arguments + 1)
			   : "none");
}

static bool confirm_set(struct prompt *prompt, const char *value, struct err *err)
{
	bool is_on;

	if (!switch_parse(value, "confirm", &is_on, err))
		return false;
	prompt->is_sure = !is_on;
	return true;
}

static void confirm_show(const struct prompt *prompt)
{
	printf("Questions are %s.\n", prompt->is_sure ? "not asked" : "asked, on a terminal");
}

static bool list_size_set(struct prompt *prompt, const char *value, struct err *err)
{
	char *end;
	const unsigned long n = strtoul(value, &end, 10);

	if (*end || !n || n > LIST_SIZE_MAX)
		return err_set(err, ERR_USAGE, "how many lines? as in set listsize 20");
	prompt->list_size = (unsigned)n;
	return true;
}

static void list_size_show(const struct prompt *prompt)
{
	printf("list shows %u lines.\n", prompt_list_size(prompt));
}

static bool pagination_set(struct prompt *prompt, const char *value, struct err *err)
{
	bool is_on;

	(void)prompt;
	return switch_parse(value, "pagination", &is_on, err);
}

static void pagination_show(const struct prompt *prompt)
{
	(void)prompt;
	puts("Nothing is shown by pages.");
}

static const char *const probe_names[] = {[PROBES_STOPS] = "stops",
					  [PROBES_PADS] = "pads",
					  [PROBES_AUTO] = "auto",
					  [PROBES_HARDWARE] = "hardware"};

/* Probes that cannot be lifted for a while keep no budget. */
static void overhead_adapt(struct prompt *prompt, enum session_probes before)
{
	struct options *options = &prompt->options;

	if (before != PROBES_HARDWARE)
		prompt->max_overhead = options->max_overhead;
	options->max_overhead = options->probes == PROBES_HARDWARE ? 0 : prompt->max_overhead;
}

static bool probes_set(struct prompt *prompt, const char *value, struct err *err)
{
	static const char words[] = "stops pads auto hardware";
	const enum session_probes before = prompt->options.probes;
	char word[16];

	if (strchr(value, ' '))
		return err_set(err, ERR_USAGE, "one of %s: as in set probes pads", words);
	if (!*value) {
		printf("%s\n", probe_names[prompt->options.probes]);
		return true;
	}
	if (!shell_find_word(value, words, "what notices calls", word, sizeof(word), err))
		return false;
	prompt->options.probes = PROBES_STOPS;
	while (strcmp(probe_names[prompt->options.probes], word) != 0)
		prompt->options.probes++;
	overhead_adapt(prompt, before);
	if (prompt->m)
		message_note("this process is measured as before; the next one by %s", word);
	return true;
}

static void probes_show(const struct prompt *prompt)
{
	printf("Calls are noticed by: %s\n", probe_names[prompt->options.probes]);
}

static const struct setting settings[] = {
	{"args", args_set, args_show},
	{"confirm", confirm_set, confirm_show},
	{"listsize", list_size_set, list_size_show},
	{"pagination", pagination_set, pagination_show},
	{"probes", probes_set, probes_show},
};

enum { SETTINGS = sizeof(settings) / sizeof(*settings) };

static const struct setting *setting_find(const struct prompt_arguments *arguments, struct err *err)
{
	const char *typed = arguments->n ? arguments->words[0].text : "";
	char word[16];

	if (!strncmp(typed, "var", 3) || strchr(arguments->text, '=')) {
		err_set(err, ERR_USAGE,
			"fathom does not change what the program has: print shows it");
		return NULL;
	}
	if (!shell_find_word(typed, SHELL_SETTINGS, "what can be set", word, sizeof(word), err))
		return NULL;
	for (size_t i = 0; i < SETTINGS; i++)
		if (!strcmp(settings[i].name, word))
			return &settings[i];
	return NULL;
}

bool prompt_set(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const struct prompt_arguments name = {.text = arguments->n ? arguments->words[0].text : "",
					      .words = arguments->words,
					      .n = arguments->n};
	const bool is_args = arguments->n && !strcmp(arguments->words[0].text, "args");
	const struct setting *setting = setting_find(is_args ? &name : arguments, err);

	return setting &&
	       setting->set(
		       prompt,
		       shell_words_rest(arguments->text, arguments->words[0].end, prompt->spare) +
			       (arguments->n > 1 ? arguments->words[1].at - arguments->words[0].end
						 : 0),
		       err);
}

bool prompt_show(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const struct setting *setting;

	for (size_t i = 0; !arguments->n && i < SETTINGS; i++)
		settings[i].show(prompt);
	if (!arguments->n)
		return true;
	setting = setting_find(arguments, err);
	if (setting)
		setting->show(prompt);
	return setting;
}

bool prompt_help(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const struct shell_command *command;
	const struct prompt_script *script;

	if (!arguments->n || !strcmp(arguments->words[0].text, "all")) {
		shell_find_print_all(NULL, stdout);
		for (size_t i = 0; i < prompt->n_scripts; i++)
			if (prompt->scripts[i]->name)
				printf("%-10s Defined here\n", prompt->scripts[i]->name);
		return true;
	}
	script = prompt_find_script(prompt, arguments->words[0].text, 0);
	for (size_t i = 0; script && i < script->n; i++)
		prompt_say("%s", script->lines[i]);
	if (script)
		return true;
	if (!shell_find(arguments->words[0].text, &command, err))
		return false;
	shell_find_print_help(command, stdout);
	return true;
}

bool prompt_apropos(struct prompt *prompt, const struct prompt_arguments *arguments,
		    struct err *err)
{
	(void)prompt;
	if (!arguments->n)
		return err_set(err, ERR_USAGE, "which word? as in apropos thread");
	return shell_find_print_all(arguments->words[0].text, stdout) ||
	       err_set(err, ERR_NOT_FOUND, "no command's help has \"%.60s\"",
		       arguments->words[0].text);
}
