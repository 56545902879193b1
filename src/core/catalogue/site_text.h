/*
 * Which probes of a function can be reached by a jump (struct jump_site), for people.
 */
#pragma once

#include "catalogue.h"

/* Print one line; @branches: of its branches, too. */
void site_text_print(const struct function *function, bool branches, FILE *out);
