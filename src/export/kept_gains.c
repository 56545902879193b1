/* Conclusions are drawn anew: of what was tried more may be known by now. */
#include "kept_gains.h"

#include "model/causal/causal_model.h"
#include "profile/profile_causal.h"

static bool visit_points(const struct experiments *experiments, kept_gains_visitor visit,
			 void *self, size_t *n, struct err *err)
{
	bool ok = true;

	for (size_t i = 0; i < experiments->n_progress && ok; i++) {
		const struct causal_model_options options = {.progress = i, .seed = 1};
		struct causal_gains *gains = causal_model_build(experiments, &options);

		if (gains->n) {
			ok = visit(self, gains, err);
			++*n;
		}
		causal_gains_destroy(gains);
	}
	return ok;
}

bool kept_gains_visit(struct profile *profile, kept_gains_visitor visit, void *self, size_t *ret_n,
		      struct err *err)
{
	struct kept_experiments kept;

	*ret_n = 0;
	for (size_t i = 0; profile_load_experiments(profile, i, &kept, err); i++) {
		bool ok;

		if (!kept.experiments)
			return true;
		ok = visit_points(kept.experiments, visit, self, ret_n, err);
		experiment_table_destroy(kept.experiments);
		if (!ok)
			return false;
	}
	return false;
}
