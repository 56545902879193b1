/* What an open call's own calls cost, by function: few, so a list is searched. */
#pragma once

#include "trace/session.h"

/* Are they wanted? With what a call costs without its callees. */
bool callee_sums_wanted(const struct session_options *options);

struct callee_sums *callee_sums_create(void);
void callee_sums_destroy(struct callee_sums *sums); /* NULL is fine */

/* *@sums may be NULL, and is made then. */
void callee_sums_add(struct callee_sums **sums, const struct callee_sum *sum);
