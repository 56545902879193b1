/*
 * Nearest names by edit distance of plain names, which needs no demangling; qualified names of the
 * best break ties.
 */
#include "suggestions.h"

#include <stdlib.h>
#include <string.h>

#include "core/cxx_name.h"
#include "dwarf/file/die_name.h"
#include "die_walk.h"

enum {
	CONTAINED = 50, /* rank of a substring: worse than a few edits */
	FAR = 100,      /* not worth showing */
	NAME_MAX_SIZE = 255,
	WEIGHT = 1000, /* of the plain name's distance relative to the qualified one's */
	DEMANGLED_MAX = 20000,
};

struct near {
	const char *name;
	size_t score;
};

struct nearest {
	const struct elf_file *image;
	struct arena *arena;
	char plain[NAME_MAX_SIZE + 1]; /* in lower case */
	char qualified[NAME_MAX_SIZE + 1];
	struct near best[NEAREST_MAX]; /* nearest first */
	size_t n;
	size_t n_demangled;
};

static void lower(char to[NAME_MAX_SIZE + 1], const char *from, size_t n)
{
	if (n > NAME_MAX_SIZE)
		n = NAME_MAX_SIZE;
	for (size_t i = 0; i < n; i++)
		to[i] = (char)(from[i] >= 'A' && from[i] <= 'Z' ? from[i] - 'A' + 'a' : from[i]);
	to[n] = '\0';
}

/* Length of a template's DIE name without its arguments. */
static size_t plain_length(const char *name)
{
	const char *angle = strncmp(name, "operator", 8) ? strchr(name, '<') : NULL;

	return angle ? (size_t)(angle - name) : strlen(name);
}

static size_t plain_score(const struct nearest *nearest, const char *name)
{
	const size_t n = strlen(nearest->plain);
	const size_t limit = n < 4 ? n / 2 : n < 6 ? 2 : n / 3;
	char text[NAME_MAX_SIZE + 1];
	size_t distance;

	lower(text, name, plain_length(name));
	distance = cxx_name_distance(nearest->plain, text, limit);
	if (distance <= limit)
		return distance;
	if (n >= 3 && strstr(text, nearest->plain))
		return CONTAINED;
	if (strlen(text) >= 4 && strstr(nearest->plain, text))
		return CONTAINED + 1;
	return FAR;
}

static size_t qualified_score(const struct nearest *nearest, const char *name)
{
	const char *parameters = strchr(name, '(');
	char text[NAME_MAX_SIZE + 1];

	lower(text, name,
	      parameters && parameters > name ? (size_t)(parameters - name) : strlen(name));
	return cxx_name_distance(nearest->qualified, text, WEIGHT - 2);
}

static void insert(struct nearest *nearest, const char *name, size_t score)
{
	size_t at;

	for (size_t i = 0; i < nearest->n; i++) {
		if (!strcmp(nearest->best[i].name, name))
			return;
	}
	if (nearest->n == NEAREST_MAX && score >= nearest->best[NEAREST_MAX - 1].score)
		return;
	at = nearest->n < NEAREST_MAX ? nearest->n++ : NEAREST_MAX - 1;
	for (; at > 0 && nearest->best[at - 1].score > score; at--)
		nearest->best[at] = nearest->best[at - 1];
	nearest->best[at] = (struct near){name, score};
}

static void subprogram_compare(void *self, Dwarf_Die *die, const char *scope)
{
	struct nearest *nearest = self;
	const char *plain = dwarf_diename(die);
	enum candidate_kind kind;
	struct die_naming naming;
	size_t score;

	if (!plain || !function_search_kind(die, &kind) || kind != CANDIDATE_CODE)
		return;
	score = plain_score(nearest, plain);
	if (score >= FAR || nearest->n_demangled > DEMANGLED_MAX ||
	    (nearest->n == NEAREST_MAX && score * WEIGHT > nearest->best[NEAREST_MAX - 1].score))
		return;
	nearest->n_demangled++;
	if (die_name(nearest->image, die, scope, 0, nearest->arena, &naming))
		insert(nearest, naming.name,
		       score * WEIGHT + qualified_score(nearest, naming.name));
}

static void symbol_compare(struct nearest *nearest, const char *symbol)
{
	const char *demangled = nearest->n_demangled++ < DEMANGLED_MAX
					? die_name_demangle(symbol, nearest->arena)
					: NULL;
	const char *name = demangled ? cxx_name_canonical(nearest->arena, demangled) : symbol;
	size_t n;
	const char *plain = cxx_name_plain(name, &n);
	const size_t score =
		plain_score(nearest, arena_printf(nearest->arena, "%.*s", (int)n, plain));

	if (score < FAR)
		insert(nearest, name, score * WEIGHT + qualified_score(nearest, name));
}

size_t suggestions_find(const struct elf_file *image, const struct pattern *pattern,
			struct arena *arena, const char *ret[NEAREST_MAX])
{
	struct nearest nearest = {.image = image, .arena = arena};
	const struct walk_visitor visitor = {.subprogram = subprogram_compare, .self = &nearest};
	const char *parameters = strchr(pattern->text, '(');
	size_t n_plain;
	const char *plain = cxx_name_plain(pattern->text, &n_plain);

	lower(nearest.plain, plain, n_plain);
	lower(nearest.qualified, pattern->text,
	      parameters && parameters > pattern->text ? (size_t)(parameters - pattern->text)
						       : strlen(pattern->text));
	if (!n_plain)
		return 0;
	die_walk_units(image, NULL, &visitor);
	for (size_t i = 0; !image->dwarf && i < image->n_symbols; i++)
		symbol_compare(&nearest, image->symbols[i].name);
	for (size_t i = 0; i < nearest.n; i++)
		ret[i] = nearest.best[i].name;
	return nearest.n;
}
