/* Copies what is known of the client's last run. */
#include "merge_run.h"

#include <string.h>

bool merge_run_begin(const char *path, const struct samples *like, struct profile **ret,
		     struct err *err)
{
	struct arena *arena = arena_create();
	struct calibration calibration = {.stop_cost_ns = 0};
	struct run run = {.metrics = METRIC_BIT(METRIC_TOTALS) - 1, .calibration = &calibration};
	struct profile *client;
	bool ok = profile_open(path, &client, err);

	memcpy(calibration.resolution, like->resolution, sizeof(calibration.resolution));
	if (ok) {
		ok = profile_describe_run(client, 0, arena, &run, err) &&
		     profile_open_to_add(NULL, run.build_id, ret, err) &&
		     profile_begin_run(*ret, &run, err);
		profile_close(client);
	}
	arena_destroy(arena);
	return ok;
}
