/*
 * What --select leaves out of a program.
 */
#pragma once

#include "base/err.h"
#include "cli/options.h"
#include "core/catalogue/code_rules.h"
#include "profile/profile.h"

struct selection {
	const struct left_out *list; /* sorted by address */
	size_t n;
};

/*
 * The selection that @options ask for, of the program @path; without a --select all. It lives in
 * @arena. Errors of code_rules_parse(), code_graph_build(), profile_open(); ERR_USAGE: the older
 * build or profile is of another program.
 */
bool selection_make(const struct options *options, const char *path, struct arena *arena,
		    struct selection *ret, struct err *err);

/*
 * Keep the call graph of the program @path in @profile, and what @selection leaves out; not again
 * if the graph is there and nothing was selected. A program without symbols has none.
 */
void selection_keep(const struct options *options, const char *path,
		    const struct selection *selection, struct profile *profile);

/*
 * Let --select stand in for -f in @options: all functions, or @hot. ERR_USAGE: wrong rules. Does
 * nothing without a --select.
 */
bool selection_prepare(struct options *options, struct err *err);

/*
 * The functions of the program @new, whose code differs from that in @old, and their callers, as
 * patterns of -f that also the other program has; none: they have the same code. @ret_words says
 * how many changed, are new and gone. In @arena. Errors as above.
 */
bool selection_changed(const struct options *options, const char *old, const char *new,
		       struct arena *arena, const char ***ret, size_t *ret_n,
		       const char **ret_words, struct err *err);
