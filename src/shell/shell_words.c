/* Splitting lines into words. The commands know what words mean. */
#include "shell_words.h"

#include <string.h>

static const char blanks[] = " \t\r\n";

struct splitter {
	const char *at;
	char *to;
};

/* Copy a quoted part; false: it does not end. */
static bool copy_quoted(struct splitter *splitter)
{
	const char quote = *splitter->at++;

	while (*splitter->at && *splitter->at != quote) {
		if (quote == '"' && splitter->at[0] == '\\' && splitter->at[1] &&
		    strchr("\"\\", splitter->at[1]))
			splitter->at++;
		*splitter->to++ = *splitter->at++;
	}
	if (!*splitter->at)
		return false;
	splitter->at++;
	return true;
}

static bool copy_word(struct splitter *splitter)
{
	while (*splitter->at && !strchr(blanks, *splitter->at)) {
		if (*splitter->at == '\'' || *splitter->at == '"') {
			if (!copy_quoted(splitter))
				return false;
			continue;
		}
		if (splitter->at[0] == '\\' && splitter->at[1])
			splitter->at++;
		*splitter->to++ = *splitter->at++;
	}
	*splitter->to++ = '\0';
	return true;
}

bool shell_words_split(const char *line, struct arena *arena, struct line_word **ret, size_t *ret_n,
		       struct err *err)
{
	const size_t length = strlen(line);
	struct splitter splitter = {.at = line};
	struct line_word *words;
	size_t n = 0;

	if (length > WORDS_LINE_MAX)
		return err_set(err, ERR_USAGE, "the line is longer than %d characters",
			       WORDS_LINE_MAX);
	words = arena_array(arena, struct line_word, length / 2 + 2);
	splitter.to = arena_alloc(arena, 2 * length + 2);
	while (splitter.at += strspn(splitter.at, blanks), *splitter.at) {
		words[n].at = splitter.at - line;
		words[n].text = splitter.to;
		if (!copy_word(&splitter))
			return err_set(err, ERR_USAGE, "a quote has no end: %.60s",
				       line + words[n].at);
		words[n++].end = splitter.at - line;
	}
	*ret = words;
	*ret_n = n;
	return true;
}

const char *shell_words_rest(const char *line, size_t at, struct arena *arena)
{
	size_t end = strlen(line);

	while (end > at && strchr(blanks, line[end - 1]))
		end--;
	return at < end ? arena_printf(arena, "%.*s", (int)(end - at), line + at) : "";
}

/* How many parentheses and template arguments are open behind the first @n bytes of @text. */
static int open_brackets(const char *text, size_t n)
{
	static const char operator[] = "operator";
	int depth = 0;

	for (size_t i = 0; i < n; i++) {
		if (!strncmp(text + i, operator, strlen(operator))) {
			i += strlen(operator);
			i += text[i] == '(' ? 2 : strspn(text + i, "<=>-");
		}
		if (i >= n)
			break;
		depth += text[i] == '(' || text[i] == '<';
		depth -= text[i] == ')' || (text[i] == '>' && i && text[i - 1] != '-');
	}
	return depth;
}

size_t shell_words_function(const char *line, const struct line_word *words, size_t n,
			    struct arena *arena, const char **ret)
{
	const char *begin = n ? line + words[0].at : line;
	size_t used = n ? 1 : 0;

	*ret = n ? words[0].text : "";
	if (!n || *begin == '"' || *begin == '\'')
		return used;
	while (used < n && (open_brackets(begin, line + words[used - 1].end - begin) > 0 ||
			    !strcmp(words[used].text, "const")))
		used++;
	if (open_brackets(begin, line + words[used - 1].end - begin) > 0)
		return 1; /* they are never closed: it is something else */
	if (used > 1)
		*ret = arena_printf(arena, "%.*s", (int)(line + words[used - 1].end - begin),
				    begin);
	return used;
}
