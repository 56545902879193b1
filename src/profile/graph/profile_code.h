/*
 * The call graph of the machine code of a profile's own program. Errors of profile.h; also
 * ERR_NOT_FOUND: the profile has none.
 */
#pragma once

#include "core/catalogue/code_rules.h"
#include "profile/profile.h"

/* Does the profile have the graph of its program already? */
bool profile_code_is_kept(struct profile *profile, bool *ret, struct err *err);

/* Keep @graph instead of what was kept, with @list[@n], the functions that rules left out. */
bool profile_code_keep(struct profile *profile, const struct code_graph *graph,
		       const struct left_out *list, size_t n, struct err *err);

/*
 * The graph, with shares and numbers of calls of measured functions, and with calls that were seen
 * (code_seen.h). The caller owns *@ret.
 */
bool profile_code_load(struct profile *profile, struct code_graph **ret, struct err *err);

/* Give @take the names of each two functions of which one calls the other, and one is measured. */
bool profile_code_visit_calls(struct profile *profile,
			      void (*take)(void *self, const char *caller, const char *callee),
			      void *self, struct err *err);
