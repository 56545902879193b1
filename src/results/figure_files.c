/* Writes a figure's files, in the formats of report/svg.h and report/gnuplot.h. */
#include "figure_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "gnuplot_run.h"
#include "temp_cleanup.h"
#include "atomic_file.h"
#include "report/gnuplot.h"
#include "report/svg.h"

/* In the first comment of SVG and gnuplot files. */
static const char mark[] = "made by fathom";
enum { MARK_WITHIN = 256 };

struct picture {
	const char *folder, *name;
	const struct figure *figure;
	struct arena *arena;
};

bool figure_files_begin(const char *folder, struct figure_files *ret, struct err *err)
{
	struct stat status;

	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return err_set_errno(err, ERR_IO, errno, "cannot make the folder %s", folder);
	if (stat(folder, &status) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot use the folder %s", folder);
	if (!S_ISDIR(status.st_mode))
		return err_set(err, ERR_IO, "%s is no folder: give another to --plots", folder);
	*ret = (struct figure_files){.folder = folder};
	return true;
}

static const char *path_of(const struct picture *picture, const char *suffix)
{
	return arena_printf(picture->arena, "%s/%s.%s", picture->folder, picture->name, suffix);
}

static bool exists(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

static bool has_mark(const char *path)
{
	char start[MARK_WITHIN];
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, start, sizeof(start), 0);
	close(fd);
	return n > 0 && memmem(start, n, mark, strlen(mark));
}

/* May @path be written? @witness: the file with the mark for it. */
static bool picture_check(const char *path, const char *witness, struct err *err)
{
	if (!exists(path) || has_mark(witness))
		return true;
	return err_set(err, ERR_USAGE,
		       "%s is there and was not made by fathom: give another folder to --plots",
		       path);
}

bool figure_files_check(const char *path, struct err *err)
{
	return !exists(path) || has_mark(path) ||
	       err_set(err, ERR_USAGE,
		       "%s is there and was not made by fathom: give -r another name", path);
}

static bool picture_check_all(const struct picture *picture, struct err *err)
{
	const char *svg = path_of(picture, "svg");
	const char *data = path_of(picture, "dat");
	const char *script = path_of(picture, "gp");

	return picture_check(svg, svg, err) && picture_check(data, data, err) &&
	       picture_check(script, script, err) &&
	       picture_check(path_of(picture, "png"), script, err) &&
	       picture_check(path_of(picture, "pdf"), script, err);
}

typedef bool (*writer)(const struct picture *picture, FILE *out, struct err *err);

static bool write_svg(const struct picture *picture, FILE *out, struct err *err)
{
	return svg_figure(picture->figure, &(const struct svg_options){0}, out, err);
}

static bool write_data(const struct picture *picture, FILE *out, struct err *err)
{
	return gnuplot_data(picture->figure, out, err);
}

static bool write_script(const struct picture *picture, FILE *out, struct err *err)
{
	return gnuplot_script(picture->figure,
			      arena_printf(picture->arena, "%s.dat", picture->name), out, err);
}

static bool write_file(const struct picture *picture, const char *suffix, writer write,
		       struct err *err)
{
	const char *path = path_of(picture, suffix);
	struct atomic_file file;

	if (!atomic_file_begin(path, NULL, 0, &file, err))
		return false;
	if (!write(picture, file.file, err)) {
		atomic_file_drop(&file);
		return err_add(err, "%s", path);
	}
	return atomic_file_finish(&file, err);
}

static const char *in_folder(const struct picture *picture, const char *name)
{
	return arena_printf(picture->arena, "%s/%s", picture->folder, name);
}

/* Rename a complete picture; else remove the old one too, which would not fit the new script. */
static void picture_place(const struct picture *picture, const char *beside, const char *suffix,
			  bool is_complete)
{
	const char *path = path_of(picture, suffix);
	const char *from = in_folder(picture, beside);

	if (!is_complete || rename(from, path) != 0) {
		unlink(from);
		unlink(path);
	}
	temp_cleanup_forget(from);
}

/* Names need no quoting: see picture_names_give(). */
static enum gnuplot_answer picture_draw(const struct picture *picture, struct err *err)
{
	const char *png = arena_printf(picture->arena, ".fathom-%d.png", (int)getpid());
	const char *pdf = arena_printf(picture->arena, ".fathom-%d.pdf", (int)getpid());
	const char *commands = arena_printf(
		picture->arena,
		"set terminal pngcairo size 960,640; set output '%s'; load '%s.gp'; "
		"set terminal pdfcairo size 15cm,10cm; set output '%s'; load '%s.gp'; set output",
		png, picture->name, pdf, picture->name);
	enum gnuplot_answer answer;

	temp_cleanup_add(in_folder(picture, png));
	temp_cleanup_add(in_folder(picture, pdf));
	answer = gnuplot_run(picture->folder, commands, err);
	picture_place(picture, png, "png", answer == GNUPLOT_DONE);
	picture_place(picture, pdf, "pdf", answer == GNUPLOT_DONE);
	return answer;
}

static void draw_if_possible(struct figure_files *files, const struct picture *picture)
{
	switch (picture_draw(picture, &files->failure)) {
	case GNUPLOT_DONE:
		break;
	case GNUPLOT_MISSING:
		files->is_gnuplot_missing = true;
		break;
	case GNUPLOT_FAILED:
		files->n_failed++;
		break;
	}
}

bool figure_files_write(struct figure_files *files, const char *name, const struct figure *figure,
			struct err *err)
{
	const struct picture picture = {files->folder, name, figure, arena_create()};
	const bool ok = picture_check_all(&picture, err) &&
			write_file(&picture, "svg", write_svg, err) &&
			write_file(&picture, "dat", write_data, err) &&
			write_file(&picture, "gp", write_script, err);

	if (ok) {
		files->n++;
		draw_if_possible(files, &picture);
	}
	arena_destroy(picture.arena);
	return ok;
}
