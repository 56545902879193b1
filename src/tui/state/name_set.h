/*
 * Sets of names: what is pinned, folded and so on. Sets are small: the user adds names key by key.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct name_set {
	char **items; /* owned, like the array */
	size_t n, capacity;
};

void name_set_deinit(struct name_set *names); /* and empty it */
bool name_set_has(const struct name_set *names, const char *name);
void name_set_assign(struct name_set *names, const char *name, bool is_in);

/* Replace the owned text *@kept by a copy of @name, or by NULL. */
void name_set_keep(char **kept, const char *name);
