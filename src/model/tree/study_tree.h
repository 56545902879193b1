/*
 * The tree of a study: from the scopes of cases.
 */
#pragma once

#include "core/figure/study.h"

/* Set the nodes of @study, whose annotation and points are there. */
void study_tree(struct study *study);
