/*
 * Fuzz targets: the parsers of outside bytes, each as a function over any bytes.
 *
 * libFuzzer's interface (clang -fsanitize=fuzzer); driver.c runs them without it. What a target
 * finds wrong it tells by abort(). What targets share is in fuzz.c.
 */
#ifndef FATHOM_TESTS_FUZZ_H
#define FATHOM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "core/catalogue/catalogue.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Run @n verified plans on registers and memory that are made up, with holes. */
void fuzz_run_plans(const struct read_plan *const *plans, size_t n);

/* What of a file is looked at besides its catalogue; an input's bytes choose, as all takes long. */
enum fuzz_parts {
	FUZZ_GRAPH = 1,     /* its code graph */
	FUZZ_LIBRARIES = 2, /* libraries of this system that it is said to use */
	FUZZ_WRITTEN = 4,   /* features that a user writes */
	FUZZ_DEEP = 8,      /* features behind three pointers, not one */
};

/* The parts that these bytes choose: a library one time in 64, others one in four. */
unsigned fuzz_parts(const uint8_t *bytes, size_t n);

/*
 * Build a catalogue of the file @path, of @pattern (NULL: of all functions), with @parts; check
 * that it is in order, print it, and run its plans.
 */
void fuzz_catalogue(const char *path, const char *pattern, unsigned parts);

/* The same of a file that has these bytes. */
void fuzz_catalogue_bytes(const uint8_t *bytes, size_t n, const char *pattern);

/* Does the condition hold? If not, say so and abort. */
#define FUZZ_EXPECT(condition) ((condition) ? (void)0 : fuzz_failed(#condition, __FILE__, __LINE__))
void fuzz_failed(const char *condition, const char *file, int line);

#endif
