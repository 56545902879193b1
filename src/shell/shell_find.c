/* Finding commands in shell_table.c by name or abbreviation, and printing their help. */
#include <string.h>

#include "core/cxx_name.h"
#include "shell_table.h"

enum { NEAR = 3 };

static const char *next_word(const char *at, size_t *ret_n)
{
	at += strspn(at, " ");
	*ret_n = strcspn(at, " ");
	return at;
}

static bool has_short(const struct shell_command *command, const char *word)
{
	const char *at = command->shorts ? command->shorts : "";
	size_t n;

	for (at = next_word(at, &n); n; at = next_word(at + n, &n))
		if (strlen(word) == n && !strncmp(at, word, n))
			return true;
	return false;
}

static bool begins(const char *name, const char *word)
{
	return !strncmp(name, word, strlen(word));
}

static bool refuse_unknown(const char *word, struct err *err)
{
	const char *nearest = NULL;
	size_t least = NEAR;

	for (size_t i = 0; i < SHELL_COMMAND_COUNT; i++) {
		const size_t distance = cxx_name_distance(shell_table[i].name, word, NEAR);

		if (distance < least) {
			least = distance;
			nearest = shell_table[i].name;
		}
	}
	if (nearest && least < strlen(word))
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

		if (!strcmp(command->name, word) || has_short(command, word)) {
			*ret = command;
			return true;
		}
		if (begins(command->name, word)) {
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

void shell_find_print_all(FILE *out)
{
	for (size_t i = 0; i < SHELL_COMMAND_COUNT; i++)
		fprintf(out, "%-10s %s\n", shell_table[i].name, shell_table[i].summary);
	fputs("\nNames may be abbreviated; an empty line repeats the last command. help COMMAND "
	      "says more.\n",
	      out);
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
