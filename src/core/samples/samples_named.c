/* As measuring understands patterns, though of a file's name only the end is known here. */
#include "samples_named.h"

#include <fnmatch.h>
#include <string.h>

#include "core/cxx_name.h"
#include "part_columns.h"

/* The first colon that is not of a "::"; NULL: there is none. */
static const char *named_colon(const char *pattern)
{
	for (const char *at = strchr(pattern, ':'); at; at = strchr(at, ':')) {
		const size_t n = strspn(at, ":");

		if (n == 1 && at > pattern)
			return at;
		at += n;
	}
	return NULL;
}

static bool named_is_in(const char *path, const char *file, struct arena *arena)
{
	return path &&
	       (!fnmatch(file, path, 0) || !fnmatch(arena_printf(arena, "*/%s", file), path, 0));
}

static bool pattern_names(const struct samples *samples, const char *pattern, struct arena *arena)
{
	const char *colon = named_colon(pattern), *file;

	if (cxx_name_matches(samples->function, samples->linkage,
			     cxx_name_canonical(arena, pattern)))
		return true;
	if (!colon || !cxx_name_matches(samples->function, samples->linkage,
					cxx_name_canonical(arena, colon + 1)))
		return false;
	file = arena_printf(arena, "%.*s", (int)(colon - pattern), pattern);
	return named_is_in(samples->file, file, arena) || named_is_in(samples->module, file, arena);
}

bool samples_named_by(const struct samples *samples, const char *pattern, struct arena *arena)
{
	struct samples function = *samples;

	function.function = part_columns_function(samples->function, arena);
	function.linkage = part_columns_function(samples->linkage, arena);
	return pattern_names(samples, pattern, arena) || pattern_names(&function, pattern, arena);
}
