/* Cache of annotations, so that none is made twice; and the description of one in a list line. */
#pragma once

#include "core/annotation/annotation.h"
#include "tui/explorer.h"

struct explorer_models;

struct explorer_models *explorer_models_create(void);
void explorer_models_destroy(struct explorer_models *fits); /* NULL is fine */

/*
 * Own @annotation, of @n_samples of the function @key, replacing an older one; NULL does nothing.
 */
void explorer_models_put(struct explorer_models *fits, const char *key, size_t n_samples,
			 struct annotation *annotation);
/* Hands over the annotation; NULL: none of exactly @n_samples. */
struct annotation *explorer_models_take(struct explorer_models *fits, const char *key,
					size_t n_samples, enum metric metric);

/* Fill in @ret's fields about models; @r2 is of all models together, texts are in @arena. */
void explorer_models_describe(const struct annotation *annotation, double r2, struct arena *arena,
			      struct explorer_entry *ret);
/* Number of models; with one, its R² is that of all. */
size_t explorer_models_of(const struct annotation *annotation);
/* R² of the first model; NAN: there is none. */
double explorer_models_r2(const struct annotation *annotation);
