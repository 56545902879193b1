/*
 * USDT probes: places that programmers marked with the macros of <sys/sdt.h>, each a no-op with a
 * note on where its arguments are. Source: systemtap's wiki, UserSpaceProbeImplementation.
 */
#pragma once

#include "elf_file.h"

struct stap_probe {
	const char *provider, *name;
	const char *arguments; /* "-4@%edi 8@-16(%rbp)" */
	uint64_t addr;         /* link-time */
	/* Link-time, of a counter of those who listen, which the program may ask before; 0: none */
	uint64_t semaphore_addr;
};

/* The probes of @provider, in @arena; damaged notes are skipped. Returns their number. */
size_t stap_probes_find(const struct elf_file *image, const char *provider, struct arena *arena,
			const struct stap_probe **ret);
