/* fathom annotate: build the models again from stored samples. */
#include "annotate.h"
#include "cmd.h"
#include "message.h"

static int run(const struct options *options)
{
	struct profile *profile;
	struct err err;
	bool ok;

	if (!profile_open(options->arguments[0], &profile, &err)) {
		message_error("%s", err.text);
		return EXIT_UNUSABLE;
	}
	ok = annotate_profile(profile, options, NULL, &err);
	profile_close(profile);
	if (ok)
		return EXIT_DONE;
	message_error("%s", err.text);
	return EXIT_UNUSABLE;
}

const struct command command_annotate = {
	.usage = {.name = "annotate",
		  .bit = COMMAND_ANNOTATE,
		  .arguments = "PROFILE",
		  .summary = "Build the models again from stored samples and print annotations",
		  .min_arguments = 1,
		  .max_arguments = 1},
	.run = run,
};
