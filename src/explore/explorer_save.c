/* Names new files and writes them. report/ and profile/ know the formats. */
#include "explorer_save.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/annotation/annotation.h"
#include "report/svg.h"

enum { STEM_MAX = 80, TRIES = 1000 };

/*
 * The function's name up to '(', other characters than letters, digits and '_' replaced by '-',
 * none of which is first or last.
 */
static void make_stem(const struct study *study, char ret[SAVE_NAME])
{
	const char *keyword = metric_info(study->metric)->keyword;
	const char *name = study->annotation->function;
	size_t n = 0;

	for (; *name && *name != '(' && n < STEM_MAX; name++)
		if (isascii(*name) && (isalnum(*name) || *name == '_'))
			ret[n++] = *name;
		else if (n && ret[n - 1] != '-')
			ret[n++] = '-';
	while (n && ret[n - 1] == '-')
		n--;
	snprintf(ret + n, SAVE_NAME - n, "%s.%s", n ? "" : "function", keyword);
}

/* Never overwrites a file: numbers the name instead. */
static FILE *open_new(const struct study *study, const char *suffix, char ret_name[SAVE_NAME],
		      struct err *err)
{
	char stem[SAVE_NAME];
	int fd = -1;

	make_stem(study, stem);
	for (unsigned i = 1; i <= TRIES && fd < 0; i++) {
		char number[16] = "";

		if (i > 1)
			snprintf(number, sizeof(number), "-%u", i);
		snprintf(ret_name, SAVE_NAME, "%.110s%s%s", stem, number, suffix);
		fd = open(ret_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd >= 0)
		return fdopen(fd, "w");
	err_set_errno(err, ERR_IO, errno, "cannot write %s", ret_name);
	return NULL;
}

/* Removes a file that is not complete. */
static bool save_finish(FILE *out, const char *name, bool ok, struct err *err)
{
	bool failed = ferror(out);

	failed = fclose(out) != 0 || failed;
	if (ok && failed)
		ok = err_set_errno(err, ERR_IO, errno, "cannot write %s", name);
	if (!ok)
		unlink(name);
	return ok;
}

bool explorer_save_annotation(const struct study *study, char ret_name[SAVE_NAME], struct err *err)
{
	FILE *out = open_new(study, ".txt", ret_name, err);

	if (!out)
		return false;
	annotation_print(study->annotation, out);
	return save_finish(out, ret_name, true, err);
}

bool explorer_save_figure(const struct study *study, const struct figure *figure,
			  char ret_name[SAVE_NAME], struct err *err)
{
	const struct svg_options options = {.is_embedded = false};
	FILE *out = open_new(study, ".svg", ret_name, err);

	return out && save_finish(out, ret_name, svg_figure(figure, &options, out, err), err);
}

bool explorer_save_samples(const struct explorer_source *source, const struct study *study,
			   const char *key, char ret_name[SAVE_NAME], struct err *err)
{
	FILE *out = open_new(study, ".csv", ret_name, err);

	return out &&
	       save_finish(out, ret_name, explorer_source_export(source, key, out, err), err);
}
