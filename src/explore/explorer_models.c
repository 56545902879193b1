/* A hash table of annotations by function and metric. The caller locks. */
#include "explorer_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/arena.h"
#include "base/mem.h"

struct fit {
	char *key;
	size_t n_samples;
	struct annotation *annotations[METRIC_COUNT];
	UT_hash_handle hh;
};

struct explorer_models {
	struct fit *by_key; /* hash table */
};

struct explorer_models *explorer_models_create(void)
{
	return mem_alloc(sizeof(struct explorer_models));
}

static void fit_forget(struct fit *fit)
{
	enum metric metric;

	for (metric = 0; metric < METRIC_COUNT; metric++) {
		annotation_destroy(fit->annotations[metric]);
		fit->annotations[metric] = NULL;
	}
}

void explorer_models_destroy(struct explorer_models *fits)
{
	struct fit *fit, *next;

	if (!fits)
		return;
	HASH_ITER (hh, fits->by_key, fit, next) {
		HASH_DEL(fits->by_key, fit);
		fit_forget(fit);
		free(fit->key);
		free(fit);
	}
	free(fits);
}

static struct fit *fit_find(const struct explorer_models *fits, const char *key)
{
	struct fit *fit;

	HASH_FIND_STR(fits->by_key, key, fit);
	return fit;
}

static struct fit *fit_add(struct explorer_models *fits, const char *key)
{
	struct fit *fit = mem_alloc(sizeof(*fit));

	fit->key = strdup(key);
	HASH_ADD_KEYPTR(hh, fits->by_key, fit->key, strlen(fit->key), fit);
	return fit;
}

void explorer_models_put(struct explorer_models *fits, const char *key, size_t n_samples,
			 struct annotation *annotation)
{
	struct fit *fit = fit_find(fits, key);

	if (!annotation)
		return;
	if (!fit)
		fit = fit_add(fits, key);
	if (fit->n_samples > n_samples) {
		annotation_destroy(annotation);
		return;
	}
	if (fit->n_samples < n_samples)
		fit_forget(fit);
	fit->n_samples = n_samples;
	annotation_destroy(fit->annotations[annotation->metric]);
	fit->annotations[annotation->metric] = annotation;
}

struct annotation *explorer_models_take(struct explorer_models *fits, const char *key,
					size_t n_samples, enum metric metric)
{
	struct fit *fit = fit_find(fits, key);
	struct annotation *annotation;

	if (!fit || fit->n_samples != n_samples)
		return NULL;
	annotation = fit->annotations[metric];
	fit->annotations[metric] = NULL;
	return annotation;
}

/* The most likely model of the case with the most samples. */
static const struct model *main_model(const struct annotation *annotation)
{
	const struct model *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < annotation->n_cases; i++) {
		const struct annotation_case *one = &annotation->cases[i];
		const struct model *likeliest = &one->models[0];
		size_t n = 0;

		for (size_t j = 0; j < one->n_models; j++) {
			n += one->models[j].n_samples;
			if (one->models[j].probability > likeliest->probability)
				likeliest = &one->models[j];
		}
		if (!best || n > most) {
			best = likeliest;
			most = n;
		}
	}
	return best;
}

size_t explorer_models_of(const struct annotation *annotation)
{
	size_t n = 0;

	for (size_t i = 0; i < annotation->n_cases; i++)
		n += annotation->cases[i].n_models;
	return n;
}

double explorer_models_r2(const struct annotation *annotation)
{
	return annotation->n_cases ? annotation->cases[0].models[0].r2 : NAN;
}

void explorer_models_describe(const struct annotation *annotation, double r2, struct arena *arena,
			      struct explorer_entry *ret)
{
	const size_t n = explorer_models_of(annotation);
	const struct model *model = main_model(annotation);
	char *text = NULL;
	size_t size;
	FILE *out;

	ret->is_modelled = true;
	ret->n_cases = annotation->n_cases;
	ret->r2 = r2;
	ret->formula = NULL;
	out = model ? open_memstream(&text, &size) : NULL;
	if (!out)
		return;
	if (n > 1)
		fprintf(out, "1 of %zu: ", n);
	annotation_print_formula(annotation, &model->mean, out);
	if (fclose(out) == 0)
		ret->formula = arena_strdup(arena, text);
	free(text);
}
