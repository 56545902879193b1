/*
 * Location expressions: the input is one, or two with a zero byte between (the first is that of the
 * frame base then), and takes the place of those in the program FATHOM_FUZZ_LOCATION
 * (seeds/location.S). So libdw parses it, fathom compiles it, and the read plans that come of it
 * are verified and run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"

enum { SLOT = 64, PROGRAM_SIZE_MAX = 1 << 16, MARKER_BASE = 0xe0, MARKERS = 4 };

static size_t program_copy(uint8_t *ret)
{
	static uint8_t bytes[PROGRAM_SIZE_MAX];
	static size_t n;
	FILE *file;

	if (!n) {
		file = fopen(getenv("FATHOM_FUZZ_LOCATION") ?: "", "rb");
		FUZZ_EXPECT(file);
		n = fread(bytes, 1, sizeof(bytes), file);
		fclose(file);
	}
	memcpy(ret, bytes, n);
	return n;
}

/*
 * Put the expression into a slot: a length and 64 bytes, then another length, of what is left over.
 */
static void slot_fill(uint8_t *slot, const uint8_t *expression, size_t n)
{
	n = n < SLOT ? n : SLOT;
	memset(slot, 0, SLOT + 2);
	slot[0] = (uint8_t)n;
	if (n)
		memcpy(slot + 1, expression, n);
	slot[1 + n] = (uint8_t)(SLOT - n);
}

static unsigned slots_fill(uint8_t *program, size_t size, unsigned marker,
			   const uint8_t *expression, size_t n)
{
	uint8_t pattern[SLOT];
	unsigned filled = 0;
	size_t at = 0;
	uint8_t *found;

	memset(pattern, MARKER_BASE + (int)marker, sizeof(pattern));
	while ((found = memmem(program + at, size - at, pattern, sizeof(pattern)))) {
		slot_fill(found - 1, expression, n);
		at = (size_t)(found - program) + SLOT;
		filled++;
	}
	return filled;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const uint8_t call_frame_cfa[] = {0x9c};
	const uint8_t *split = n ? memchr(bytes, 0, n) : NULL;
	const size_t first = split && n > 1 ? (size_t)(split - bytes) : 0;
	const uint8_t *rest = first ? split + 1 : bytes;
	const size_t n_rest = n - (size_t)(rest - bytes);
	uint8_t *program = mem_alloc(PROGRAM_SIZE_MAX);
	const size_t size = program_copy(program);

	FUZZ_EXPECT(slots_fill(program, size, 0, first ? bytes : call_frame_cfa,
			       first ? first : sizeof(call_frame_cfa)) == 1);
	for (unsigned i = 1; i < MARKERS; i++)
		FUZZ_EXPECT(slots_fill(program, size, i, rest, n_rest) > 0);
	fuzz_catalogue_bytes(program, size, "start");
	free(program);
	return 0;
}
