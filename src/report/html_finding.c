/* One finding as HTML. */
#include "html_sections.h"

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
	fprintf(out, "</span> <span class=\"fit\">%s</span></li>\n", finding->word);
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

static bool finding_print_figure(const struct figure *figure, FILE *out, struct err *err)
{
	const struct svg_options options = {.width = WIDTH, .height = HEIGHT, .is_embedded = true};
	bool ok;

	fputs("<div class=\"figures\">\n", out);
	ok = svg_figure(figure, &options, out, err);
	fputs("</div>\n", out);
	return ok;
}

static bool print_curves(const struct finding *finding, FILE *out, struct err *err)
{
	struct figure *figure =
		finding->old && finding->now ? figure_compare(finding->old, finding->now) : NULL;
	const bool ok = !figure || finding_print_figure(figure, out, err);

	figure_destroy(figure);
	return ok;
}

static void begin_section(const char *name, unsigned number, FILE *out)
{
	fprintf(out,
		"<section class=\"study\" id=\"s%u\" aria-labelledby=\"h%u\">\n<h2 id=\"h%u\">",
		number, number, number);
	xml_print_short(name, TEXT_MOST, out);
	fputs("</h2>\n", out);
}

static bool end_section(FILE *out, struct err *err)
{
	fputs("</section>\n", out);
	return !ferror(out) || xml_fail(out, err);
}

bool html_finding_figure(const struct figure *figure, const char *text, unsigned number, FILE *out,
			 struct err *err)
{
	begin_section(figure->title, number, out);
	fputs("<pre>", out);
	xml_print(text, out);
	fputs("</pre>\n", out);
	return finding_print_figure(figure, out, err) && end_section(out, err);
}

bool html_finding_section(const struct finding *finding, unsigned number, FILE *out,
			  struct err *err)
{
	bool ok;

	begin_section(finding->name, number, out);
	fputs("<p class=\"soft\">", out);
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
	return end_section(out, err) && ok;
}
