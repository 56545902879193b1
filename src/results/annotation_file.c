/* Reads the text; core/annotation/annotation_parse.h parses it. */
#include "annotation_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { SIZE_MAX_MB = 256 };

static const char profile_magic[] = "SQLite format 3";

static bool read_all(FILE *file, const char *path, struct text *ret, struct err *err)
{
	char piece[65536];
	size_t n;

	while ((n = fread(piece, 1, sizeof(piece), file)) > 0) {
		text_add(ret, piece, n);
		if (ret->n > (size_t)SIZE_MAX_MB << 20)
			return err_set(err, ERR_FORMAT, "%s is larger than %d MB", path,
				       SIZE_MAX_MB);
	}
	return !ferror(file) || err_set_errno(err, ERR_IO, errno, "cannot read %s", path);
}

static bool annotation_file_read_text(const char *path, struct text *ret, struct err *err)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	bool ok;

	if (!file)
		return err_set_errno(err, ERR_IO, errno, "cannot read %s", path);
	ok = read_all(file, path, ret, err);
	if (file != stdin)
		fclose(file);
	return ok;
}

static bool annotation_file_parse(const char *path, const struct text *text,
				  struct annotation_list *ret, struct err *err)
{
	const size_t before = ret->n;

	if (text->n >= sizeof(profile_magic) &&
	    !memcmp(text->bytes, profile_magic, sizeof(profile_magic)))
		return err_set(
			err, ERR_FORMAT,
			"%s is a profile: fathom annotate %s -r FILE makes annotations of it", path,
			path);
	if (!annotation_parse(text->bytes ? text->bytes : "", text->n, ret, err))
		return err_add(err, "%s", path);
	return ret->n > before ||
	       err_set(err, ERR_FORMAT, "%s holds no annotation: fathom annotate makes some", path);
}

bool annotation_file_read(const char *path, struct annotation_list *ret, struct err *err)
{
	struct text text = {.n = 0};
	bool ok = annotation_file_read_text(path, &text, err) &&
		  annotation_file_parse(path, &text, ret, err);

	text_deinit(&text);
	return ok;
}

bool annotation_file_is_profile(const char *path)
{
	char head[sizeof(profile_magic)];
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : NULL;
	bool is;

	if (!file)
		return false;
	is = fread(head, sizeof(head), 1, file) && !memcmp(head, profile_magic, sizeof(head));
	fclose(file);
	return is;
}
