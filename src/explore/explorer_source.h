/*
 * The explorer's data: a profile, which may grow meanwhile, and then is open only during a call.
 * Each call has one of its own, so any thread may call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/annotation/annotation.h"
#include "model/metric_models.h"
#include "core/samples/samples.h"
#include "cli/options.h"
#include "explorer_pool.h"
#include "tui/explorer.h"
#include "results/pins.h"

struct explorer_source {
	const char *path;
	struct explorer_pool *pool;           /* NULL: it grows */
	const struct options *options;        /* patterns, metrics, limits of models */
	struct pin_names names;               /* of features: as every function begins */
	const struct explorer_source *before; /* a profile to compare with; NULL: none */
	bool is_growing; /* patterns are ignored: the measurement applied them */
};

/* One entry for each metric of a function, those of a function side by side. */
struct explorer_list {
	struct arena *arena; /* owns everything below */
	struct explorer_entry *entries;
	const char **keys; /* [n] of the functions in the profile */
	size_t n;
};

/*
 * The list, not modelled yet. ERR_NOT_FOUND: empty, and the profile does not grow; errors of
 * profile.h.
 */
bool explorer_source_list(const struct explorer_source *source, struct explorer_list **ret,
			  struct err *err);
void explorer_source_destroy_list(struct explorer_list *list); /* NULL is fine */
struct explorer_list *explorer_source_copy_list(const struct explorer_list *list);
/* Index of the entry; n if there is none. */
size_t explorer_source_find(const struct explorer_list *list, const char *key, enum metric metric);

enum explorer_load {
	LOAD_FEW, /* for what needs no model */
	LOAD_ALL, /* fewer of a growing profile */
	LOAD_SETTLED,
};

/* The samples of a function, with derived columns and callers. */
bool explorer_source_load(const struct explorer_source *source, const char *key,
			  enum explorer_load what, struct samples **ret, struct err *err);

/* Give @take each call that the machine code has by or of a measured function, if that is known. */
void explorer_source_calls(const struct explorer_source *source,
			   void (*take)(void *self, const char *caller, const char *callee),
			   void *self);

/*
 * The profile to give explorer_source_models(), where it keeps models: not while it grows, unless
 * it is @settled. To be taken back; it may outlive @source.
 */
struct lent_profile explorer_source_keeper(const struct explorer_source *source, bool settled);

/* Models of @samples of the function: those that @keeper keeps, or new ones, which it keeps. */
size_t explorer_source_models(const struct lent_profile *keeper, const char *key,
			      const struct samples *samples, uint64_t metrics,
			      const struct model_options *options, struct annotation **ret);

/*
 * What needs no model of @entry: its costs in @samples; @total_us: the time of all calls, NAN: not
 * known.
 */
void explorer_source_costs(const struct samples *samples, double total_us,
			   struct explorer_entry *entry);

/* What the profile that @source is compared with has of the function @key, by @entry's metric. */
void explorer_source_before(const struct explorer_source *source, const char *key,
			    struct explorer_entry *entry);

/* Duration of all runs without stops, in seconds; NAN: not known (yet). */
double explorer_source_duration(const struct explorer_source *source);

/* All samples of the function as CSV. */
bool explorer_source_export(const struct explorer_source *source, const char *key, FILE *out,
			    struct err *err);
