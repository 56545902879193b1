/* Tables of containers: refused with a line, or rows that can be asked for, each element's too. */
#include <string.h>

#include "dwarf/written/container_table.h"
#include "fuzz.h"

static void row_check(const struct container_row *row, struct arena *arena)
{
	struct container_row element;

	FUZZ_EXPECT(row->role <= CONTAINER_TEXT);
	FUZZ_EXPECT(!row->word == (row->role >= CONTAINER_CHECK));
	FUZZ_EXPECT(row->role == CONTAINER_ELEMENT || (row->value && row->text));
	for (unsigned index = 0; row->role == CONTAINER_ELEMENT && index < 1 << 20;
	     index = index * 8 + 1)
		if (container_table_element(row, index, arena, &element))
			FUZZ_EXPECT(element.word && element.value && element.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena *arena = arena_create();
	const char *text = arena_printf(arena, "%.*s", (int)(n < 8192 ? n : 8192), bytes);
	struct container_table *table = container_table_create();
	const struct container_kind *kind = NULL;
	struct err err = {0};

	if (!container_table_add(table, text, "mine", &err))
		FUZZ_EXPECT(err.code == ERR_FORMAT && !strncmp(err.text, "mine", 4));
	for (unsigned i = 0; i < 8 && (kind = container_table_find(table, text, kind)); i++)
		for (size_t j = 0; j < kind->n_rows; j++)
			row_check(&kind->rows[j], arena);
	kind = container_table_find(table, "A<int>", NULL);
	for (size_t j = 0; kind && j < kind->n_rows; j++)
		row_check(&kind->rows[j], arena);
	container_table_destroy(table);
	arena_destroy(arena);
	return 0;
}
