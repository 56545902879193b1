/*
 * Interned bytes: texts and plans that are kept once, however many functions have them. The globals
 * that a unit sees are features of all its functions.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"

/* What is kept lives in @arena, and outlives the table. */
struct interned *interned_create(struct arena *arena);
void interned_destroy(struct interned *interned); /* NULL is fine */

/* The copy of the @n bytes, aligned for any object; or of the text, with its end. */
const void *interned_bytes(struct interned *interned, const void *bytes, size_t n);
const char *interned_text(struct interned *interned, const char *text);
