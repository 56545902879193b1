/*
 * Required features: what annotations need to read in calls.
 */
#pragma once

#include "base/arena.h"
#include "core/annotation/annotation_parse.h"
#include "dwarf/catalogue_build.h"

/*
 * Append the features of annotations of @metrics (bits 1 << enum metric) to *@required [*@n];
 * strings are borrowed from @annotations, or in @arena, as is the list.
 */
void required_features_add(const struct annotation_list *annotations, uint64_t metrics,
			   struct arena *arena, const struct required_feature **required,
			   size_t *n);

/* Note that no open call is annotated: perhaps @path belongs to another program. */
void required_features_say_none(const struct annotation_list *annotations, const char *path);
