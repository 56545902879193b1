/* Features as users write them: refused in one line, or a bounded tree whose text reads back as it is. */
#include <string.h>

#include "dwarf/written/written_parse.h"
#include "fuzz.h"

static size_t tree_size(const struct written *tree)
{
	FUZZ_EXPECT(tree->kind <= WRITTEN_OR);
	FUZZ_EXPECT(tree->text || (tree->kind != WRITTEN_NAME && tree->kind != WRITTEN_CAST));
	return 1 + (tree->left ? tree_size(tree->left) : 0) +
	       (tree->right ? tree_size(tree->right) : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena *arena = arena_create();
	const char *text = arena_printf(arena, "%.*s", (int)(n < 2048 ? n : 2048), bytes);
	const struct written *tree, *again;
	const char *once, *twice;
	struct err err = {0};

	if (!written_parse(text, arena, &tree, &once, &err)) {
		FUZZ_EXPECT(err.code == ERR_FORMAT && err.text[0]);
	} else {
		FUZZ_EXPECT(tree_size(tree) <= WRITTEN_LENGTH_MAX);
		if (strlen(once) <= WRITTEN_LENGTH_MAX) {
			FUZZ_EXPECT(written_parse(once, arena, &again, &twice, &err));
			FUZZ_EXPECT(!strcmp(once, twice) && tree_size(tree) == tree_size(again));
		}
	}
	arena_destroy(arena);
	return 0;
}
