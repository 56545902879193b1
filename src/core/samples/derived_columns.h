/*
 * Derived columns: whether a feature could be read, as a feature of its own, so that costs may
 * depend on it.
 *
 * `p->len` is absent where p is null: the column `p != 0` says so in every row in which that is
 * known. A profile that fathom recorded has most of these columns already. Why a cell of an
 * imported table is empty nobody knows: then `defined(NAME)` says that it is not. Derived columns
 * live in the table alone, and are never stored or exported.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "samples.h"

enum { DERIVED_MAX = 64 };

/*
 * Add the derived columns that vary, DERIVED_MAX at most, shallow pointers first. A cell is absent
 * where it is not known whether the pointer was null, and in runs that do not have the imported
 * column at all. Calling it again adds nothing.
 */
void derived_columns_add(struct samples *samples);

/* Add those that @annotation's features are, even if they are the same in all rows. */
void derived_columns_add_for(struct samples *samples, const struct annotation *annotation);
