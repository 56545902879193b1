/* Finding commands in shell_table.c by name or abbreviation, and printing their help. */
#include <string.h>

#include "core/cxx_name.h"
#include "shell_table.h"

/* Commands of gdb that are not here, and what is. */
static const struct {
	const char *names; /* separated by blanks */
	const char *instead;
} absent_commands[] = {
	{"n next s step ni nexti si stepi u until advance",
	 "fathom does not step: break stops where a call begins, finish where it returns, and "
	 "continue 5 ms after a time"},
	{"watch rwatch awatch catch tcatch",
	 "fathom stops at calls: probe FUNCTION stop if CONDITION stops at those with a value"},
	{"call jump return compile checkpoint",
	 "fathom does not change what the program does: print shows values, finish goes on to a "
	 "return"},
	{"python py pi guile tui layout focus winheight",
	 "fathom has no such language or screen: define makes commands, explore shows samples"},
	{"gcore generate-core-file core-file",
	 "fathom makes no core files: save keeps the samples"},
	{"make", "shell make runs it"},
	{"handle signal", "signals go to the program as ever: info signals"},
	{"record reverse-continue reverse-step reverse-finish rc rs",
	 "fathom does not go back: probe FUNCTION stop if CONDITION stops in time"},
	{"disassemble disas", "fathom shows no instructions: list shows the source"},
	{"tty", "run > FILE and < FILE redirect the program's input and output"},
	{"silent", "it is the first line behind commands"},
	{"end", "it ends the lines of commands and define, and there are none"},
};

static const char *next_word(const char *at, size_t *ret_n)
{
	at += strspn(at, " ");
	*ret_n = strcspn(at, " ");
	return at;
}

static bool begins(const char *name, const char *word)
{
	return !strncmp(name, word, strlen(word));
}

static bool has_word(const char *words, const char *word)
{
	const char *at = words ? words : "";
	size_t n;

	for (at = next_word(at, &n); n; at = next_word(at + n, &n))
		if (strlen(word) == n && !strncmp(at, word, n))
			return true;
	return false;
}

/* What there is instead of gdb's command @word; NULL: it is none of those that are not here. */
static const char *find_absent(const char *word)
{
	for (size_t i = 0; i < sizeof(absent_commands) / sizeof(*absent_commands); i++)
		if (has_word(absent_commands[i].names, word))
			return absent_commands[i].instead;
	return NULL;
}

/* A letter in four may be wrong: `call` is no `kill`. */
static bool refuse_unknown(const char *word, struct err *err)
{
	const char *nearest = NULL;
	size_t least = (strlen(word) + 1) / 4 + 1;

	if (find_absent(word))
		return err_set(err, ERR_USAGE, "there is no %s here: %s", word, find_absent(word));
	for (size_t i = 0; i < SHELL_COMMAND_COUNT; i++) {
		const size_t distance = cxx_name_distance(shell_table[i].name, word, least);

		if (distance < least) {
			least = distance;
			nearest = shell_table[i].name;
		}
	}
	if (nearest)
		return err_set(err, ERR_USAGE, "there is no command \"%.60s\"; did you mean %s?",
			       word, nearest);
	return err_set(err, ERR_USAGE, "there is no command \"%.60s\": help lists them", word);
}

static bool refuse_ambiguous(const char *word, struct err *err)
{
	char names[256] = "";

	for (size_t i = 0; i < SHELL_COMMAND_COUNT; i++)
		if (begins(shell_table[i].name, word) &&
		    strlen(names) + strlen(shell_table[i].name) + 3 < sizeof(names)) {
			strcat(names, *names ? ", " : "");
			strcat(names, shell_table[i].name);
		}
	return err_set(err, ERR_USAGE, "\"%s\" may be any of %s", word, names);
}

bool shell_find(const char *word, const struct shell_command **ret, struct err *err)
{
	const struct shell_command *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < SHELL_COMMAND_COUNT; i++) {
		const struct shell_command *command = &shell_table[i];

		if (!strcmp(command->name, word) || has_word(command->shorts, word)) {
			*ret = command;
			return true;
		}
		if (begins(command->name, word) && !find_absent(word)) {
			found = command;
			n++;
		}
	}
	if (n == 0 || !*word)
		return refuse_unknown(word, err);
	if (n > 1)
		return refuse_ambiguous(word, err);
	*ret = found;
	return true;
}

bool shell_find_word(const char *word, const char *words, const char *what, char *ret, size_t size,
		     struct err *err)
{
	const char *at, *found = NULL;
	size_t n, n_found = 0, found_length = 0;

	for (at = next_word(words, &n); n; at = next_word(at + n, &n)) {
		if (strlen(word) > n || strncmp(at, word, strlen(word)) != 0)
			continue;
		n_found++;
		found = at;
		found_length = n;
		if (strlen(word) == n) {
			n_found = 1;
			break;
		}
	}
	if (n_found != 1 || !*word || found_length >= size)
		return err_set(err, ERR_USAGE, "%s is one of: %s; not \"%.60s\"", what, words,
			       word);
	memcpy(ret, found, found_length);
	ret[found_length] = '\0';
	return true;
}

static bool mentions(const struct shell_command *command, const char *word)
{
	return strcasestr(command->name, word) || strcasestr(command->summary, word) ||
	       (command->details && strcasestr(command->details, word));
}

size_t shell_find_print_all(const char *word, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < SHELL_COMMAND_COUNT; i++) {
		if (word && !mentions(&shell_table[i], word))
			continue;
		fprintf(out, "%-10s %s\n", shell_table[i].name, shell_table[i].summary);
		n++;
	}
	if (!word)
		fputs("\nNames may be abbreviated; an empty line repeats the last command. help "
		      "COMMAND says more.\n",
		      out);
	return n;
}

void shell_find_print_help(const struct shell_command *command, FILE *out)
{
	fprintf(out, "%s%s%s", command->name, command->arguments ? " " : "",
		command->arguments ? command->arguments : "");
	if (command->shorts)
		fprintf(out, "   (short: %s)", command->shorts);
	fprintf(out, "\n%s.\n", command->summary);
	if (command->details)
		fprintf(out, "%s\n", command->details);
}
