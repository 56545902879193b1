/* fathom scrub: a profile that may be shown to others. profile/profile_scrub.c takes things out. */
#include <unistd.h>

#include "cmd.h"
#include "cli/message.h"
#include "profile/profile.h"

static bool scrub_file(const char *path, struct err *err)
{
	struct profile *profile;
	bool ok;

	if (access(path, F_OK) != 0) /* or it would be made */
		return err_set(err, ERR_IO, "there is no %s", path);
	if (!profile_open_to_add(path, NULL, &profile, err))
		return false;
	ok = profile_scrub(profile, err);
	profile_close(profile);
	return ok;
}

static int cmd_scrub_run(const struct options *options)
{
	struct err err;
	bool ok = true;

	for (int i = 0; ok && i < options->n_arguments; i++)
		ok = scrub_file(options->arguments[i], &err);
	return message_status(ok, &err);
}

const struct command command_scrub = {
	.usage =
		{.name = "scrub",
		 .bit = COMMAND_SCRUB,
		 .arguments = "PROFILE...",
		 .summary = "Take command lines, paths and texts out of a profile, to show it",
		 .details =
			 "The file itself is changed: of paths the file's name is left, hosts and "
			 "texts of the program (--strings) become numbers, and what was deleted is "
			 "overwritten. Names of functions and features, the numbers that they had, "
			 "kernel, processor, build ids and times stay.",
		 .min_arguments = 1,
		 .max_arguments = 4096},
	.run = cmd_scrub_run,
	.confined = true,
};
