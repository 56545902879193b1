/* Completion for bash: the table of what each command takes, which completion.bash reads. */
#include <string.h>

#include "core/metric.h"
#include "document.h"

static const char *const kind_names[VALUE_COUNT] = {
	[VALUE_TEXT] = "text",       [VALUE_FILE] = "file",         [VALUE_FOLDER] = "folder",
	[VALUE_METRICS] = "metrics", [VALUE_FUNCTION] = "function", [VALUE_WORDS] = "words",
	[VALUE_PROGRAM] = "program", [VALUE_PID] = "pid",           [VALUE_PROFILE] = "profile",
};

static void bash_put_option(const struct option_row *row, FILE *out)
{
	char value[256] = "";

	if (row->value == VALUE_WORDS)
		snprintf(value, sizeof(value), "=words %s", row->words);
	else if (row->value != VALUE_NONE)
		snprintf(value, sizeof(value), "=%s", kind_names[row->value]);
	if (document_has_letter(row))
		fprintf(out, " '-%c%s'", row->letter, value);
	fprintf(out, " '--%s%s'", row->name, value);
}

static void bash_put_argument(const struct document_argument *argument, FILE *out)
{
	const char *separator = "";
	unsigned kind;

	fputs(" '", out);
	for (kind = VALUE_TEXT; kind < VALUE_COUNT; kind++)
		if (argument->kinds & 1u << kind) {
			fprintf(out, "%s%s", separator, kind_names[kind]);
			separator = " ";
		}
	fputs(argument->repeats ? " ...'" : "'", out);
}

static void bash_put_command(const struct command_usage *usage, FILE *out)
{
	struct document_argument arguments[DOCUMENT_ARGUMENTS];
	const size_t n = document_arguments(usage, arguments);

	fprintf(out, "\t%s)\n\t\toptions=(", usage->name);
	for (size_t i = 0; i < option_table_size; i++)
		if (document_has_option(usage, i))
			bash_put_option(&option_table[i], out);
	fputs(")\n\t\targuments=(", out);
	for (size_t i = 0; i < n; i++)
		bash_put_argument(&arguments[i], out);
	fprintf(out, ")\n\t\tlaunches=%d\n\t\tends=%d\n\t\t;;\n", document_launches(usage),
		usage->max_arguments < 0);
}

static void bash_put_tables(const struct document_commands *commands, FILE *out)
{
	enum metric metric;

	fputs("_fathom_commands=(help", out);
	for (size_t i = 0; i < commands->n; i++)
		fprintf(out, " %s", commands->usages[i]->name);
	fputs(")\n_fathom_metrics=(", out);
	for (metric = 0; metric < METRIC_MEASURED; metric++)
		fprintf(out, "%s%s", metric ? " " : "", metric_info(metric)->keyword);
	fputs(")\n\n# What a command takes: options with the kind of their values, kinds of "
	      "arguments, whether a command\n"
	      "# line may follow --, and whether its first argument ends the options.\n"
	      "_fathom_table() {\n\toptions=() arguments=() launches=0 ends=0\n\tcase $1 in\n",
	      out);
	for (size_t i = 0; i < commands->n; i++)
		bash_put_command(commands->usages[i], out);
	fputs("\thelp)\n\t\targuments=('command')\n\t\t;;\n\tesac\n}\n\n", out);
}

void document_bash(const struct document_commands *commands, FILE *out)
{
	const char *rest = document_print_to_mark(document_completion_bash, out);

	bash_put_tables(commands, out);
	document_print_to_mark(rest, out);
}
