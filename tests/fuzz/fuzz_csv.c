/*
 * CSV from anybody: it is imported into a profile, or refused with the line; what came in goes out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "profile/csv/csv.h"

static void export_all(struct profile *profile)
{
	const char *const *keys;
	size_t n = profile_functions(profile, &keys);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct err err;

	FUZZ_EXPECT(csv_export(profile, &(struct csv_selection){keys, n, NULL, NULL}, out, &err));
	fclose(out);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	FILE *file = n ? fmemopen((void *)bytes, n, "r") : NULL;
	struct err err = {0};
	struct profile *profile;
	size_t rows = 0;

	if (!file)
		return 0;
	FUZZ_EXPECT(profile_open_to_add(NULL, NULL, &profile, &err));
	if (!csv_import(file, "input", profile, &rows, &err))
		FUZZ_EXPECT(err.code != ERR_NONE && err.text[0]);
	export_all(profile);
	profile_close(profile);
	fclose(file);
	return 0;
}
