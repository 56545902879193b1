/* Functions of the symbol table. describe_function.c describes their code, as any. */
#include "symbol_function.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/cxx_name.h"
#include "dwarf/file/die_name.h"

void symbol_function_deinit(struct symbol_functions *functions)
{
	free(functions->list);
	*functions = (struct symbol_functions){0};
}

/* A version may follow the name: memcpy@@GLIBC_2.14. */
static const char *without_version(const char *name, struct arena *arena)
{
	const size_t n = strcspn(name, "@");

	return name[n] && n ? arena_printf(arena, "%.*s", (int)n, name) : name;
}

/*
 * Can the symbol @name match the pattern? Demangling all symbols is slow. Itanium and Rust mangling
 * contain plain names, except operators, constructors and destructors.
 */
static bool may_match(const struct pattern *pattern, const char *name)
{
	const char *plain = pattern ? pattern->plain : NULL;
	char text[256];

	if (!plain || pattern->n_plain >= sizeof(text) || plain[0] == '~' || plain[0] == '{' ||
	    !strncmp(plain, "operator", 8) || !strcmp(name, pattern->name))
		return true;
	memcpy(text, plain, pattern->n_plain);
	text[pattern->n_plain] = '\0';
	return strstr(name, text);
}

static bool symbol_is_listed(const struct symbol_functions *functions, size_t from, uint64_t addr)
{
	for (size_t i = functions->n; i-- > from;) {
		if (functions->list[i].addr == addr)
			return true;
	}
	return false;
}

static uint64_t size_of(const struct elf_file *image, const struct elf_symbol *symbol)
{
	const struct elf_symbol *end = image->symbols + image->n_symbols;
	uint64_t size = symbol->size;
	size_t room;

	if (!elf_file_code(image, symbol->addr, &room))
		return 0;
	for (const struct elf_symbol *next = symbol; !size && next < end; next++)
		size = next->addr - symbol->addr;
	return size && size < room ? size : room;
}

static void function_symbol_see(struct symbol_functions *functions, const struct elf_file *image,
				const struct elf_symbol *symbol, const struct pattern *pattern,
				struct arena *arena)
{
	struct symbol_function function = {.addr = symbol->addr, .size = size_of(image, symbol)};
	const char *demangled;

	if (!function.size || !may_match(pattern, symbol->name))
		return;
	function.linkage = without_version(symbol->name, arena);
	demangled = die_name_demangle(function.linkage, arena);
	function.name = cxx_name_canonical(arena, demangled ? demangled : function.linkage);
	if (pattern && !cxx_name_matches(function.name, function.linkage, pattern->text) &&
	    strcmp(symbol->name, pattern->name) != 0)
		return;
	functions->list =
		mem_grow(functions->list, &functions->capacity, functions->n + 1, sizeof(function));
	functions->list[functions->n++] = function;
}

/* A name that has only a resolver: its library is found, if not the function. */
static void resolver_see(struct symbol_functions *functions, const struct elf_file *image,
			 const struct pattern *pattern)
{
	for (size_t i = 0; i < image->n_resolvers; i++) {
		const size_t n = strcspn(image->resolvers[i].name, "@");

		if (strncmp(image->resolvers[i].name, pattern->name, n) || pattern->name[n])
			continue;
		functions->list = mem_grow(functions->list, &functions->capacity, functions->n + 1,
					   sizeof(*functions->list));
		functions->list[functions->n++] =
			(struct symbol_function){.name = pattern->text,
						 .linkage = pattern->name,
						 .addr = image->resolvers[i].addr};
		return;
	}
}

static int symbol_address_order(const void *a, const void *b)
{
	const struct symbol_function *x = a, *y = b;
	const int names = strcmp(x->name, y->name);

	return names ? names : x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* An exact match wins over names that end in it. */
static size_t prefer_exact(struct symbol_function *list, size_t n, const struct pattern *pattern)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(list[i].linkage, pattern->name) || !strcmp(list[i].name, pattern->text))
			list[kept++] = list[i];
	}
	return kept ? kept : n;
}

static bool symbol_check_found(struct symbol_function *list, size_t n,
			       const struct pattern *pattern, struct err *err)
{
	struct choice_list names = {.n = 0};
	bool ok;

	qsort(list, n, sizeof(*list), symbol_address_order);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(list[i].name, list[i - 1].name) != 0)
			pattern_resolve_list_add(&names, NULL, list[i].name);
	}
	ok = names.n <= 1 || pattern_resolve_list_fail(&names, pattern, err);
	text_deinit(&names.text);
	return ok;
}

bool symbol_function_find(struct symbol_functions *functions, const struct elf_file *image,
			  const struct pattern *pattern, bool ambiguous, struct arena *arena,
			  bool *ret, struct err *err)
{
	const size_t before = functions->n;
	size_t n;

	*ret = false;
	if (pattern && pattern->source)
		return true; /* their sources are unknown */
	/* Symbols are sorted by address: a function's names are adjacent. */
	for (size_t i = 0; i < image->n_symbols; i++) {
		if (functions->n == before ||
		    functions->list[functions->n - 1].addr != image->symbols[i].addr)
			function_symbol_see(functions, image, &image->symbols[i], pattern, arena);
	}
	if (functions->n == before && pattern && !pattern->glob)
		resolver_see(functions, image, pattern);
	n = functions->n - before;
	if (n && pattern && !pattern->glob && !ambiguous) {
		n = prefer_exact(functions->list + before, n, pattern);
		if (!symbol_check_found(functions->list + before, n, pattern, err))
			return false;
	}
	functions->n = before;
	for (size_t i = 0; i < n; i++) {
		const struct symbol_function function = functions->list[before + i];

		if (!symbol_is_listed(functions, 0, function.addr) || before == 0)
			functions->list[functions->n++] = function;
	}
	*ret = n > 0;
	return true;
}

void symbol_function_describe(const struct describer *describer,
			      const struct symbol_function *symbol, struct function *ret)
{
	const struct address_range range = {symbol->addr, symbol->addr + symbol->size};
	struct arena *arena = describer->arena;

	*ret = (struct function){
		.name = arena_strdup(arena, symbol->name),
		.linkage = arena_strdup(arena, symbol->linkage),
		.module = describer->module,
		.symbol_only = true,
	};
	if (!symbol->size) {
		ret->unmeasurable = "the library chooses one of several functions for it when the "
				    "program starts (ifunc): name one of those";
		return;
	}
	ret->ranges = arena_copy(arena, &range, sizeof(range));
	ret->n_ranges = 1;
	ret->entry_addr = symbol->addr;
	describe_function_code(describer, NULL, ret);
}
