/* One finding as HTML. */
#include "html_finding.h"

#include <errno.h>
#include <stdlib.h>

#include "core/figure/figure_compare.h"
#include "svg.h"
#include "xml.h"

enum { WIDTH = 500, HEIGHT = 340, TEXT_MOST = 400 };

void html_finding_contents(const struct finding *finding, unsigned number, FILE *out)
{
	fprintf(out, "<li><a href=\"#s%u\">", number);
	xml_print_short(finding->name, TEXT_MOST, out);
	fputs("</a> <span class=\"formula\">", out);
	xml_print_short(finding->head, TEXT_MOST, out);
	fprintf(out, "</span> <span class=\"fit\">%s</span></li>\n",
		check_verdict_name(finding->verdict));
}

static void print_side(const char *name, const struct annotation *annotation, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *memory;

	if (!annotation)
		return;
	memory = open_memstream(&text, &size);
	annotation_print(annotation, memory);
	fclose(memory);
	fprintf(out, "<h3>%s</h3>\n<pre><code>", name);
	xml_print(text, out);
	fputs("</code></pre>\n", out);
	free(text);
}

static bool print_curves(const struct finding *finding, FILE *out, struct err *err)
{
	const struct svg_options options = {.width = WIDTH, .height = HEIGHT, .is_embedded = true};
	struct figure *figure =
		finding->old && finding->now ? figure_compare(finding->old, finding->now) : NULL;
	bool ok;

	if (!figure)
		return true;
	fputs("<div class=\"figures\">\n", out);
	ok = svg_figure(figure, &options, out, err);
	fputs("</div>\n", out);
	figure_destroy(figure);
	return ok;
}

bool html_finding_section(const struct finding *finding, unsigned number, FILE *out,
			  struct err *err)
{
	bool ok;

	errno = 0;
	fprintf(out,
		"<section class=\"study\" id=\"s%u\" aria-labelledby=\"h%u\">\n<h2 id=\"h%u\">",
		number, number, number);
	xml_print_short(finding->name, TEXT_MOST, out);
	fputs("</h2>\n<p class=\"soft\">", out);
	if (finding->file)
		xml_print_short(finding->file, TEXT_MOST, out);
	if (finding->file && finding->line)
		fprintf(out, ":%u", finding->line);
	fputs("</p>\n<pre>", out);
	xml_print(finding->head, out);
	fputc('\n', out);
	xml_print(finding->text, out);
	fputs("</pre>\n", out);
	ok = print_curves(finding, out, err);
	print_side("Before", finding->old, out);
	print_side("Now", finding->now, out);
	fputs("</section>\n", out);
	return ok && (!ferror(out) ||
		      err_set_errno(err, ERR_IO, errno ? errno : EIO, "cannot write the page"));
}
