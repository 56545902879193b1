/*
 * Derived columns: what follows from others, as a feature of its own, so that costs may depend on
 * it: whether a feature could be read, and how far apart two numbers are (`hi - lo`), of which one
 * is never above the other (ordered_pairs.h).
 *
 * `p->len` is absent where p is null: the column `p != 0` holds that for every row in which it is
 * known. A recorded profile has most of these columns already. An empty cell of an imported table
 * has no known reason: there `defined(NAME)` says whether the cell has a value. Derived columns
 * live in the table only; they are never stored or exported.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "samples.h"

enum { DERIVED_MAX = 64 };

/*
 * Add the derived columns that vary, at most DERIVED_MAX, shallow pointers first. A cell is absent
 * where it is unknown whether the pointer was null, and in runs without the imported column. A
 * second call adds nothing.
 */
void derived_columns_add(struct samples *samples);

/* Is @expression a part of the difference @derived? */
bool derived_columns_is_part(const char *expression, const char *derived);

/* Does a value of @expression prove that the derived feature @derived is true? */
bool derived_columns_proves(const char *expression, const char *derived);

/* Add those that @annotation uses as features, even constant ones. */
void derived_columns_add_for(struct samples *samples, const struct annotation *annotation);
