/*
 * Interned bytes: texts and plans kept once, however many functions share them. All functions of a
 * unit have its globals as features.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"

/* Interned bytes live in @arena, and outlive the table. */
struct interned *interned_create(struct arena *arena);
void interned_destroy(struct interned *interned); /* NULL is fine */

/* The copy of the @n bytes, aligned for any object; or of the text, with its zero byte. */
const void *interned_bytes(struct interned *interned, const void *bytes, size_t n);
const char *interned_text(struct interned *interned, const char *text);
