/* The page around the sections of html_study.c: head, policy, facts, contents. */
#include "html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "html_sections.h"
#include "page.h"
#include "xml.h"

struct html_report {
	FILE *out, *sections, *contents;
	char *contents_text;
	size_t contents_size;
	char *facts; /* how it was measured */
	size_t facts_size;
	char *title;
	unsigned n;
	const struct call_graph *graph;
	struct html_function *functions; /* with a model of time */
	size_t n_functions, functions_capacity;
	bool is_table; /* the contents are rows */
	struct err err;
	bool ok;
};

static void print_fact(const struct html_fact *fact, FILE *out)
{
	fputs("<dt>", out);
	xml_print(fact->name, out);
	fputs("</dt><dd>", out);
	xml_print(fact->text, out);
	fputs("</dd>\n", out);
}

static void print_facts(const struct html_fact *facts, size_t n, FILE *out)
{
	bool is_open = false;

	for (size_t i = 0; i < n; i++) {
		if (facts[i].name && !is_open)
			fputs("<dl>\n", out);
		if (!facts[i].name && is_open)
			fputs("</dl>\n", out);
		is_open = facts[i].name != NULL;
		if (is_open) {
			print_fact(&facts[i], out);
			continue;
		}
		fputs("<h3>", out);
		xml_print(facts[i].text, out);
		fputs("</h3>\n", out);
	}
	if (is_open)
		fputs("</dl>\n", out);
}

static void keep_facts(struct html_report *report, const struct html_fact *facts, size_t n_facts)
{
	FILE *out = open_memstream(&report->facts, &report->facts_size);

	if (n_facts) {
		fputs("<section aria-labelledby=\"measured\">\n"
		      "<h2 id=\"measured\">How it was measured</h2>\n",
		      out);
		print_facts(facts, n_facts, out);
		fputs("</section>\n", out);
	}
	fclose(out);
}

struct html_report *html_begin(const char *title, const struct html_fact *facts, size_t n_facts,
			       FILE *out)
{
	struct html_report *report = mem_alloc(sizeof(*report));

	report->out = out;
	report->ok = true;
	report->title = mem_alloc(strlen(title) + 1);
	strcpy(report->title, title);
	keep_facts(report, facts, n_facts);
	report->contents = open_memstream(&report->contents_text, &report->contents_size);
	report->sections = tmpfile();
	if (!report->sections)
		report->ok = err_set_errno(&report->err, ERR_IO, errno,
					   "cannot make a temporary file in /tmp");
	return report;
}

void html_calls(struct html_report *report, const struct call_graph *graph)
{
	report->graph = graph;
}

static void note_function(struct html_report *report, const struct study *study)
{
	report->functions = mem_grow(report->functions, &report->functions_capacity,
				     report->n_functions + 1, sizeof(*report->functions));
	report->functions[report->n_functions++] =
		(struct html_function){strdup(study->annotation->function), report->n,
				       html_study_growth(study->annotation)};
}

void html_study(struct html_report *report, const struct study *study)
{
	if (!report->ok)
		return;
	report->n++;
	report->is_table = true;
	if (study->metric == METRIC_TIME)
		note_function(report, study);
	html_study_contents(study, report->graph, report->n, report->contents);
	report->ok =
		html_study_section(study, report->graph, report->n, report->sections, &report->err);
}

void html_finding(struct html_report *report, const struct finding *finding)
{
	if (!report->ok)
		return;
	report->n++;
	html_finding_contents(finding, report->n, report->contents);
	report->ok = html_finding_section(finding, report->n, report->sections, &report->err);
}

void html_figure(struct html_report *report, const struct figure *figure, const char *text)
{
	if (!report->ok)
		return;
	report->n++;
	fprintf(report->contents, "<li><a href=\"#s%u\">", report->n);
	xml_print(figure->title, report->contents);
	fputs("</a></li>\n", report->contents);
	report->ok = html_finding_figure(figure, text, report->n, report->sections, &report->err);
}

static void print_document_head(const struct html_report *report)
{
	FILE *out = report->out;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n", out);
	fprintf(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\"/>\n",
		page_policy);
	fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	      "<meta name=\"referrer\" content=\"no-referrer\"/>\n"
	      "<meta name=\"generator\" content=\"fathom " FATHOM_VERSION "\"/>\n<title>",
	      out);
	xml_print(report->title, out);
	fprintf(out, "</title>\n<style>%s</style>\n</head>\n", page_style);
}

static void print_contents(const struct html_report *report)
{
	FILE *out = report->out;

	fputs("<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n"
	      "<div class=\"search\" id=\"searching\" hidden=\"hidden\">\n"
	      "<label for=\"search\">Search names, metrics and formulas</label>\n"
	      "<input id=\"search\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\"/>\n"
	      "<p id=\"found\" class=\"soft\" role=\"status\"></p>\n</div>\n",
	      out);
	if (report->is_table)
		fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" "
		      "aria-labelledby=\"contents\">\n<table class=\"contents\">\n<thead><tr>"
		      "<th scope=\"col\">Function</th><th scope=\"col\">Metric</th>"
		      "<th scope=\"col\" class=\"number\">Share</th>"
		      "<th scope=\"col\" class=\"number\">Calls</th>"
		      "<th scope=\"col\" class=\"number\">Total</th>"
		      "<th scope=\"col\">Growth</th><th scope=\"col\">Formula</th>"
		      "<th scope=\"col\" class=\"number\">R\xc2\xb2</th></tr></thead>\n<tbody>\n",
		      out);
	else
		fputs("<ol class=\"contents\">\n", out);
	fwrite(report->contents_text, 1, report->contents_size, out);
	fputs(report->is_table ? "</tbody>\n</table>\n</div>\n</nav>\n" : "</ol>\n</nav>\n", out);
}

static bool html_copy(FILE *from, FILE *to, struct err *err)
{
	char piece[65536];
	size_t n;

	fflush(from);
	if (ferror(from)) /* which rewind() would forget */
		return xml_fail(from, err);
	rewind(from);
	while ((n = fread(piece, 1, sizeof(piece), from)) > 0)
		fwrite(piece, 1, n, to);
	return (!ferror(from) && !ferror(to)) || xml_fail(to, err);
}

static bool print_page(struct html_report *report)
{
	FILE *out = report->out;

	print_document_head(report);
	fputs("<body>\n<a class=\"skip\" href=\"#contents\">Contents</a>\n<div class=\"frame\">\n"
	      "<header>\n",
	      out);
	fputs("<h1>", out);
	xml_print(report->title, out);
	fputs("</h1>\n</header>\n", out);
	if (report->graph)
		html_icicle(report->graph, report->functions, report->n_functions, out);
	print_contents(report);
	fwrite(report->facts, 1, report->facts_size, out);
	fputs("<main>\n", out);
	if (!html_copy(report->sections, out, &report->err))
		return false;
	fprintf(out,
		"</main>\n<footer>Made by fathom " FATHOM_VERSION ".</footer>\n</div>\n"
		"<script>%s</script>\n</body>\n</html>\n",
		page_script);
	return !ferror(out) || xml_fail(out, &report->err);
}

bool html_end(struct html_report *report, struct err *err)
{
	bool ok;

	fclose(report->contents);
	ok = report->ok && print_page(report);
	if (!ok)
		*err = report->err;
	if (report->sections)
		fclose(report->sections);
	for (size_t i = 0; i < report->n_functions; i++)
		free(report->functions[i].name);
	free(report->functions);
	free(report->contents_text);
	free(report->facts);
	free(report->title);
	free(report);
	return ok;
}
