/*
 * Files of annotations.
 */
#pragma once

#include "core/annotation/annotation_parse.h"

/*
 * Read the file @path ("-": standard input) and add its annotations. ERR_IO; ERR_FORMAT: with line
 * and column, or because it has none. The caller frees @ret, which may have been used before.
 */
bool annotation_file_read(const char *path, struct annotation_list *ret, struct err *err);
