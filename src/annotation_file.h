/*
 * Files of annotations.
 */
#ifndef FATHOM_ANNOTATION_FILE_H
#define FATHOM_ANNOTATION_FILE_H

#include "core/annotation_parse.h"

/*
 * Read the file @path ("-": standard input) and add its annotations. ERR_IO; ERR_FORMAT: with line and column, or
 * because it has none. The caller frees @ret, which may have been used before.
 */
bool annotation_file_read(const char *path, struct annotation_list *ret, struct err *err);

#endif
