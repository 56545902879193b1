/*
 * Partition: conditions on one column that may separate two modes of behaviour.
 *
 * Branches of the code, categorical values, and
 * the costs propose them: the threshold at which two simple curves fit better than one (segmented
 * regression). The tree chooses.
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
 * At most @max conditions that beat chance, in @ret, the best first; returns their number. Among
 * equivalent partitions only the one that a programmer would name; among about equal ones that
 * first. Each side has at least PARTITION_ROWS_MIN rows; nearly all rows have the column.
 */
size_t partition_find(const struct dataset *data, struct split *ret, size_t max);
