/* Sets of names: what is pinned, folded and so on. There are few, as each is a key that somebody pressed. */
#ifndef FATHOM_TUI_NAMES_H
#define FATHOM_TUI_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct names {
	char **items; /* owned, like the array */
	size_t n, capacity;
};

void names_deinit(struct names *names); /* and empty it */
bool names_has(const struct names *names, const char *name);
void names_set(struct names *names, const char *name, bool is_in);

/* Replace the text that *@kept owns by a copy of @name, or by NULL. */
void name_keep(char **kept, const char *name);

#endif
