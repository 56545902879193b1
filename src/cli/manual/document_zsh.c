/*
 * Completion for zsh: each command's specifications for _arguments. Values that those cannot offer
 * come from completion.zsh.
 */
#include <string.h>

#include "core/metric.h"
#include "document.h"

static const char *const actions[VALUE_COUNT] = {
	[VALUE_TEXT] = " ",
	[VALUE_FILE] = "_files",
	[VALUE_FOLDER] = "_files -/",
	[VALUE_METRICS] = "_fathom_metrics",
	[VALUE_FUNCTION] = "_fathom_functions",
	[VALUE_PROGRAM] = "_fathom_programs",
	[VALUE_PID] = "_fathom_pids",
	[VALUE_PROFILE] = "_fathom_profiles",
};

/* Escape @text for single quotes, and brackets and colons for _arguments. */
static void quoted(const char *text, FILE *out)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:\\", *text))
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
}

static void zsh_put_option(const struct option_row *row, FILE *out)
{
	const bool repeats = row->value == VALUE_FUNCTION;
	const bool takes = row->value != VALUE_NONE;

	fputs(" \\\n\t\t'", out);
	if (document_has_letter(row)) {
		fprintf(out, repeats ? "*'" : "(-%c --%s)'", row->letter, row->name);
		fprintf(out, "{-%c%s,--%s%s}'", row->letter, takes ? "+" : "", row->name,
			takes ? "=" : "");
	} else {
		fprintf(out, "--%s%s", row->name, takes ? "=" : "");
	}
	fputc('[', out);
	quoted(row->help, out);
	fputc(']', out);
	if (takes) {
		fputc(':', out);
		quoted(row->argument, out);
		if (row->value == VALUE_WORDS)
			fprintf(out, ":(%s)", row->words);
		else
			fprintf(out, ":%s", actions[row->value]);
	}
	fputc('\'', out);
}

static void zsh_put_argument(const struct document_argument *argument, FILE *out)
{
	unsigned kind;

	fputs(argument->repeats ? " \\\n\t\t'*:" : " \\\n\t\t':", out);
	quoted(argument->name, out);
	fputs(":{ ", out);
	for (kind = 0; kind < VALUE_COUNT; kind++)
		if (argument->kinds & 1u << kind)
			fprintf(out, "%s; ", actions[kind]);
	fputs("}'", out);
}

static void zsh_put_command(const struct command_usage *usage, FILE *out)
{
	struct document_argument arguments[DOCUMENT_ARGUMENTS];
	const size_t n = document_arguments(usage, arguments);

	fprintf(out, "\t%s)\n\t\t_arguments -s -S", usage->name);
	for (size_t i = 0; i < option_table_size; i++)
		if (document_has_option(usage, i))
			zsh_put_option(&option_table[i], out);
	if (usage->max_arguments < 0)
		fputs(" \\\n\t\t'(-)1:PROG:_fathom_programs' '*::ARG:_normal'", out);
	for (size_t i = 0; i < n && usage->max_arguments >= 0; i++)
		zsh_put_argument(&arguments[i], out);
	if (usage->launches)
		fputs(" \\\n\t\t'*:ARG:_files'", out);
	fputs("\n\t\t;;\n", out);
}

static void zsh_put_tables(const struct document_commands *commands, FILE *out)
{
	enum metric metric;

	fputs("_fathom_commands() {\n\tlocal -a commands=(\n\t\t'help:Show what a command does'\n",
	      out);
	for (size_t i = 0; i < commands->n; i++) {
		const struct command_usage *usage = commands->usages[i];

		fprintf(out, "\t\t'%s:", usage->name);
		quoted(usage->summary, out);
		fputs("'\n", out);
	}
	fputs("\t)\n\t_describe -t commands command commands\n}\n\n"
	      "_fathom_metrics() {\n\tlocal -a metrics=(\n",
	      out);
	for (metric = 0; metric < METRIC_MEASURED; metric++) {
		fprintf(out, "\t\t'%s[", metric_info(metric)->keyword);
		quoted(metric_info(metric)->meaning, out);
		fputs("]'\n", out);
	}
	fputs("\t)\n\t_values -s , metric \"${metrics[@]}\"\n}\n\n", out);
}

void document_zsh(const struct document_commands *commands, FILE *out)
{
	const char *rest = document_print_to_mark(document_completion_zsh, out);

	zsh_put_tables(commands, out);
	rest = document_print_to_mark(rest, out);
	for (size_t i = 0; i < commands->n; i++)
		zsh_put_command(commands->usages[i], out);
	document_print_to_mark(rest, out);
}
