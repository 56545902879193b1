/*
 * Changes that pass: a condition that does no more than tell the first or the last calls of a run
 * from the others.
 *
 * Costs change at a run's beginning though the program does not: caches fill, a neighbour of the
 * processor becomes busy. Whatever drifts meanwhile would be named for it.
 */
#pragma once

#include "model/data/dataset.h"

/*
 * Do @sides ([n_choice], enum side) part the calls of a run into early and late ones, and is one of
 * them shorter than a quarter of the run, or than a second? Where no times are known, the order of
 * the calls is taken for them.
 */
bool passing_change_is(const struct dataset *data, const uint8_t *sides);
