/*
 * Leak detectors of compilers: they refuse to run at the end of a traced program, and then change
 * its exit status.
 */
#pragma once

#include <stdbool.h>

enum leak_detector {
	LEAKS_UNCHECKED,
	LEAKS_BY_ADDRESS_SANITIZER, /* -fsanitize=address: ASAN_OPTIONS, then LSAN_OPTIONS */
	LEAKS_BY_LEAK_SANITIZER,    /* -fsanitize=leak: LSAN_OPTIONS */
};

/* The detector that the program @path was built with; LEAKS_UNCHECKED if it cannot be read. */
enum leak_detector leak_sanitizer_detector(const char *path);

/*
 * Is leak detection off after these @options (flag=value, separated by colons, commas or spaces;
 * NULL: none)? @before: was it off already? The last setting wins. A pure function.
 */
bool leak_sanitizer_is_off(const char *options, bool before);
