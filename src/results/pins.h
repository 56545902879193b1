/*
 * Features that --pin and --exclude name: by expression, or as formulas call them.
 */
#pragma once

#include "base/arena.h"
#include "cli/options.h"
#include "core/samples/samples.h"
#include "model/data/model_options.h"

/* Those that @samples has, into @ret; the lists live in @arena, the names in @samples. */
void pins_resolve(const struct options *options, const struct samples *samples, struct arena *arena,
		  struct model_options *ret);

/* Which names some function has: all zero at the beginning. */
struct pins_seen {
	uint64_t pinned, excluded; /* bits: the first 64 are checked */
};

void pins_see(struct pins_seen *seen, const struct options *options, const struct samples *samples);

/* False: there is a name that no function has. */
bool pins_check(const struct pins_seen *seen, const struct options *options, struct err *err);
