/*
 * The tree of a study: from the scopes of cases.
 */
#ifndef FATHOM_MODEL_STUDY_TREE_H
#define FATHOM_MODEL_STUDY_TREE_H

#include "core/study.h"

/* Set the nodes of @study, whose annotation and points are there. */
void study_tree(struct study *study);

#endif
