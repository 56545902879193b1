/*
 * CSV from anybody: it is imported into a profile, or refused with the line; what came in goes out,
 * and what went out comes in again as the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "profile/csv/csv.h"

/* A profile without anything, made once: what an input adds is undone. */
static struct profile *profile_begin(void)
{
	static struct profile *empty;
	struct err err;

	if (!empty)
		FUZZ_EXPECT(profile_open_to_add(NULL, NULL, &empty, &err));
	FUZZ_EXPECT(profile_begin_whole(empty, &err));
	return empty;
}

static void profile_undo(struct profile *profile)
{
	const char *const *keys;
	struct err err;

	profile_end_whole(profile, false, &err);
	FUZZ_EXPECT(!profile_runs(profile) && !profile_functions(profile, &keys));
}

/* Everything in @profile, as text to be freed. */
static char *export_all(struct profile *profile, size_t *ret_size)
{
	const char *const *keys;
	size_t n = profile_functions(profile, &keys);
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_size);
	struct err err;

	FUZZ_EXPECT(csv_export(profile, &(struct csv_selection){keys, n, NULL, NULL}, out, &err));
	fclose(out);
	return text;
}

static bool import_bytes(const char *bytes, size_t n, struct profile *profile)
{
	FILE *file = fmemopen((void *)bytes, n, "r");
	struct err err = {0};
	size_t rows = 0;
	bool ok;

	FUZZ_EXPECT(file);
	ok = csv_import(file, "input", profile, &rows, &err);
	FUZZ_EXPECT(ok || (err.code != ERR_NONE && err.text[0]));
	fclose(file);
	return ok;
}

static void round_trip(const char *text, size_t size)
{
	struct profile *profile = profile_begin();
	size_t again_size;
	char *again;

	FUZZ_EXPECT(import_bytes(text, size, profile));
	again = export_all(profile, &again_size);
	FUZZ_EXPECT(again_size == size && memcmp(again, text, size) == 0);
	free(again);
	profile_undo(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct profile *profile;
	const char *const *keys;
	bool imported;
	size_t size;
	char *text;

	if (!n)
		return 0;
	profile = profile_begin();
	imported = import_bytes((const char *)bytes, n, profile);
	text = export_all(profile, &size);
	imported = imported && profile_functions(profile, &keys);
	profile_undo(profile);
	if (imported)
		round_trip(text, size);
	free(text);
	return 0;
}
