/* What other inputs would tell of a function, in sentences. */
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/figure/study.h"
#include "run_words.h"

struct advice_facts {
	const struct study *study;
	const struct function *function; /* with all enumerators; NULL: not known */
	struct run_commands commands;
	bool is_first; /* of several metrics: also tell what is true of all */
};

/* Sentences, [*@ret_n] in @arena, what matters most first; none: nothing is to be advised. */
const char *const *advice_find(const struct advice_facts *facts, struct arena *arena,
			       size_t *ret_n);
