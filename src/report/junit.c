/* Findings as JUnit's XML and as GitHub's workflow commands. */
#include "junit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "xml.h"

static void print_place(const struct finding *finding, FILE *out)
{
	if (!finding->file)
		return;
	fputs(" file=\"", out);
	xml_print(finding->file, out);
	fputs("\"", out);
	if (finding->line)
		fprintf(out, " line=\"%u\"", finding->line);
}

static void junit_print_case(const struct finding *finding, FILE *out)
{
	fputs("  <testcase classname=\"fathom\" name=\"", out);
	xml_print(finding->name, out);
	fputs("\"", out);
	print_place(finding, out);
	if (!strcmp(metric_info(finding->metric)->unit, "us") && isfinite(finding->mean))
		fprintf(out, " time=\"%.9f\"", finding->mean / 1e6);
	if (finding->verdict == CHECK_CONFORMS || finding->verdict == CHECK_BETTER) {
		fputs("/>\n", out);
		return;
	}
	fputs(finding->fails                       ? "><failure message=\""
	      : finding->verdict == CHECK_UNTESTED ? "><skipped message=\""
						   : "><system-out>",
	      out);
	xml_print(finding->head, out);
	if (finding->fails || finding->verdict == CHECK_UNTESTED)
		fputs("\">", out);
	fputs("\n", out);
	xml_print(finding->text, out);
	fputs(finding->fails                       ? "</failure>"
	      : finding->verdict == CHECK_UNTESTED ? "</skipped>"
						   : "</system-out>",
	      out);
	fputs("</testcase>\n", out);
}

static bool junit_ended(FILE *out, struct err *err)
{
	return !ferror(out) || err_set_errno(err, ERR_IO, errno, "the results cannot be written");
}

bool junit_print(const struct findings *findings, FILE *out, struct err *err)
{
	size_t failures = 0;

	for (size_t i = 0; i < findings->n; i++)
		failures += findings->list[i].fails;
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuite name=\"fathom %s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
		"skipped=\"%zu\">\n",
		findings->what, findings->n, failures, findings_count(findings, CHECK_UNTESTED));
	for (size_t i = 0; i < findings->n; i++)
		junit_print_case(&findings->list[i], out);
	fputs("</testsuite>\n", out);
	return junit_ended(out, err);
}

/*
 * Source: GitHub, Workflow commands for GitHub Actions; properties end at ',' and ':'.
 */
static void print_command_text(const char *text, bool is_property, FILE *out)
{
	for (; *text; text++)
		if (*text == '%' || *text == '\r' || *text == '\n' ||
		    (is_property && (*text == ':' || *text == ',')))
			fprintf(out, "%%%02X", (unsigned char)*text);
		else
			fputc(*text, out);
}

static void print_property(const char *name, const char *text, FILE *out)
{
	fprintf(out, "%s=", name);
	print_command_text(text, true, out);
	fputc(',', out);
}

static void print_command(const struct finding *finding, FILE *out)
{
	fprintf(out, "::%s ",
		finding->fails                     ? "error"
		: finding->verdict == CHECK_BETTER ? "notice"
						   : "warning");
	if (finding->file) {
		print_property("file", finding->file, out);
		if (finding->line)
			fprintf(out, "line=%u,", finding->line);
	}
	fputs("title=", out);
	print_command_text(finding->name, true, out);
	fputs("::", out);
	print_command_text(finding->head, false, out);
	fputs("%0A", out);
	print_command_text(finding->text, false, out);
	fputc('\n', out);
}

bool junit_print_github(const struct findings *findings, FILE *out, struct err *err)
{
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->list[i];

		if (finding->verdict != CHECK_CONFORMS && finding->verdict != CHECK_UNTESTED) {
			print_command(finding, out);
			continue;
		}
		/* No name may begin the line and be taken for a command. */
		fputs("fathom: ", out);
		text_print_safe(out, finding->head);
		fputc('\n', out);
	}
	return junit_ended(out, err);
}
