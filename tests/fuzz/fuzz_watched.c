/* Texts of .fathom/config: an error, or programs whose words all end; never more than there are lines. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "fuzz.h"
#include "history/watched.h"

static void look_at(const struct watched *watched, size_t n)
{
	size_t i, j;

	FUZZ_EXPECT(watched->n <= n);
	for (i = 0; i < watched->n; i++) {
		const struct watched_program *program = &watched->programs[i];

		FUZZ_EXPECT(program->n_words >= 1 && !program->words[program->n_words]);
		for (j = 0; j < program->n_words; j++)
			FUZZ_EXPECT(strlen(program->words[j]) <= n);
		for (j = 0; j < program->n_functions; j++)
			FUZZ_EXPECT(*program->functions[j]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const int file = memfd_create("config", MFD_CLOEXEC);
	struct arena *arena = arena_create();
	struct watched watched;
	struct err err = {0};
	char path[40];

	FUZZ_EXPECT(write(file, bytes, n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (watched_read(path, arena, &watched, &err))
		look_at(&watched, n);
	else
		FUZZ_EXPECT(*err.text && !strchr(err.text, '\n'));
	arena_destroy(arena);
	close(file);
	return 0;
}
