/*
 * Partition: conditions on one column that may part calls into two modes of behaviour.
 *
 * They come from branches (a feature whose values on one side of a branch lie all below, or are all different from, those on the
 * other side), from enumerations, run-time classes, text and booleans, from clusters of the metric that a feature
 * sets apart, and from the costs themselves: the threshold at which two simple curves fit
 * better than one (segmented regression). Whether a condition is kept is the tree's matter; partition.c
 * says which are worth a try, with a gain by which they can be compared.
 *
 * Sources: Bai and Perron, Computation and analysis of multiple structural change models, J. of Applied Econometrics 18 (2003);
 * Zeileis, Hothorn, Hornik, Model-based recursive partitioning, J. of Computational and Graphical Statistics 17 (2008).
 */
#ifndef FATHOM_MODEL_PARTITION_H
#define FATHOM_MODEL_PARTITION_H

#include <stdbool.h>
#include <stddef.h>

#include "model/data.h"
#include "model/split.h"

/*
 * The best conditions, at most @max, the best first, in @ret; returns how many. Of those that part the rows alike, and of those that are about
 * equal, the one that a programmer would name comes first; of the alike others are not told. Each side has at least PARTITION_ROWS_MIN rows, the column
 * is present in nearly all of them. None is told that chance explains (corrected for how many were tried).
 */
size_t partition_find(const struct data *data, struct split *ret, size_t max);

#endif
