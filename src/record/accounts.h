/* What a session knows of each function beside its calls, into the profile. */
#pragma once

#include "measure.h"

/* Function @index of @program. Errors of profile_add_account(). */
bool accounts_store(struct measurement *m, const struct program *program, size_t index,
		    struct err *err);
/* All functions of all measured programs. */
bool accounts_store_all(struct measurement *m, struct err *err);
