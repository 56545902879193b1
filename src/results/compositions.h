/*
 * Compositions of all functions of a profile: which of them call which, and all of whose calls were
 * kept (model/compose/compose.h makes one).
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"
#include "cli/options.h"

struct compositions;

/* Borrows @options. */
struct compositions *compositions_create(const struct options *options);
void compositions_destroy(struct compositions *compositions); /* NULL is fine */

/* Takes @samples, whose next @n annotations in the list are theirs. */
void compositions_add(struct compositions *compositions, struct samples *samples, size_t n);

/*
 * Replace those annotations of @list that have a composition; says why others that call measured
 * functions have none.
 */
void compositions_make(struct compositions *compositions, struct annotation **list);
