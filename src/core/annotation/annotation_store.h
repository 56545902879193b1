/*
 * Annotations as bytes, so that they can be kept: unlike the language, which is for people, they
 * lose nothing.
 *
 * Only what fathom makes itself can be stored: no functions, groups or references.
 */
#pragma once

#include "annotation.h"

/* Returns the bytes of @annotation, which the caller frees. NULL: it cannot be stored. */
char *annotation_store_write(const struct annotation *annotation, size_t *ret_size);

/* From any @bytes: NULL unless they are of an annotation that makes sense. The caller owns it. */
struct annotation *annotation_store_read(const char *bytes, size_t size);
