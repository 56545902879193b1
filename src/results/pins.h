/*
 * Features that --pin and --exclude name: by expression, or as formulas call them.
 */
#pragma once

#include "base/arena.h"
#include "cli/options.h"
#include "core/samples/samples.h"
#include "model/data/model_options.h"

/* Names of features, as models take them: expressions. */
struct pin_names {
	const char **pinned, **excluded; /* [n_pinned], [n_excluded] */
	size_t n_pinned, n_excluded;
};

/*
 * What the names mean in any function of the profile @path. Lists live in @arena. ERR_NOT_FOUND:
 * there is a name that no function has; errors of profile.h.
 */
bool pins_expand(const char *path, const struct options *options, struct arena *arena,
		 struct pin_names *ret, struct err *err);

/* Those that @samples has, into @ret; the lists live in @arena, the names in @samples. */
void pins_resolve(const struct options *options, const struct samples *samples, struct arena *arena,
		  struct model_options *ret);

/* Which names some function has: all zero at the beginning. */
struct pins_seen {
	uint64_t pinned, excluded; /* bits: the first 64 are checked */
};

/* Note those that @samples has, which gets its derived columns (derived_columns_add()) for that. */
void pins_see(struct pins_seen *seen, const struct options *options, struct samples *samples);

/* False: there is a name that no function has. */
bool pins_check(const struct pins_seen *seen, const struct options *options, struct err *err);
