/* Annotations as bytes: nothing is lost, and what makes no sense is not read. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/annotation/annotation_parse.h"
#include "core/annotation/annotation_store.h"

static const char language[] =
	"work.time { features: int n = list->n; bool b = p != NULL; annotations:"
	" [n <= 10 && b] { {0.25} Norm(1 + 2*n*log(n), 3); {0.75} Norm(4, 0.5*n); }"
	" [n <= 10 && !b] R Norm(7, 1); [n > 10] Norm(3*n^2.5 + 2^n, 1); }";

/* Of the language, and what it does not have. */
static struct annotation_list some(void)
{
	static const struct annotation_affine affine[] = {{"list->bytes", 8, 4096}};
	static const char *const texts[] = {"", "x y\n%s", "123 "};
	struct annotation_list list = {.n = 0};
	struct annotation *annotation;
	struct err err;

	if (!annotation_parse(language, strlen(language), &list, &err))
		fail_msg("%s", err.text);
	annotation = list.list[0];
	annotation->line = 7;
	annotation->module = "/lib/x y";
	annotation->n_samples = 12345678901;
	annotation->left_out = (struct annotation_left_out){true, 3, 4, -0.1, 0.5};
	annotation->notes = texts;
	annotation->n_notes = 3;
	((struct annotation_feature *)annotation->features)[0].affine = affine;
	((struct annotation_feature *)annotation->features)[0].n_affine = 1;
	((struct annotation_feature *)annotation->features)[1].kin = texts;
	((struct annotation_feature *)annotation->features)[1].n_kin = 2;
	((struct model *)annotation->cases[2].models)[0].low = 0.1;
	((struct model *)annotation->cases[2].models)[0].is_unexplained = true;
	((struct model *)annotation->cases[2].models)[0].is_rest = true;
	((struct model *)annotation->cases[2].models)[0].r2 = NAN;
	((struct term *)annotation->cases[2].models[0].mean.terms)[0].std_error = 1.0 / 3;
	return list;
}

static char *bytes_of(const struct annotation *annotation, size_t *ret_size)
{
	char *bytes = annotation_store_write(annotation, ret_size);

	assert_non_null(bytes);
	return bytes;
}

static void nothing_is_lost(void **state)
{
	struct annotation_list list = some();
	size_t size, again_size;
	char *bytes = bytes_of(list.list[0], &size);
	struct annotation *read = annotation_store_read(bytes, size);
	char *again;

	(void)state;
	assert_non_null(read);
	again = bytes_of(read, &again_size);
	assert_int_equal(again_size, size);
	assert_memory_equal(again, bytes, size);
	assert_string_equal(read->notes[1], "x y\n%s");
	assert_string_equal(read->module, "/lib/x y");
	assert_null(read->file);
	assert_int_equal(read->n_cases, 3);
	assert_true(read->cases[2].models[0].mean.terms[0].std_error == 1.0 / 3);
	assert_true(isnan(read->cases[2].models[0].r2));
	assert_true(read->features[0].affine[0].offset == 4096);
	annotation_destroy(read);
	free(again);
	free(bytes);
	annotation_parse_deinit(&list);
}

static void what_is_cut_or_goes_on_is_not_read(void **state)
{
	struct annotation_list list = some();
	size_t size, i;
	char *bytes = bytes_of(list.list[0], &size);

	(void)state;
	for (i = 0; i < size; i++)
		assert_null(annotation_store_read(bytes, i));
	bytes = realloc(bytes, size + 2);
	memcpy(bytes + size, "0 ", 2);
	assert_null(annotation_store_read(bytes, size + 2));
	free(bytes);
	annotation_parse_deinit(&list);
}

/* Any byte changed: what is read can be written. */
static void what_is_changed_makes_sense_or_is_not_read(void **state)
{
	static const char other[] = " 09-xz";
	struct annotation_list list = some();
	size_t size, i, j;
	char *bytes = bytes_of(list.list[0], &size);

	(void)state;
	for (i = 0; i < size; i++)
		for (j = 0; j < sizeof(other); j++) {
			const char before = bytes[i];
			struct annotation *read;
			size_t again;

			bytes[i] = other[j];
			read = annotation_store_read(bytes, size);
			if (read)
				free(bytes_of(read, &again));
			annotation_destroy(read);
			bytes[i] = before;
		}
	free(bytes);
	annotation_parse_deinit(&list);
}

static void what_people_wrote_cannot_be_stored(void **state)
{
	static const char text[] =
		"work.time { features: int n = n; annotations: Norm(max(n, 3), 1); }";
	struct annotation_list list = {.n = 0};
	struct err err;
	size_t size;

	(void)state;
	assert_true(annotation_parse(text, strlen(text), &list, &err));
	assert_null(annotation_store_write(list.list[0], &size));
	annotation_parse_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(what_is_cut_or_goes_on_is_not_read),
		cmocka_unit_test(what_is_changed_makes_sense_or_is_not_read),
		cmocka_unit_test(what_people_wrote_cannot_be_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
