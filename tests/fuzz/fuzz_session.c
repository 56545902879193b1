/*
 * Lines typed at the prompt, up to what its commands are given: the command, its words, the name of
 * a function among them, and what completes the word at the cursor. Each line of the input is one.
 */
#include <string.h>

#include "base/arena.h"
#include "fuzz.h"
#include "shell/shell_completion.h"
#include "shell/shell_words.h"

/* Words follow one another in the line; written in quotes, each is itself. */
static void words_check(const char *line, const struct line_word *words, size_t n,
			struct arena *arena)
{
	const size_t length = strlen(line);
	size_t last = 0, n_again;
	struct line_word *again;
	const char *name;
	struct err err;

	for (size_t i = 0; i < n; i++) {
		const struct line_word *word = &words[i];
		char *quoted = arena_alloc(arena, 2 * strlen(word->text) + 3), *to = quoted;

		FUZZ_EXPECT(word->at >= last && word->end > word->at && word->end <= length);
		FUZZ_EXPECT(strlen(word->text) <= word->end - word->at);
		last = word->end;
		*to++ = '"';
		for (const char *from = word->text; *from; *to++ = *from++)
			if (*from == '"' || *from == '\\')
				*to++ = '\\';
		strcpy(to, "\"");
		FUZZ_EXPECT(strlen(quoted) > WORDS_LINE_MAX ||
			    (shell_words_split(quoted, arena, &again, &n_again, &err) &&
			     n_again == 1 && !strcmp(again->text, word->text)));
		FUZZ_EXPECT(shell_words_function(line, word, n - i, arena, &name) <= n - i);
		FUZZ_EXPECT(strlen(name) <= length);
	}
}

static void completion_check(const char *line, size_t cursor)
{
	const struct completion found = shell_completion_find(line, cursor);

	FUZZ_EXPECT(found.at <= cursor && found.function_at <= found.function_end);
	FUZZ_EXPECT(found.function_end <= found.at);
	FUZZ_EXPECT(found.kind != SHELL_A_WORD || found.words);
}

static void line_check(const char *line)
{
	const size_t name = *line == '!' ? 1 : strcspn(line, " \t/"), length = strlen(line);
	struct arena *arena = arena_create();
	const struct shell_command *command = NULL;
	struct line_word *words = NULL;
	const char *rest;
	size_t n = 0;
	struct err err = {0};

	if (!shell_find(arena_printf(arena, "%.*s", (int)name, line), &command, &err))
		FUZZ_EXPECT(!command && err.code != ERR_NONE && !strchr(err.text, '\n'));
	rest = shell_words_rest(line, name, arena);
	FUZZ_EXPECT(strlen(rest) <= length - name);
	if (shell_words_split(rest, arena, &words, &n, &err))
		words_check(rest, words, n, arena);
	else
		FUZZ_EXPECT(err.code == ERR_USAGE && err.text[0]);
	for (size_t cursor = 0; cursor <= length; cursor += 1 + length / 16)
		completion_check(line, cursor);
	arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena *arena = arena_create();
	char *text = arena_alloc(arena, n + 1), *rest = text;

	if (n)
		memcpy(text, bytes, n);
	text[n] = '\0';
	while (rest) {
		const char *line = strsep(&rest, "\n");

		line_check(line + strspn(line, " \t"));
	}
	arena_destroy(arena);
	return 0;
}
