/*
 * Annotations that were made, so that nobody makes them twice; and what a line says of one.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "tui/views/explorer.h"

struct explorer_models;

struct explorer_models *explorer_models_create(void);
void explorer_models_destroy(struct explorer_models *fits); /* NULL is fine */

/*
 * Takes @annotation, of so many samples of the function @key, in the place of older ones; NULL is
 * nothing.
 */
void explorer_models_put(struct explorer_models *fits, const char *key, size_t n_samples,
			 struct annotation *annotation);
/* It is the caller's. NULL: there is none of just so many samples. */
struct annotation *explorer_models_take(struct explorer_models *fits, const char *key,
					size_t n_samples, enum metric metric);

/* Fill in what @ret says of models; @r2 is that of all of them together, texts are in @arena. */
void explorer_models_describe(const struct annotation *annotation, double r2, struct arena *arena,
			      struct explorer_entry *ret);
/* How many models the annotation has: of one its own R² is that of all. */
size_t explorer_models_models(const struct annotation *annotation);
/* What the only model, or the first, explains; NAN: nothing. */
double explorer_models_r2(const struct annotation *annotation);
