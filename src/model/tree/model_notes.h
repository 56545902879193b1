/*
 * Notes: what people should know about a model, a sentence each.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "model/regression/fit.h"

enum { NOTES_MAX = 8 };

/*
 * The notes for @annotation, which has its features and cases already. @fits are the @n fits in it
 * (none: there is no model), which may have been made from parts of @data; @loose is one of @data
 * that was refused for explaining too little, or NULL. Sets the annotation's notes, which live in
 * its arena: at most NOTES_MAX.
 */
void model_notes_write(struct annotation *annotation, const struct dataset *data,
		       const struct fit *const *fits, size_t n, const struct fit *loose);
