/*
 * Reads files of annotations.
 */
#pragma once

#include "core/annotation/annotation_parse.h"

/*
 * Read the file @path ("-": standard input) and add its annotations. ERR_IO; ERR_FORMAT: a syntax
 * error, with line and column, or no annotation. The caller frees @ret, which may already have
 * annotations.
 */
bool annotation_file_read(const char *path, struct annotation_list *ret, struct err *err);
