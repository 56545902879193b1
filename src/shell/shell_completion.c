/* Decides what completes a word. shell_line.c offers the candidates through readline. */
#include "shell_completion.h"

#include <string.h>

static size_t word_begin(const char *line, size_t end)
{
	while (end > 0 && !strchr(COMPLETION_BREAKS, line[end - 1]))
		end--;
	return end;
}

static size_t skip(const char *line, size_t at, size_t end)
{
	while (at < end && strchr(COMPLETION_BREAKS, line[at]))
		at++;
	return at;
}

static size_t completion_word_end(const char *line, size_t at, size_t end)
{
	while (at < end && !strchr(COMPLETION_BREAKS, line[at]))
		at++;
	return at;
}

static const struct shell_command *command_at(const char *line, size_t at, size_t end)
{
	const struct shell_command *command;
	char word[32];
	struct err err;

	if (end - at >= sizeof(word))
		return NULL;
	memcpy(word, line + at, end - at);
	word[end - at] = '\0';
	return shell_find(word, &command, &err) ? command : NULL;
}

/* Behind `if` there is a condition, whatever the words before it. */
static bool is_behind_word(const char *line, size_t at, size_t end, const char *word)
{
	while ((at = skip(line, at, end)) < end) {
		const size_t next = completion_word_end(line, at, end);

		if (next - at == strlen(word) && !memcmp(line + at, word, next - at))
			return true;
		at = next;
	}
	return false;
}

static void find_argument(const char *line, size_t first_end, struct completion *ret)
{
	const struct shell_command *command = ret->command;
	size_t at = first_end, index = 0;

	while ((at = skip(line, at, ret->at)) < ret->at) {
		const size_t end = completion_word_end(line, at, ret->at);

		if (index == 0 || command->id == SHELL_INFO) {
			ret->function_at = at;
			ret->function_end = end;
		}
		index++;
		at = end;
	}
	ret->kind = command->takes[index < SHELL_ARGUMENTS ? index : SHELL_ARGUMENTS - 1];
	ret->words = command->words;
	if (command->id >= SHELL_BREAK && command->id <= SHELL_TPROBE &&
	    command->id != SHELL_CONDITION && index > 0 &&
	    !is_behind_word(line, first_end, ret->at, "if")) {
		ret->kind = SHELL_A_WORD;
		ret->words = command->id < SHELL_CONDITION                      ? "if"
			     : is_behind_word(line, first_end, ret->at, "stop") ? "if"
										: "stop if";
	}
	if (command->id == SHELL_PLOT && is_behind_word(line, first_end, ret->at, ">"))
		ret->kind = SHELL_A_FILE;
}

struct completion shell_completion_find(const char *line, size_t cursor)
{
	struct completion ret = {.at = word_begin(line, cursor)};
	const size_t first = skip(line, 0, cursor);
	const size_t first_end = completion_word_end(line, first, cursor);

	if (first >= ret.at) {
		ret.kind = SHELL_A_COMMAND;
		if (line[first] == '!' && first < cursor) {
			ret.kind = SHELL_A_FILE;
			ret.at = first + 1;
		}
		return ret;
	}
	ret.command =
		line[first] == '!' ? &shell_table[SHELL_SHELL] : command_at(line, first, first_end);
	if (ret.command)
		find_argument(line, first_end, &ret);
	return ret;
}
