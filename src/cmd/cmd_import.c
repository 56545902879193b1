/* fathom import: add samples measured elsewhere to a profile. profile/csv_import.c reads them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cli/message.h"
#include "profile/csv/csv.h"

/* Copies a pipe or the like to a nameless temporary file. ERR_IO. */
static FILE *open_seekable(const char *path, struct err *err)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char piece[65536];
	FILE *copy;
	size_t n;

	if (!file) {
		err_set_errno(err, ERR_IO, errno, "cannot read %s", path);
		return NULL;
	}
	if (fseek(file, 0, SEEK_SET) == 0)
		return file;
	copy = tmpfile();
	while (copy && (n = fread(piece, 1, sizeof(piece), file)) > 0)
		if (fwrite(piece, 1, n, copy) < n)
			break;
	if (!copy || ferror(file) || ferror(copy)) {
		err_set_errno(err, ERR_IO, errno, "cannot read %s", path);
		if (copy)
			fclose(copy);
		copy = NULL;
	}
	if (file != stdin)
		fclose(file);
	return copy;
}

static bool import_one(const struct options *options, const char *path, struct profile *profile,
		       struct err *err)
{
	FILE *file = open_seekable(path, err);
	size_t rows;
	bool ok;

	if (!file)
		return false;
	ok = csv_import(file, path, profile, &rows, err);
	if (file != stdin)
		fclose(file);
	if (ok && !rows)
		return err_set(err, ERR_FORMAT, "%s holds no samples", path);
	if (ok && !options->quiet)
		message_note("%zu sample%s from %s", rows, rows == 1 ? "" : "s", path);
	return ok;
}

static bool import_all(const struct options *options, struct err *err)
{
	struct profile *profile;
	bool ok = true;

	if (!options->output)
		return err_set(err, ERR_USAGE, "into which profile? give -o PROFILE");
	if (!profile_open_to_add(options->output, NULL, &profile, err))
		return false;
	for (int i = 0; ok && i < options->n_arguments; i++)
		ok = import_one(options, options->arguments[i], profile, err);
	profile_close(profile);
	return ok;
}

static int cmd_import_run(const struct options *options)
{
	struct err err;

	return message_status(import_all(options, &err), &err);
}

const struct command command_import = {
	.usage = {.name = "import",
		  .bit = COMMAND_IMPORT,
		  .arguments = "CSV...",
		  .summary = "Add samples that were measured elsewhere to a profile",
		  .details =
			  "The first line names the columns: function, metrics (time, mem, ...), "
			  "and "
			  "features; also id, parent, thread and run if they are there. An "
			  "empty field is an absent value.",
		  .min_arguments = 1,
		  .max_arguments = 4096},
	.run = cmd_import_run,
	.confined = true,
};
