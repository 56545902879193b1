/*
 * Required features: what annotations of time need to read in open calls.
 */
#pragma once

#include "base/arena.h"
#include "core/annotation/annotation_parse.h"
#include "dwarf/catalogue_build.h"

/* Set those of @request; strings are borrowed from @annotations, or in @arena. */
void required_features_add(const struct annotation_list *annotations, struct arena *arena,
			   struct catalogue_request *request);

/* Note that no open call is annotated: perhaps @path belongs to another program. */
void required_features_say_none(const struct annotation_list *annotations, const char *path);
