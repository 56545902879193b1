/* What people are told of calls that were merged: phrases behind "N of M calls". */
#pragma once

#include "merge.h"

/* Why they are not matched, and what to do; @by_feature: a number that both have was to tell. */
const char *merge_told_reason(enum match_reason reason, bool by_feature);

/* What decided who worked for them. */
const char *merge_told_rule(enum match_rule rule);
