/*
 * Reads files of annotations.
 */
#pragma once

#include "core/annotation/annotation_parse.h"

/*
 * Append the annotations of the file @path ("-": standard input) to @ret, which the caller frees.
 * ERR_IO; ERR_FORMAT: a syntax error, with line and column, no annotation, a profile, or too large.
 */
bool annotation_file_read(const char *path, struct annotation_list *ret, struct err *err);

/* Is there a profile rather than annotations? False also if it cannot be read. */
bool annotation_file_is_profile(const char *path);
