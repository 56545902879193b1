/*
 * Doubtful values: such as addresses, times, hashes and memory that was never written have.
 *
 * They go along with costs for reasons that are not theirs: what a stack slot still holds depends
 * on who was called before. Sizes are not like that, and a value that stands for "none" or "all"
 * is one value, not many.
 */
#pragma once

#include "core/samples/samples.h"

/*
 * Is @column like that in @rows ([n]), where it is from @min to @max? Imported numbers are not:
 * somebody chose them.
 */
bool doubtful_values_are(const struct column *column, double min, double max, const size_t *rows,
			 size_t n);

/*
 * Has the enumeration @column, whose enumerators are known, a large number in any row that is
 * neither one of them nor several of them together? Who wrote it wrote something else.
 */
bool doubtful_values_of_enum(const struct column *column, size_t n_rows);
