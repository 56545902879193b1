/* Notes: what users should know about a model, a sentence each. */
#pragma once

#include "core/annotation/annotation.h"
#include "model/regression/fit.h"

enum { NOTES_MAX = 12 };

/*
 * Set the notes of @annotation, at most NOTES_MAX, in its arena; its features and cases are set
 * already. @fits are its @n fits (0: there is no model), perhaps of parts of @data; @loose is a fit
 * of @data that was refused for explaining too little, or NULL.
 */
void model_notes_write(struct annotation *annotation, const struct dataset *data,
		       const struct fit *const *fits, size_t n, const struct fit *loose);
