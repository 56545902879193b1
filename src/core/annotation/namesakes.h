/*
 * Functions of one printed name: parts of a coroutine, clones, constructors, static functions of
 * several files. Where an annotation could mean another one its function's name is followed by a
 * word in brackets: "work(int) [resume]".
 */
#pragma once

#include "annotation.h"

struct namesake {
	const char *name;           /* as printed, without a word */
	const char *linkage, *file; /* NULL: not known */
	unsigned line;
};

enum namesakes {
	NAMESAKES_OTHER,
	NAMESAKES_ALIKE, /* it has that name, and may be another part, clone or copy */
	NAMESAKES_SAME,
};

/*
 * Add words to the names of those functions of @list that others share: what the linkage name has
 * behind its last dot, the linkage name, or the place.
 */
void namesakes_tell_apart(struct annotation *const *list, size_t n);

/* Is @function, of an annotation, perhaps with a word, @namesake? */
enum namesakes namesakes_match(const char *function, const struct namesake *namesake);

/* A pattern that finds @function in programs, in @arena; others of its name may be found, too. */
const char *namesakes_pattern(const char *function, struct arena *arena);
