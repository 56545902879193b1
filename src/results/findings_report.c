/* Chooses the format; files of the page and of pictures, and where a function's source is. */
#include "findings_report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "atomic_file.h"
#include "cli/output.h"
#include "core/figure/figure_compare.h"
#include "figure_files.h"
#include "report/html.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/svg.h"

enum { PICTURE_WIDTH = 480, PICTURE_HEIGHT = 280 };

bool findings_report_wanted(const struct options *options)
{
	return options->junit || options->github || options->markdown || options->html;
}

/*
 * Compilers tell of files as seen from where they ran: what is left of @file without the first
 * folders, if that is in the repository, or where we are.
 */
static const char *source_in_repository(const char *file, struct arena *arena)
{
	const char *root = getenv("GITHUB_WORKSPACE");
	const char *rest = file;

	while (rest) {
		rest += strspn(rest, "/");
		if (access(root ? arena_printf(arena, "%s/%s", root, rest) : rest, F_OK) == 0 &&
		    strncmp(rest, "../", 3) != 0 && strncmp(rest, "./", 2) != 0)
			return rest;
		rest = strchr(rest, '/');
	}
	return file;
}

/* *@ret: there is something to draw. */
static bool write_picture(const struct finding *finding, const char *path, bool *ret,
			  struct err *err)
{
	const struct svg_options options = {.width = PICTURE_WIDTH, .height = PICTURE_HEIGHT};
	struct figure *figure =
		finding->old && finding->now ? figure_compare(finding->old, finding->now) : NULL;
	struct atomic_file file;
	bool ok;

	*ret = figure != NULL;
	if (!figure)
		return true;
	ok = figure_files_check(path, err) && atomic_file_begin(path, NULL, 0, &file, err);
	if (ok && !svg_figure(figure, &options, file.file, err)) {
		atomic_file_drop(&file);
		ok = false;
	} else if (ok) {
		ok = atomic_file_finish(&file, err);
	}
	figure_destroy(figure);
	return ok;
}

static bool print_markdown(struct findings *findings, const struct options *options, FILE *out,
			   struct err *err)
{
	const char **links = arena_array(findings->arena, const char *, findings->n + 1);
	const char *slash = options->report ? strrchr(options->report, '/') : NULL;
	const char *base = slash ? slash + 1 : options->report;

	for (size_t i = 0; i < findings->n && !output_is_standard(options->report); i++) {
		const char *path =
			arena_printf(findings->arena, "%s.%zu.svg", options->report, i + 1);
		bool is_drawn;

		if (findings->list[i].verdict == CHECK_CONFORMS)
			continue;
		if (!write_picture(&findings->list[i], path, &is_drawn, err))
			return false;
		if (is_drawn)
			links[i] = arena_printf(findings->arena, "%s%s.%zu.svg",
						options->pictures ? options->pictures : "", base,
						i + 1);
	}
	return markdown_print(findings, links, out, err);
}

static bool write_page(const struct findings *findings, const struct options *options,
		       struct err *err)
{
	struct html_report *report;
	struct atomic_file file;

	if (!atomic_file_begin(options->html, NULL, 0, &file, err))
		return false;
	report = html_begin(arena_printf(findings->arena, "fathom %s: %s", findings->what,
					 findings_summary(findings)),
			    NULL, 0, file.file);
	for (size_t i = 0; i < findings->n; i++)
		html_finding(report, &findings->list[i]);
	if (html_end(report, err))
		return atomic_file_finish(&file, err);
	atomic_file_drop(&file);
	return false;
}

bool findings_report_page(const char *path, const struct figure *figure, const char *text,
			  struct err *err)
{
	struct html_report *report;
	struct atomic_file file;

	if (!atomic_file_begin(path, NULL, 0, &file, err))
		return false;
	report = html_begin("fathom history", NULL, 0, file.file);
	html_figure(report, figure, text);
	if (html_end(report, err))
		return atomic_file_finish(&file, err);
	atomic_file_drop(&file);
	return false;
}

bool findings_report_print(struct findings *findings, const struct options *options, FILE *out,
			   bool *printed, struct err *err)
{
	for (size_t i = 0; i < findings->n; i++)
		if (findings->list[i].file)
			findings->list[i].file =
				source_in_repository(findings->list[i].file, findings->arena);
	*printed = !options->json && (options->junit || options->github || options->markdown);
	if (options->html && !write_page(findings, options, err))
		return false;
	if (!*printed)
		return true;
	if (options->junit)
		return junit_print(findings, out, err);
	if (options->github)
		return junit_print_github(findings, out, err);
	return print_markdown(findings, options, out, err);
}
