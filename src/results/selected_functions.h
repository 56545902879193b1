/*
 * Visits the selected functions of a profile, with the samples of each.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/samples/samples.h"
#include "model/model_build.h"
#include "cli/options.h"
#include "profile/profile.h"

/* Numbers with reasons for absence: about 600 MB. Larger tables are sampled evenly. */
/*
 * The time of all calls over that of all runs, @duration in seconds; if one is not known, as
 * profile_function_share(). 0 to 1; NAN: unknown, as while a profile grows.
 */
double selected_functions_share(struct profile *profile, double duration,
				const struct samples *samples, const char *key);

enum { SELECTED_CELLS = 64 << 20 };

struct model_options selected_functions_options(const struct options *options);

/* Bits 1 << enum metric: those of -m, or all that were measured. */
uint64_t selected_functions_metrics(const struct samples *samples, const struct options *options);

/* @key: the function's in the profile. Takes @samples, also where it fails. */
typedef bool (*chosen_visitor)(void *self, const char *key, struct samples *samples,
			       struct err *err);

/* Selects functions instead of -f. */
struct chosen_filter {
	bool (*has)(const void *self, const struct samples *samples);
	const void *self;
};

struct chosen {
	struct profile *profile;
	const struct options *options;
	const struct chosen_filter *filter; /* NULL: those of -f, or all */
	size_t max_cells;                   /* as in profile_load(); 0: as models need */
	bool by_cost;                       /* the dearest first, not by name */
	bool without_sites;                 /* of profile_subjects(), only functions */
};

/*
 * Until @visit fails. Unless max_cells is set, only the calls of --where: functions without any are
 * left out; and the names of --pin and --exclude must be known. None selected is no error. ERR_IO,
 * ERR_FORMAT; ERR_NOT_FOUND, ERR_USAGE of --where.
 */
bool selected_functions_visit(const struct chosen *chosen, chosen_visitor visit, void *self,
			      struct err *err);

/* None of the functions that -f names has samples in @name: which name is nearest. Always false. */
bool selected_functions_refuse(struct profile *profile, const struct options *options,
			       const char *name, struct err *err);
