/* Findings as a comment in Markdown, as GitHub and GitLab show it. */
#pragma once

#include "base/err.h"
#include "core/verdict/findings.h"

/*
 * A heading, a table with the formulas before and now, and what is not unchanged in detail.
 * @pictures[n]: where the picture of each finding is, for a link; NULL: there is none. ERR_IO.
 */
bool markdown_print(const struct findings *findings, const char *const *pictures, FILE *out,
		    struct err *err);
