/* Words for functions of one name. They follow from the function, so they are found again. */
#include "namesakes.h"

#include <ctype.h>
#include <string.h>

/* From the most telling one on; each is "" if there is none. */
enum { WORD_PART, WORD_LINKAGE, WORD_FILE, WORD_PLACE, WORDS };

struct words {
	const char *of[WORDS];
};

/* "resume" of "_Z4worki.resume", "part.0" of "_Z4worki.part.0" */
static const char *find_part(const char *linkage)
{
	const char *last = strrchr(linkage, '.');

	if (!last)
		return "";
	return isalpha((unsigned char)last[1]) ? last + 1 : strchr(linkage, '.') + 1;
}

static void words_find(const struct namesake *namesake, struct arena *arena, struct words *ret)
{
	const char *linkage = namesake->linkage ? namesake->linkage : "";
	const char *file = namesake->file ? namesake->file : "";
	const char *slash = strrchr(file, '/');

	file = slash ? slash + 1 : file;
	*ret = (struct words){{find_part(linkage), linkage, file,
			       *file ? arena_printf(arena, "%s:%u", file, namesake->line) : ""}};
}

static struct namesake namesake_of(const struct annotation *annotation)
{
	return (struct namesake){annotation->function, annotation->linkage, annotation->file,
				 annotation->line};
}

static bool is_other(const struct annotation *a, const struct annotation *b)
{
	return a->metric == b->metric && a != b && !strcmp(a->function, b->function);
}

/* The first kind of words in which @one differs from all others of its name; WORDS: it has none. */
static unsigned choose_word(struct annotation *const *list, const struct words *words, size_t n,
			    size_t one)
{
	bool alone = true;
	unsigned kind;
	size_t i;

	for (i = 0; i < n; i++)
		alone &= !is_other(list[one], list[i]);
	for (kind = 0; !alone && kind < WORDS; kind++) {
		for (i = 0; i < n; i++)
			if (is_other(list[one], list[i]) &&
			    !strcmp(words[one].of[kind], words[i].of[kind]))
				break;
		if (i == n)
			return kind;
	}
	return WORDS;
}

void namesakes_tell_apart(struct annotation *const *list, size_t n)
{
	struct arena *arena = arena_create();
	struct words *words = arena_array(arena, struct words, n + 1);
	unsigned *kinds = arena_array(arena, unsigned, n + 1);
	struct namesake namesake;

	for (size_t i = 0; i < n; i++) {
		namesake = namesake_of(list[i]);
		words_find(&namesake, arena, &words[i]);
	}
	for (size_t i = 0; i < n; i++)
		kinds[i] = choose_word(list, words, n, i);
	for (size_t i = 0; i < n; i++)
		if (kinds[i] < WORDS && *words[i].of[kinds[i]])
			list[i]->function = arena_printf(list[i]->arena, "%s [%s]",
							 list[i]->function, words[i].of[kinds[i]]);
	arena_destroy(arena);
}

/* The length of @function without a word. */
static size_t find_plain(const char *function)
{
	const size_t n = strlen(function);
	const char *at = function + n;

	if (!n || at[-1] != ']')
		return n;
	while (at > function && *at != '[')
		at--;
	return at > function + 1 && at[-1] == ' ' ? (size_t)(at - 1 - function) : n;
}

enum namesakes namesakes_match(const char *function, const struct namesake *namesake)
{
	const size_t n = strlen(namesake->name);
	enum namesakes match = NAMESAKES_OTHER;
	struct arena *arena;
	struct words words;
	unsigned kind;

	if (strncmp(function, namesake->name, n) != 0 || (function[n] && find_plain(function) != n))
		return NAMESAKES_OTHER;
	arena = arena_create();
	words_find(namesake, arena, &words);
	if (!function[n])
		match = *words.of[WORD_PART] ? NAMESAKES_ALIKE : NAMESAKES_SAME;
	for (kind = 0; kind < WORDS && function[n]; kind++)
		if (!strcmp(function + n, arena_printf(arena, " [%s]", words.of[kind])))
			match = NAMESAKES_SAME;
	arena_destroy(arena);
	return match;
}

/* Parts have no dot, or a number behind it. */
static bool is_file(const char *word, size_t n)
{
	const char *dot = memrchr(word, '.', n);

	return *word != '_' && dot && isalpha((unsigned char)dot[1]);
}

const char *namesakes_pattern(const char *function, struct arena *arena)
{
	const size_t n = find_plain(function);
	const char *word = function[n] ? function + n + strlen(" [") : "";
	const size_t length = strcspn(word, ":]");

	if (is_file(word, length))
		return arena_printf(arena, "%.*s:%.*s", (int)length, word, (int)n, function);
	return arena_printf(arena, "%.*s", (int)n, function);
}
