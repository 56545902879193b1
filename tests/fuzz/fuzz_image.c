/*
 * The ELF image: a whole catalogue of a file that holds anything. Relocatable inputs are taken for
 * the split debug information (.dwo) of the program FATHOM_FUZZ_SPLIT.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "fuzz.h"

/* The folder of the program with split debug information, made once in a process. */
struct place {
	char folder[64], program[96], dwo[96];
};

static struct place place;

static void place_remove(void)
{
	unlink(place.program);
	unlink(place.dwo);
	rmdir(place.folder);
}

/* A copy: libdw looks beside the file that a symbolic link leads to. */
static void program_put(const char *from, const char *to)
{
	const int in = open(from, O_RDONLY | O_CLOEXEC);
	const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	FUZZ_EXPECT(in >= 0 && out >= 0 && sendfile(out, in, NULL, 1 << 20) > 0);
	close(in);
	close(out);
}

static void place_make(void)
{
	if (*place.folder)
		return;
	strcpy(place.folder, "/tmp/fathom-fuzz-XXXXXX");
	FUZZ_EXPECT(mkdtemp(place.folder));
	snprintf(place.program, sizeof(place.program), "%s/split", place.folder);
	snprintf(place.dwo, sizeof(place.dwo), "%s/split.dwo", place.folder);
	program_put(getenv("FATHOM_FUZZ_SPLIT"), place.program);
	atexit(place_remove);
}

static void dwo_write(const uint8_t *bytes, size_t n)
{
	const int fd = open(place.dwo, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	FUZZ_EXPECT(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
}

/* libdw looks for the file that the program names in the program's folder. */
static bool is_split(const uint8_t *bytes, size_t n)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;

	return n >= sizeof(*header) && header->e_type == ET_REL && getenv("FATHOM_FUZZ_SPLIT");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (!is_split(bytes, n)) {
		fuzz_catalogue_bytes(bytes, n, NULL);
		return 0;
	}
	place_make();
	dwo_write(bytes, n);
	fuzz_catalogue(place.program, NULL, fuzz_parts(bytes, n));
	return 0;
}
