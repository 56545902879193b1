/*
 * Baselines: a folder with a file of annotations for each program, NAME.ann, which `fathom baseline
 * update` writes and `fathom check --baseline` reads.
 */
#pragma once

#include "cli/options.h"
#include "core/annotation/annotation_parse.h"

/* The path of @program's file in @folder, whether it is there or not; in @arena. */
const char *baseline_path(const char *folder, const char *program, struct arena *arena);

/* The same, which must be there. ERR_NOT_FOUND. */
bool baseline_find(const char *folder, const char *program, struct arena *arena, const char **ret,
		   struct err *err);

/* That of the program whose samples are in @profile; also ERR_IO, ERR_FORMAT. */
bool baseline_find_for(const char *folder, const char *profile, struct arena *arena,
		       const char **ret, struct err *err);

/* What the program in the profile @path is called: after its file, or the profile. */
bool baseline_program(const char *path, struct arena *arena, const char **ret, struct err *err);

/*
 * Set functions, metrics and features of @options to what @annotations are of. Metrics that this
 * machine lacks are left out, and told; errors: it lacks all.
 */
bool baseline_choose(const struct annotation_list *annotations, struct options *options,
		     struct err *err);
