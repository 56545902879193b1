/*
 * Leak detectors of compilers, which refuse to run at the end of a traced program and change its
 * exit status.
 */
#pragma once

#include <stdbool.h>

enum leak_detector {
	LEAKS_UNWATCHED,
	LEAKS_BY_ADDRESS_SANITIZER, /* -fsanitize=address: ASAN_OPTIONS, then LSAN_OPTIONS */
	LEAKS_BY_LEAK_SANITIZER,    /* -fsanitize=leak: LSAN_OPTIONS */
};

/* Which one the program @path was built with; a file that cannot be read has none. */
enum leak_detector leak_sanitizer_detector(const char *path);

/*
 * Do these options (flag=value, with colons, commas or space between), or NULL, switch leak
 * detection off? @before: was it already? The last word counts. A pure function.
 */
bool leak_sanitizer_are_off(const char *options, bool before);
