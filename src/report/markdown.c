/*
 * Texts stand in HTML's elements, where both services still look for Markdown: its characters
 * become numbers. Within <pre> they do not.
 */
#include "markdown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "xml.h"

enum { CASES_MOST = 4, TEXT_MOST = 300 };

/* Also '@', which would call people by name. */
static void print_inline(const char *text, FILE *out)
{
	char *escaped = NULL;
	size_t size, i;
	FILE *memory = open_memstream(&escaped, &size);

	xml_print_short(text, TEXT_MOST, memory);
	fclose(memory);
	for (i = 0; i < size; i++)
		if (strchr("*_`[]\\|~@!:", escaped[i]))
			fprintf(out, "&#%d;", escaped[i]);
		else
			fputc(escaped[i], out);
	free(escaped);
}

static void print_code(const char *text, FILE *out)
{
	fputs("<code>", out);
	print_inline(text, out);
	fputs("</code>", out);
}

static void print_model(const struct annotation *annotation, const struct annotation_case *one,
			const struct model *model, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	annotation_print_scope(annotation, one, memory);
	if (one->n_models > 1)
		fprintf(memory, "{%.3g} ", model->probability);
	annotation_print_formula(annotation, &model->mean, memory);
	fclose(memory);
	print_code(text, out);
	free(text);
}

static void markdown_print_formulas(const struct annotation *annotation, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; annotation && i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_models; j++, n++) {
			if (n < CASES_MOST) {
				fputs(n ? "<br>" : "", out);
				print_model(annotation, &annotation->cases[i],
					    &annotation->cases[i].models[j], out);
			}
		}
	if (n > CASES_MOST)
		fprintf(out, "<br>and %zu more", n - CASES_MOST);
	if (!n)
		fputs("\xe2\x80\x93", out);
}

static void markdown_print_row(const struct finding *finding, FILE *out)
{
	const bool loud = finding->verdict == CHECK_WORSE || finding->fails;

	fprintf(out, "| %s%s%s | ", loud ? "**" : "", finding->word, loud ? "**" : "");
	print_code(finding->name, out);
	if (finding->file) {
		fputs("<br>", out);
		print_inline(finding->file, out);
		if (finding->line)
			fprintf(out, "&#58;%u", finding->line);
	}
	fputs(" | ", out);
	markdown_print_formulas(finding->old, out);
	fputs(" | ", out);
	/* Why it was not compared is all that there is to say of it. */
	if (finding->verdict == CHECK_UNTESTED)
		print_inline(finding->head, out);
	else
		markdown_print_formulas(finding->now, out);
	fputs(" |\n", out);
}

static void print_details(const struct finding *finding, const char *picture, FILE *out)
{
	fprintf(out, "\n<details%s><summary>", finding->fails ? " open" : "");
	print_inline(finding->head, out);
	fputs("</summary>\n\n", out);
	if (picture) {
		fputs("<img alt=\"what calls cost before and now\" src=\"", out);
		xml_print(picture, out);
		fputs("\">\n\n", out);
	}
	if (*finding->text) {
		fputs("<pre>", out);
		xml_print(finding->text, out);
		fputs("</pre>\n\n", out);
	}
	fputs("</details>\n", out);
}

bool markdown_print(const struct findings *findings, const char *const *pictures, FILE *out,
		    struct err *err)
{
	fprintf(out, "### fathom %s: %s\n\n", findings->what, findings_summary(findings));
	fputs("| | cost | before | now |\n|---|---|---|---|\n", out);
	for (size_t i = 0; i < findings->n; i++)
		markdown_print_row(&findings->list[i], out);
	for (size_t i = 0; i < findings->n; i++)
		if (findings->list[i].verdict != CHECK_CONFORMS &&
		    findings->list[i].verdict != CHECK_UNTESTED)
			print_details(&findings->list[i], pictures[i], out);
	return !ferror(out) || err_set_errno(err, ERR_IO, errno, "the results cannot be written");
}
