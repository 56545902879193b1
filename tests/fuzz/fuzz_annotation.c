/*
 * The annotation language: parse, print, parse again; formulas have a value or none. Pieces of the
 * input as names, expressions and notes read back as they are. Annotations as bytes, some changed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "../support/annotation_texts.h"
#include "core/annotation/annotation_parse.h"
#include "core/annotation/annotation_store.h"
#include "core/annotation/budget.h"
#include "fuzz.h"

static char *printed(const struct annotation_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	size_t i;

	for (i = 0; i < list->n; i++)
		annotation_print(list->list[i], out);
	fclose(out);
	return text;
}

static void evaluate(const struct annotation *annotation)
{
	double *x = mem_alloc((annotation->n_features + 1) * sizeof(*x));
	size_t i, j;

	for (i = 0; i < annotation->n_features; i++)
		x[i] = (double)i - 1;
	for (i = 0; i < annotation->n_cases; i++)
		for (j = 0; j < annotation->cases[i].n_models; j++) {
			annotation_value(&annotation->cases[i].models[j].mean, x);
			annotation_value(&annotation->cases[i].models[j].deviation, x);
		}
	free(x);
}

static void parse_budgets(const struct annotation_list *list)
{
	struct arena *arena = arena_create();
	struct budget budget;
	struct err err;
	size_t i;

	for (i = 0; i < list->n_budgets; i++) {
		budget_parse(list->budgets[i], arena, &budget, &err);
		budget_parse_gate(list->budgets[i], arena, &budget, &err);
	}
	arena_destroy(arena);
}

/* What is printed means the same. */
static void check_text(const struct annotation_list *list)
{
	struct annotation_list again = {.n = 0};
	char *text = printed(list);
	char *again_text;
	struct err err;

	if (!annotation_parse(text, strlen(text), &again, &err)) {
		fprintf(stderr, "%s\nin what was printed:\n%s", err.text, text);
		abort();
	}
	again_text = printed(&again);
	if (strcmp(text, again_text) != 0)
		fprintf(stderr, "%s\nbecame:\n%s", text, again_text);
	FUZZ_EXPECT(!strcmp(text, again_text));
	free(text);
	free(again_text);
	annotation_parse_deinit(&again);
}

/* What was stored is read, and stored again as it was. */
static void check_stored(const char *bytes, size_t n)
{
	struct annotation *annotation = annotation_store_read(bytes, n);
	size_t size;
	char *again;

	if (!annotation)
		return;
	again = annotation_store_write(annotation, &size);
	FUZZ_EXPECT(again);
	free(again);
	annotation_destroy(annotation);
}

/* The input itself, and annotations into which some of its bytes are written. */
static void check_store(const struct annotation_list *list, const uint8_t *bytes, size_t n)
{
	size_t i, j, size;

	check_stored((const char *)bytes, n);
	for (i = 0; i < list->n; i++) {
		char *stored = annotation_store_write(list->list[i], &size);

		if (!stored)
			continue;
		check_stored(stored, size);
		for (j = 0; j + 2 < n && j < 30; j += 3) {
			stored[(bytes[j] << 8 | bytes[j + 1]) % size] = (char)bytes[j + 2];
			check_stored(stored, size);
		}
		free(stored);
	}
}

/* Cut anywhere, up to a zero byte. */
static void check_pieces(const uint8_t *bytes, size_t n)
{
	enum { LENGTHS = 32 };
	struct annotation_texts texts = {.n_more = n % 3};
	char pieces[ANNOTATION_TEXTS][LENGTHS];
	size_t i;

	for (i = 0; i < ANNOTATION_TEXTS; i++) {
		size_t at = n * i / ANNOTATION_TEXTS;
		size_t length = n ? bytes[at] % LENGTHS : 0;

		length = length < n - at ? length : n - at;
		memcpy(pieces[i], bytes + at, length);
		pieces[i][length] = '\0';
		texts.all[i] = pieces[i];
	}
	FUZZ_EXPECT(texts_read_back(&texts, n % METRIC_COUNT));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct annotation_list list = {.n = 0};
	struct err err = {0};
	size_t i;

	if (annotation_parse((const char *)bytes, n, &list, &err)) {
		for (i = 0; i < list.n; i++)
			evaluate(list.list[i]);
		check_text(&list);
		check_store(&list, bytes, n);
	} else {
		FUZZ_EXPECT(err.code == ERR_FORMAT && err.text[0] && list.n == 0);
	}
	parse_budgets(&list);
	annotation_parse_deinit(&list);
	check_pieces(bytes, n);
	return 0;
}
