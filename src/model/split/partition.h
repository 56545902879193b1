/*
 * Partition: conditions on one column that may part calls into two modes of behaviour.
 *
 * They come from branches of the code, from categorical values, from clusters of the metric that a
 * feature sets apart, and from the costs: the threshold at which two simple curves fit better than
 * one (segmented regression). The tree decides which are kept.
 *
 * Sources: Bai and Perron, Computation and analysis of multiple structural change models, J. of
 * Applied Econometrics 18 (2003); Zeileis, Hothorn, Hornik, Model-based recursive partitioning, J.
 * of Computational and Graphical Statistics 17 (2008).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/data/dataset.h"
#include "split.h"

/*
 * The best conditions beyond chance, at most @max, the best first, in @ret; returns how many. Of
 * those that part the rows alike, only the one that a programmer would name; of about equal ones
 * that first. Each side has at least PARTITION_ROWS_MIN rows; the column is present in nearly all
 * rows.
 */
size_t partition_find(const struct dataset *data, struct split *ret, size_t max);
