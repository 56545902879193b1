/*
 * Required features: those that annotations need of open calls.
 */
#pragma once

#include "base/arena.h"
#include "core/annotation/annotation_parse.h"
#include "dwarf/catalogue_build.h"

/* Add to @request the features that annotations of time need; borrowed from them, or in @arena. */
void required_features_add(const struct annotation_list *annotations, struct arena *arena,
			   struct catalogue_request *request);

/* Note that no open call has an annotation: perhaps @path belongs to another program. */
void required_features_say_none(const struct annotation_list *annotations, const char *path);
