/* Chooses among candidates. Functions of one name in several source files are distinct. */
#include "pattern_resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LISTED_MAX = 8, LISTED_SIZE_MAX = 100 };

struct match {
	struct candidate **list; /* sorted by name */
	size_t n;
};

/* Keep only the candidates that satisfy @keep, if any do. */
static void match_prefer(struct match *match, bool (*keep)(const struct candidate *, const void *),
			 const void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < match->n; i++)
		kept += keep(match->list[i], context);
	if (!kept)
		return;
	kept = 0;
	for (size_t i = 0; i < match->n; i++) {
		if (keep(match->list[i], context))
			match->list[kept++] = match->list[i];
	}
	match->n = kept;
}

static bool is_kind(const struct candidate *candidate, const void *kind)
{
	return candidate->kind == *(const enum candidate_kind *)kind;
}

static bool is_here(const struct candidate *candidate, const void *unused)
{
	(void)unused;
	return candidate->kind != CANDIDATE_DECLARED;
}

static bool candidate_is_called(const struct candidate *candidate, const void *name)
{
	return candidate->name[function_search_base_length(candidate->name)]
		       ? !function_search_base_order(candidate->name, name)
		       : !strcmp(candidate->name, name);
}

/* f<int> is that rather than f<int, double>, which it means where it is alone. */
static bool candidate_has_arguments(const struct candidate *candidate, const void *text)
{
	return strstr(candidate->name, text) != NULL;
}

static bool is_linked_as(const struct candidate *candidate, const void *linkage)
{
	return !strcmp(candidate->linkage, linkage);
}

static bool candidate_is_whole(const struct candidate *candidate, const void *unused)
{
	(void)unused;
	return !strstr(candidate->name, " [clone .part.");
}

static const char *source_of(const struct candidate *candidate, struct arena *arena)
{
	unsigned line;
	const char *file = function_search_source(candidate, &line);

	return file ? pattern_clean_path(file, arena) : NULL;
}

/* Copies of one function (clones, definitions in a header) share a place of declaration. */
static bool same_function(const struct candidate *a, const struct candidate *b, struct arena *arena)
{
	const char *file_x, *file_y;

	if (function_search_base_order(a->name, b->name) != 0 || a->line != b->line)
		return false;
	file_x = source_of(a, arena);
	file_y = source_of(b, arena);
	return !file_x || !file_y || !strcmp(file_x, file_y);
}

static const char *candidate_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The file that distinguishes a function from others of its name; NULL if there are none. */
static const char *telling_file(const struct match *match, const struct candidate *one,
				struct arena *arena)
{
	const char *file = source_of(one, arena);
	bool alone = true, by_base = true;

	for (size_t i = 0; file && i < match->n; i++) {
		const char *other;

		if (match->list[i] == one ||
		    function_search_base_order(match->list[i]->name, one->name) != 0 ||
		    same_function(match->list[i], one, arena))
			continue;
		other = source_of(match->list[i], arena);
		alone = false;
		by_base = by_base && other &&
			  strcmp(candidate_base_name(other), candidate_base_name(file)) != 0;
	}
	return alone ? NULL : by_base ? candidate_base_name(file) : file;
}

void pattern_resolve_list_add(struct choice_list *list, const char *file, const char *name)
{
	const size_t n = function_search_base_length(name);

	if (++list->n > LISTED_MAX)
		return;
	text_add_string(&list->text, list->n > 1 ? "; " : "");
	text_add_string(&list->text, file ? file : "");
	text_add_string(&list->text, file ? ":" : "");
	text_add(&list->text, name, n < LISTED_SIZE_MAX ? n : LISTED_SIZE_MAX);
	text_add_string(&list->text, n < LISTED_SIZE_MAX ? "" : "...");
}

bool pattern_resolve_list_fail(struct choice_list *list, const struct pattern *pattern,
			       struct err *err)
{
	if (list->n > LISTED_MAX)
		err_set(err, ERR_USAGE,
			"\"%s\" names %zu functions: give one of them in full, or a glob: %s; and "
			"%zu more",
			pattern->given, list->n, list->text.bytes, list->n - LISTED_MAX);
	else
		err_set(err, ERR_USAGE,
			"\"%s\" names %zu functions: give one of them in full, or a glob: %s",
			pattern->given, list->n, list->text.bytes);
	text_deinit(&list->text);
	return false;
}

/* By name, then by file. */
static int match_order(const void *a, const void *b)
{
	const struct candidate *x = *(struct candidate *const *)a,
			       *y = *(struct candidate *const *)b;
	const int names = function_search_base_order(x->name, y->name);
	Dwarf_Die die_x = x->die, die_y = y->die;
	const char *file_x = names ? NULL : die_file(&die_x, DW_AT_decl_file);
	const char *file_y = names ? NULL : die_file(&die_y, DW_AT_decl_file);
	const int files = strcmp(file_x ? file_x : "", file_y ? file_y : "");

	return names ? names : files ? files : x->line < y->line ? -1 : x->line > y->line;
}

/* Fail if the matches are several functions. */
static bool match_check(const struct match *match, const struct pattern *pattern, struct err *err)
{
	struct arena *arena = arena_create();
	struct choice_list list = {.n = 0};
	bool ok;

	qsort(match->list, match->n, sizeof(struct candidate *), match_order);
	for (size_t i = 0; i < match->n; i++) {
		size_t k = i;

		/* Equal names are adjacent. */
		while (k > 0 &&
		       !function_search_base_order(match->list[k - 1]->name,
						   match->list[i]->name) &&
		       !same_function(match->list[k - 1], match->list[i], arena))
			k--;
		if (k > 0 && same_function(match->list[k - 1], match->list[i], arena))
			continue;
		pattern_resolve_list_add(
			&list,
			list.n < LISTED_MAX ? telling_file(match, match->list[i], arena) : NULL,
			match->list[i]->name);
	}
	ok = list.n <= 1 || pattern_resolve_list_fail(&list, pattern, err);
	text_deinit(&list.text);
	arena_destroy(arena);
	return ok;
}

/* A pattern without wildcards means one function, preferably with code. */
static bool match_narrow(struct match *match, const struct pattern *pattern, struct err *err)
{
	static const enum candidate_kind order[] = {CANDIDATE_CODE, CANDIDATE_INLINED,
						    CANDIDATE_DROPPED, CANDIDATE_DECLARED};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		match_prefer(match, is_kind, &order[i]);
	match_prefer(match, is_linked_as, pattern->name);
	match_prefer(match, candidate_is_called, pattern->text);
	match_prefer(match, candidate_has_arguments, pattern->text);
	if (!strstr(pattern->text, "[clone"))
		match_prefer(match, candidate_is_whole, NULL);
	return match->list[0]->kind != CANDIDATE_CODE || match_check(match, pattern, err);
}

static struct match match_find(struct function_search *search, const struct pattern *pattern)
{
	struct match match = {.list = mem_alloc(search->n_candidates * sizeof(*match.list))};

	for (size_t i = 0; i < search->n_candidates; i++) {
		if (function_search_matches(pattern, &search->candidates[i]))
			match.list[match.n++] = &search->candidates[i];
	}
	for (size_t i = 0; match.n == 0 && i < search->n_candidates; i++) {
		if (function_search_is_alias(search, pattern, &search->candidates[i]))
			match.list[match.n++] = &search->candidates[i];
	}
	return match;
}

static size_t count_here(const struct match *match)
{
	size_t n = 0;

	for (size_t i = 0; i < match->n; i++)
		n += is_here(match->list[i], NULL);
	return n;
}

static bool match_choose(struct function_search *search, const struct pattern *pattern,
			 struct match *match, struct err *err)
{
	match_prefer(match, is_here, NULL);
	if (!search->ambiguous && !pattern->glob && !match_narrow(match, pattern, err))
		return false;
	for (size_t i = 0; i < match->n; i++)
		match->list[i]->chosen = true;
	return true;
}

bool pattern_resolve(struct function_search *search, const struct pattern *pattern,
		     enum choice *ret, struct err *err)
{
	struct match match;
	bool ok = true;

	for (size_t i = 0; !pattern && i < search->n_candidates; i++)
		search->candidates[i].chosen = search->candidates[i].kind != CANDIDATE_DECLARED;
	*ret = search->n_candidates ? CHOICE_FOUND : CHOICE_NOTHING;
	if (!pattern)
		return true;
	match = match_find(search, pattern);
	if (count_here(&match))
		ok = match_choose(search, pattern, &match, err);
	else
		*ret = match.n && !pattern->glob ? CHOICE_DECLARED : CHOICE_NOTHING;
	free(match.list);
	return ok;
}

void pattern_resolve_declared(struct function_search *search, const struct pattern *pattern)
{
	for (size_t i = 0; i < search->n_candidates; i++) {
		if (search->candidates[i].kind == CANDIDATE_DECLARED &&
		    function_search_matches(pattern, &search->candidates[i]))
			search->candidates[i].chosen = true;
	}
}
