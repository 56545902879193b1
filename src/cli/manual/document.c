/* What all documents need from the tables. Their formats are in document_man.c and so on. */
#include "document.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *word;
	enum option_value value;
} argument_words[] = {
	{"PROG", VALUE_PROGRAM},     {"PID", VALUE_PID},          {"PROFILE", VALUE_PROFILE},
	{"OLD", VALUE_PROFILE},      {"NEW", VALUE_PROFILE},      {"ANNOTATIONS", VALUE_FILE},
	{"CSV", VALUE_FILE},         {"FILE", VALUE_FILE},        {"ARG", VALUE_FILE},
	{"PATTERN", VALUE_FUNCTION}, {"FUNCTION", VALUE_FUNCTION}};

/* An unknown word is text: no completion. */
static unsigned document_kind_of(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof(argument_words) / sizeof(*argument_words); i++)
		if (strlen(argument_words[i].word) == n && !memcmp(argument_words[i].word, word, n))
			return 1u << argument_words[i].value;
	return 1u << VALUE_TEXT;
}

static unsigned kinds_of(const char *names)
{
	unsigned kinds = 0;

	while (*names) {
		const size_t n = strcspn(names, "|");

		kinds |= document_kind_of(names, n);
		names += n + (names[n] == '|');
	}
	return kinds;
}

/* A word of a usage, such as "[PATTERN]", "CSV..." or "PROFILE|--". */
static struct document_argument document_read_word(const char *word, size_t n)
{
	struct document_argument argument = {.repeats = memmem(word, n, "...", 3)};
	size_t filled = 0;

	for (size_t i = 0; i < n && filled < sizeof(argument.name) - 1; i++)
		if (isalnum((unsigned char)word[i]) || strchr("=|_", word[i]))
			argument.name[filled++] = word[i];
	while (filled && argument.name[filled - 1] == '|')
		argument.name[--filled] = '\0';
	argument.kinds = kinds_of(argument.name);
	return argument;
}

size_t document_arguments(const struct command_usage *usage,
			  struct document_argument ret[DOCUMENT_ARGUMENTS])
{
	const char *at = usage->arguments;
	size_t n = 0;

	while (*at && n < DOCUMENT_ARGUMENTS) {
		const size_t length = strcspn(at, " ");
		const bool ends = length >= 2 && !memcmp(at + length - 2, "--", 2);

		if (length > 2 || !ends)
			ret[n++] = document_read_word(at, length);
		if (ends && n)
			break;
		at += length + strspn(at + length, " ");
	}
	return n;
}

bool document_launches(const struct command_usage *usage)
{
	return strstr(usage->arguments, "-- PROG");
}

bool document_has_option(const struct command_usage *usage, size_t i)
{
	size_t before;

	if (!(option_table[i].commands & usage->bit))
		return false;
	for (before = 0; before < i; before++)
		if (option_table[before].commands & usage->bit &&
		    !strcmp(option_table[before].name, option_table[i].name))
			return false;
	return true;
}

bool document_has_letter(const struct option_row *row)
{
	return row->letter;
}

const char *document_print_to_mark(const char *text, FILE *out)
{
	while (*text) {
		const size_t n = strcspn(text, "\n") + 1;

		if (!strncmp(text + strspn(text, "\t"), "#:", 2))
			return text + n;
		fwrite(text, 1, n, out);
		text += n;
	}
	return text;
}
