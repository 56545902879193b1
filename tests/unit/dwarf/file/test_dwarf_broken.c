/*
 * Files that are no programs, or broken ones: each gives an error or a catalogue, and never a
 * crash.
 */
#include "base/mem.h"
#include "dwarf_fixture.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	fclose(file);
}

static uint8_t *read_whole(const char *path, size_t *ret_n)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*ret_n = (size_t)ftell(file);
	rewind(file);
	bytes = mem_alloc(*ret_n);
	assert_int_equal(fread(bytes, 1, *ret_n, file), *ret_n);
	fclose(file);
	return bytes;
}

static void files_that_are_no_programs_are_refused(void **state)
{
	const char *scratch = scratch_file(state);

	assert_error("/nonexistent/program", NULL, ERR_IO, "/nonexistent/program");
	assert_error("/", NULL, ERR_IO, "directory");
	assert_error("/dev/null", NULL, ERR_IO, "not a regular file");
	write_file(scratch, "#!/bin/sh\nexit 0\n", 17);
	assert_error(scratch, NULL, ERR_FORMAT,
		     "not an ELF file: give the program itself, not a script");
	write_file(scratch, "", 0);
	assert_error(scratch, NULL, ERR_FORMAT, "not an ELF file");
	assert_error(fixture(state, "c-object"), NULL, ERR_UNSUPPORTED, "object file");
	assert_error(fixture(state, "c-stripped"), NULL, ERR_UNSUPPORTED,
		     "has no debug information: build it with -g, or install its -dbgsym package");
}

static void programs_of_other_machines_are_refused(void **state)
{
	const char *scratch = scratch_file(state);
	size_t n;
	uint8_t *bytes = read_whole(fixture(state, "c-O2"), &n);
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;

	header->e_machine = EM_AARCH64;
	write_file(scratch, bytes, n);
	assert_error(scratch, NULL, ERR_UNSUPPORTED, "not built for x86-64");
	header->e_machine = EM_X86_64;
	header->e_type = ET_CORE;
	write_file(scratch, bytes, n);
	assert_error(scratch, NULL, ERR_UNSUPPORTED, "core file");
	header->e_type = ET_DYN;
	header->e_ident[EI_CLASS] = ELFCLASS32;
	write_file(scratch, bytes, n);
	assert_error(scratch, NULL, ERR_UNSUPPORTED, "not built for x86-64");
	free(bytes);
}

/* Build a catalogue of whatever the file holds: an error or a catalogue, and nothing else. */
static void survive(const char *path)
{
	struct catalogue *catalogue;
	struct err err;

	if (build(path, NULL, &catalogue, &err)) {
		free(print(catalogue));
		catalogue_destroy(catalogue);
	} else {
		assert_true(err.code != ERR_NONE && err.text[0]);
		assert_null(strchr(err.text, '\n'));
	}
}

static void truncated_programs_do_no_harm(void **state)
{
	enum { LENGTHS = 150 };
	const char *scratch = scratch_file(state);
	size_t n;
	uint8_t *bytes = read_whole(fixture(state, "c-O2"), &n);

	for (size_t i = 0; i < LENGTHS; i++) {
		write_file(scratch, bytes, n * i / LENGTHS);
		survive(scratch);
	}
	free(bytes);
}

/* Where the section called @name lies in the file; false if there is none. */
static bool section_find(const uint8_t *bytes, const char *name, size_t *ret_offset,
			 size_t *ret_size)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + header->e_shoff);
	const char *names = (const char *)bytes + sections[header->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < header->e_shnum; i++) {
		if (!strcmp(names + sections[i].sh_name, name)) {
			*ret_offset = sections[i].sh_offset;
			*ret_size = sections[i].sh_size;
			return true;
		}
	}
	return false;
}

static void broken_programs_are_told_with_the_offset(void **state)
{
	const char *scratch = scratch_file(state);
	size_t n, offset, size;
	uint8_t *bytes = read_whole(fixture(state, "c-O2"), &n);
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;
	Elf64_Shdr *sections = (Elf64_Shdr *)(bytes + header->e_shoff);
	char text[64];

	write_file(scratch, bytes, n / 2);
	snprintf(text, sizeof(text), "its section headers, at offset 0x%lx, are not in the file",
		 (unsigned long)header->e_shoff);
	assert_error(scratch, NULL, ERR_FORMAT, text);

	header->e_phoff = n - 1;
	write_file(scratch, bytes, n);
	snprintf(text, sizeof(text), "program headers, at offset 0x%zx, are not in the file",
		 n - 1);
	assert_error(scratch, NULL, ERR_FORMAT, text);
	header->e_phoff = sizeof(*header);

	header->e_ident[EI_CLASS] = 0;
	write_file(scratch, bytes, n);
	assert_error(scratch, NULL, ERR_FORMAT, "the class at offset 0x4 of its header is 0");
	header->e_ident[EI_CLASS] = ELFCLASS64;

	assert_true(section_find(bytes, ".debug_info", &offset, &size));
	bytes[offset + 4] = 99; /* the version of the first unit */
	write_file(scratch, bytes, n);
	assert_error(scratch, NULL, ERR_FORMAT, "broken at offset 0x0 of .debug_info");

	sections[2].sh_size = UINT64_MAX;
	write_file(scratch, bytes, n);
	snprintf(text, sizeof(text), "section 2, of 0xffffffffffffffff bytes at offset 0x%lx",
		 (unsigned long)sections[2].sh_offset);
	assert_error(scratch, NULL, ERR_FORMAT, text);
	free(bytes);
}

/* A generator of its own, so that every run breaks the same bytes. */
static uint32_t random_next(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33);
}

static void programs_with_wrong_bytes_do_no_harm(void **state)
{
	static const char *const sections[] = {
		".debug_info", ".debug_abbrev", ".debug_line", ".debug_loclists", ".debug_rnglists",
		".debug_str",  ".eh_frame",     ".symtab",     ".text",           ".debug_aranges"};
	enum { COPIES = 60 };
	const char *scratch = scratch_file(state);
	uint64_t random = 1;
	size_t n, offset, size;
	uint8_t *bytes = read_whole(fixture(state, "c-O2"), &n);
	uint8_t *copy = mem_alloc(n);

	for (size_t s = 0; s < sizeof(sections) / sizeof(*sections); s++) {
		if (!section_find(bytes, sections[s], &offset, &size) || !size)
			continue;
		for (int i = 0; i < COPIES; i++) {
			memcpy(copy, bytes, n);
			for (uint32_t k = 0; k <= random_next(&random) % 8; k++)
				copy[offset + random_next(&random) % size] =
					(uint8_t)random_next(&random);
			write_file(scratch, copy, n);
			survive(scratch);
		}
	}
	for (int i = 0; i < COPIES; i++) {
		memcpy(copy, bytes, n);
		copy[random_next(&random) % sizeof(Elf64_Ehdr)] = (uint8_t)random_next(&random);
		write_file(scratch, copy, n);
		survive(scratch);
	}
	free(copy);
	free(bytes);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_are_no_programs_are_refused),
		cmocka_unit_test(programs_of_other_machines_are_refused),
		cmocka_unit_test(truncated_programs_do_no_harm),
		cmocka_unit_test(broken_programs_are_told_with_the_offset),
		cmocka_unit_test(programs_with_wrong_bytes_do_no_harm),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
