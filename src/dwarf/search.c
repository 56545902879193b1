/*
 * Finding and choosing functions. Demangling is expensive in large programs, so DIEs are first
 * compared by their plain names. Suggestions for names that do not exist are nearest.c's.
 */
#include "dwarf/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/name.h"
#include "dwarf/code.h"
#include "dwarf/naming.h"
#include "dwarf/walk.h"

enum { LISTED_MAX = 8, LISTED_SIZE_MAX = 100 };

static void pattern_init(struct pattern *pattern, const char *given, struct arena *arena)
{
	*pattern = (struct pattern){.given = given, .text = name_canonical(arena, given)};
	pattern->glob = name_is_glob(pattern->text);
	pattern->plain = name_plain(pattern->text, &pattern->n_plain);
	/*
	 * A conversion operator's type is spelled in several ways; and a lambda's call has no usual
	 * name.
	 */
	if (memchr(pattern->plain, ' ', pattern->n_plain))
		pattern->plain = NULL;
	if (pattern->glob && strpbrk(pattern->text, "*?["))
		pattern->plain = NULL;
}

void search_init(struct search *search, const struct image *image, const char *const *patterns,
		 size_t n_patterns, struct arena *arena)
{
	*search = (struct search){.image = image, .arena = arena, .n_patterns = n_patterns};
	search->patterns = arena_array(arena, struct pattern, n_patterns);
	for (size_t i = 0; i < n_patterns; i++)
		pattern_init(&search->patterns[i], patterns[i], arena);
}

void search_deinit(struct search *search)
{
	free(search->candidates);
	search->candidates = NULL;
	search->n_candidates = search->capacity = 0;
}

bool search_kind(Dwarf_Die *die, enum candidate_kind *ret)
{
	if (dwarf_hasattr(die, DW_AT_declaration))
		*ret = CANDIDATE_DECLARED;
	else if (dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges))
		*ret = CANDIDATE_CODE;
	else if (!dwarf_hasattr(die, DW_AT_abstract_origin))
		*ret = CANDIDATE_INLINED;
	else
		return false;
	return true;
}

/* `sort` and `sort<int>` have the plain name `sort`. */
static bool plain_fits(const struct pattern *pattern, const char *name)
{
	if (!pattern->plain)
		return true;
	return !strncmp(name, pattern->plain, pattern->n_plain) &&
	       (name[pattern->n_plain] == '\0' || name[pattern->n_plain] == '<' ||
		name[pattern->n_plain] == ' ');
}

static bool may_match(const struct search *search, Dwarf_Die *die, const char *name,
		      enum candidate_kind kind)
{
	const char *linkage = NULL;

	if (search->n_patterns == 0)
		return kind != CANDIDATE_DECLARED;
	for (size_t i = 0; i < search->n_patterns; i++) {
		const struct pattern *pattern = &search->patterns[i];

		if (kind == CANDIDATE_DECLARED && pattern->glob)
			continue;
		if (plain_fits(pattern, name))
			return true;
		linkage = linkage ? linkage : die_linkage(die);
		if (linkage && !strcmp(linkage, pattern->given))
			return true;
	}
	return false;
}

static bool matches(const struct search *search, const struct candidate *candidate)
{
	for (size_t i = 0; i < search->n_patterns; i++) {
		if (name_matches(candidate->name, candidate->linkage, search->patterns[i].text))
			return true;
	}
	return search->n_patterns == 0;
}

static void subprogram_see(void *self, Dwarf_Die *die, const char *scope)
{
	struct search *search = self;
	struct candidate candidate = {.die = *die};
	const char *plain = dwarf_diename(die);
	struct function code = {0};
	struct naming naming;

	if (!plain || !search_kind(die, &candidate.kind) ||
	    !may_match(search, die, plain, candidate.kind))
		return;
	if (candidate.kind == CANDIDATE_CODE) {
		if (!code_ranges(search->image, die, search->arena, &code))
			candidate.kind = CANDIDATE_DROPPED;
		else
			candidate.entry_addr = code.entry_addr;
	}
	if (!naming_of(search->image, die, scope, candidate.entry_addr, search->arena, &naming))
		return;
	candidate.name = naming.name;
	candidate.linkage = naming.linkage;
	if (!matches(search, &candidate))
		return;
	search->candidates = mem_grow(search->candidates, &search->capacity,
				      search->n_candidates + 1, sizeof(*search->candidates));
	search->candidates[search->n_candidates++] = candidate;
}

static int candidate_order(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	const int names = strcmp(x->name, y->name);

	if (names)
		return names;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->entry_addr != y->entry_addr)
		return x->entry_addr < y->entry_addr ? -1 : 1;
	return x->die.addr < y->die.addr ? -1 : x->die.addr > y->die.addr;
}

/* Of one name, keep the best kind only, and one DIE for each piece of code. */
static void candidates_thin(struct search *search)
{
	struct candidate *list = search->candidates;
	size_t kept = 0, group = 0;

	for (size_t i = 0; i < search->n_candidates; i++) {
		if (kept == 0 || strcmp(list[group].name, list[i].name) != 0) {
			group = kept;
		} else if (list[i].kind != list[group].kind ||
			   (list[i].kind == CANDIDATE_CODE &&
			    list[i].entry_addr == list[kept - 1].entry_addr)) {
			continue;
		}
		list[kept++] = list[i];
	}
	search->n_candidates = kept;
}

void search_run(struct search *search)
{
	const struct walk_visitor visitor = {.subprogram = subprogram_see, .self = search};

	walk_units(search->image, NULL, &visitor);
	if (!search->n_candidates)
		return;
	qsort(search->candidates, search->n_candidates, sizeof(*search->candidates),
	      candidate_order);
	candidates_thin(search);
}

size_t search_base_length(const char *name)
{
	const char *suffix = strstr(name, " [clone ");

	return suffix ? (size_t)(suffix - name) : strlen(name);
}

static bool same_base(const char *a, const char *b)
{
	const size_t n = search_base_length(a);

	return n == search_base_length(b) && !memcmp(a, b, n);
}

/* The candidates that one pattern matches. */
struct match {
	struct candidate **list; /* sorted by name */
	size_t n;
};

/* Keep only the candidates for which @keep holds, if there are any. */
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

static bool is_called(const struct candidate *candidate, const void *name)
{
	return candidate->name[search_base_length(candidate->name)]
		       ? same_base(candidate->name, name)
		       : !strcmp(candidate->name, name);
}

static bool is_linked_as(const struct candidate *candidate, const void *linkage)
{
	return !strcmp(candidate->linkage, linkage);
}

static bool is_whole(const struct candidate *candidate, const void *unused)
{
	(void)unused;
	return !strstr(candidate->name, " [clone .part.");
}

static void name_list(struct text *list, const char *name)
{
	const size_t n = search_base_length(name);

	text_add_string(list, list->n ? "; " : "");
	text_add(list, name, n < LISTED_SIZE_MAX ? n : LISTED_SIZE_MAX);
	text_add_string(list, n < LISTED_SIZE_MAX ? "" : "...");
}

/* An error if the matches have more than one name. */
static bool match_check(const struct match *match, const struct pattern *pattern, struct err *err)
{
	struct text list = {0};
	size_t names = 0;

	for (size_t i = 0; i < match->n; i++) {
		if (i > 0 && same_base(match->list[i]->name, match->list[i - 1]->name))
			continue;
		if (++names <= LISTED_MAX)
			name_list(&list, match->list[i]->name);
	}
	if (names <= 1) {
		text_deinit(&list);
		return true;
	}
	if (names > LISTED_MAX)
		err_set(err, ERR_USAGE,
			"\"%s\" names %zu functions: give one of them in full, or a glob: %s; and %zu more",
			pattern->given, names, list.bytes, names - LISTED_MAX);
	else
		err_set(err, ERR_USAGE,
			"\"%s\" names %zu functions: give one of them in full, or a glob: %s",
			pattern->given, names, list.bytes);
	text_deinit(&list);
	return false;
}

/* What a pattern without wildcards means: one name, and functions with code if there are any. */
static bool match_narrow(struct match *match, const struct pattern *pattern, struct err *err)
{
	static const enum candidate_kind order[] = {CANDIDATE_CODE, CANDIDATE_INLINED,
						    CANDIDATE_DROPPED, CANDIDATE_DECLARED};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		match_prefer(match, is_kind, &order[i]);
	match_prefer(match, is_linked_as, pattern->given);
	match_prefer(match, is_called, pattern->text);
	if (!strstr(pattern->text, "[clone"))
		match_prefer(match, is_whole, NULL);
	return match->list[0]->kind != CANDIDATE_CODE || match_check(match, pattern, err);
}

/* Choose what one pattern means. *@ret_any: does it match anything? */
static bool pattern_choose(struct search *search, const struct pattern *pattern, bool *ret_any,
			   struct err *err)
{
	struct match match = {.list = mem_alloc(search->n_candidates * sizeof(*match.list))};
	bool ok = true;

	for (size_t i = 0; i < search->n_candidates; i++) {
		struct candidate *candidate = &search->candidates[i];

		if (pattern->glob && candidate->kind == CANDIDATE_DECLARED)
			continue;
		if (name_matches(candidate->name, candidate->linkage, pattern->text))
			match.list[match.n++] = candidate;
	}
	*ret_any = match.n > 0;
	if (match.n && search->ambiguous)
		match_prefer(&match, is_here, NULL);
	else if (match.n && !pattern->glob)
		ok = match_narrow(&match, pattern, err);
	for (size_t i = 0; ok && i < match.n; i++)
		match.list[i]->chosen = true;
	free(match.list);
	return ok;
}

bool search_choose(struct search *search, size_t *ret_failed, struct err *err)
{
	for (size_t i = 0; i < search->n_patterns; i++) {
		bool any;

		*ret_failed = i;
		if (!pattern_choose(search, &search->patterns[i], &any, err))
			return false;
		if (!any)
			return err_set(err, ERR_NOT_FOUND, "no function \"%s\"",
				       search->patterns[i].given);
	}
	for (size_t i = 0; search->n_patterns == 0 && i < search->n_candidates; i++)
		search->candidates[i].chosen = true;
	return true;
}
