/* What makes experiments comparable is the setting: points, kinds of units, scope and load. */
#include "causal_keep.h"

#include <string.h>
#include <sys/stat.h>

#include "profile/profile_causal.h"
#include "results/atomic_file.h"

static const char *setting_of(const struct causal_profile *profile)
{
	const struct causal_options *options = &profile->options->causal;
	struct arena *arena = profile->arena;
	const char *text = options->end_to_end ? "the whole run" : "";
	size_t i;

	for (i = 0; i < profile->points.n; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
				    profile->points.names[i].name);
	text = arena_printf(arena, "%s; %s%s%s", text, options->lines ? "lines" : "functions",
			    options->callers ? " by caller" : "",
			    options->hosts ? " of hosts" : "");
	for (i = 0; i < options->n_scopes; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? ", " : "; in ", options->scopes[i]);
	if (options->at_load)
		text = arena_printf(arena, "%s; at load %s", text, options->at_load);
	return options->load ? arena_printf(arena, "%s; loads", text) : text;
}

static const char *build_id_of(const struct causal_profile *profile)
{
	return profile->points.catalogue->modules[0].build_id;
}

static bool is_of_build(const struct causal_profile *profile, const struct kept_experiments *kept,
			struct err *err)
{
	const char *build_id = build_id_of(profile);

	return !kept->build_id || !build_id || !strcmp(kept->build_id, build_id) ||
	       err_set(err, ERR_USAGE,
		       "%s has experiments with another build of %s: choose another profile",
		       profile->options->output, profile->path);
}

static bool find_setting(const struct causal_profile *profile, struct profile *file,
			 struct experiments **ret, struct err *err)
{
	const char *setting = setting_of(profile);
	struct kept_experiments kept;
	size_t i;

	for (i = 0; profile_load_experiments(file, i, &kept, err); i++) {
		if (!kept.experiments)
			return true;
		if (kept.setting && !strcmp(kept.setting, setting)) {
			*ret = kept.experiments;
			return is_of_build(profile, &kept, err);
		}
		experiment_table_destroy(kept.experiments);
	}
	return false;
}

bool causal_keep_load(const struct causal_profile *profile, struct experiments **ret,
		      struct err *err)
{
	const char *path = profile->options->output;
	struct profile *file;
	struct stat status;
	bool ok;

	*ret = NULL;
	if (!path || stat(path, &status) != 0 || status.st_size == 0)
		return !path || atomic_file_possible(path, err);
	if (!profile_open(path, &file, err))
		return false;
	ok = find_setting(profile, file, ret, err);
	profile_close(file);
	return ok;
}

bool causal_keep_save(const struct causal_profile *profile, struct err *err)
{
	const struct kept_experiments kept = {.setting = setting_of(profile),
					      .build_id = build_id_of(profile),
					      .experiments = profile->experiments};
	struct profile *file;
	bool ok;

	if (!profile->options->output || !profile->experiments->n)
		return true;
	if (!profile_open_to_add(profile->options->output, build_id_of(profile), &file, err))
		return false;
	ok = profile_keep_experiments(file, &kept, err);
	profile_close(file);
	return ok;
}
