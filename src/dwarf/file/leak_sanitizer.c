/*
 * Detects leak sanitizers by the dynamic symbols that a program needs from their run-time library.
 */
#include "leak_sanitizer.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* Does the string table contain exactly @name? */
static bool leak_has_name(const Elf_Data *data, const char *name)
{
	const size_t size = strlen(name) + 1;
	const char *bytes = data->d_buf;
	const char *at;

	for (at = bytes; data->d_size - (at - bytes) >= size; at++) {
		at = memmem(at, data->d_size - (at - bytes), name, size);
		if (!at)
			return false;
		if (at == bytes || at[-1] == '\0')
			return true;
	}
	return false;
}

/* Dynamic symbols name the run-time library's functions whether it is linked statically or not. */
static enum leak_detector detector_of(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_STRTAB ||
		    !(header.sh_flags & SHF_ALLOC) || !(data = elf_getdata(section, NULL)) ||
		    !data->d_buf)
			continue;
		if (leak_has_name(data, "__asan_init"))
			return LEAKS_BY_ADDRESS_SANITIZER;
		if (leak_has_name(data, "__lsan_init"))
			return LEAKS_BY_LEAK_SANITIZER;
	}
	return LEAKS_UNCHECKED;
}

enum leak_detector leak_sanitizer_detector(const char *path)
{
	enum leak_detector detector = LEAKS_UNCHECKED;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	if (fd < 0)
		return detector;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		detector = detector_of(elf);
	elf_end(elf);
	close(fd);
	return detector;
}

static bool leak_is_word(const char *text, size_t n, const char *word)
{
	return n == strlen(word) && !strncmp(text, word, n);
}

bool leak_sanitizer_is_off(const char *options, bool before)
{
	static const char flag[] = "detect_leaks=", between[] = ":, \t\n";
	bool off = before;

	while (options && *options) {
		size_t n = strcspn(options, between);
		const char *value = options + sizeof(flag) - 1;

		if (!strncmp(options, flag, sizeof(flag) - 1)) {
			size_t length = n - (sizeof(flag) - 1);

			off = leak_is_word(value, length, "0") ||
			      leak_is_word(value, length, "no") ||
			      leak_is_word(value, length, "false");
		}
		options += n;
		options += strspn(options, between);
	}
	return off;
}
