/* The tree of a study, made from the scopes of its cases. */
#pragma once

#include "core/figure/study.h"

/* Set the nodes of @study; its annotation and points are set already. */
void study_tree(struct study *study);
