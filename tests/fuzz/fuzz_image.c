/*
 * The ELF image: a whole catalogue of a file that holds anything. Relocatable inputs are taken for
 * the split debug information (.dwo) of the program FATHOM_FUZZ_SPLIT.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

struct place {
	char folder[64], program[96], split_program[96], dwo[96];
};

static void file_write(const char *path, const uint8_t *bytes, size_t n)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	FUZZ_EXPECT(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
}

static void place_make(struct place *place)
{
	strcpy(place->folder, "/tmp/fathom-fuzz-XXXXXX");
	FUZZ_EXPECT(mkdtemp(place->folder));
	snprintf(place->program, sizeof(place->program), "%s/program", place->folder);
	snprintf(place->split_program, sizeof(place->split_program), "%s/split", place->folder);
	snprintf(place->dwo, sizeof(place->dwo), "%s/split.dwo", place->folder);
}

static void place_remove(const struct place *place)
{
	unlink(place->program);
	unlink(place->split_program);
	unlink(place->dwo);
	rmdir(place->folder);
}

/* libdw looks for the file that the program names in the program's folder. */
static bool is_split(const uint8_t *bytes, size_t n)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;

	return n >= sizeof(*header) && header->e_type == ET_REL && getenv("FATHOM_FUZZ_SPLIT");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct place place;

	place_make(&place);
	if (is_split(bytes, n)) {
		file_write(place.dwo, bytes, n);
		FUZZ_EXPECT(symlink(getenv("FATHOM_FUZZ_SPLIT"), place.split_program) == 0);
		fuzz_catalogue(place.split_program, NULL);
	} else {
		file_write(place.program, bytes, n);
		fuzz_catalogue(place.program, NULL);
	}
	place_remove(&place);
	return 0;
}
