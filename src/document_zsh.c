/* Completion for zsh: for each command the specifications that _arguments reads, and what offers values that it does not know. */
#include <string.h>

#include "cmd.h"
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

/* Text within single quotes, in which _arguments finds no brackets and colons of its own. */
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

static void put_option(const struct option_row *row, FILE *out)
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

static void put_argument(const struct document_argument *argument, FILE *out)
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

static void put_command(const struct command_usage *usage, FILE *out)
{
	struct document_argument arguments[DOCUMENT_ARGUMENTS];
	const size_t n = document_arguments(usage, arguments);
	size_t i;

	fprintf(out, "\t%s)\n\t\t_arguments -s -S", usage->name);
	for (i = 0; i < option_table_size; i++)
		if (document_has_option(usage, i))
			put_option(&option_table[i], out);
	if (usage->max_arguments < 0)
		fputs(" \\\n\t\t'(-)1:PROG:_fathom_programs' '*::ARG:_normal'", out);
	for (i = 0; i < n && usage->max_arguments >= 0; i++)
		put_argument(&arguments[i], out);
	if (usage->launches)
		fputs(" \\\n\t\t'*:ARG:_files'", out);
	fputs("\n\t\t;;\n", out);
}

static void put_tables(FILE *out)
{
	enum metric metric;
	size_t i;

	fputs("_fathom_commands() {\n\tlocal -a commands=(\n\t\t'help:Show what a command does'\n",
	      out);
	for (i = 0; i < command_table_size; i++) {
		const struct command_usage *usage = &command_table[i]->usage;

		if (usage->is_hidden)
			continue;
		fprintf(out, "\t\t'%s:", usage->name);
		quoted(usage->summary, out);
		fputs("'\n", out);
	}
	fputs("\t)\n\t_describe -t commands command commands\n}\n\n"
	      "_fathom_metrics() {\n\tlocal -a metrics=(\n",
	      out);
	for (metric = 0; metric < METRIC_COUNT; metric++) {
		fprintf(out, "\t\t'%s[", metric_info(metric)->keyword);
		quoted(metric_info(metric)->meaning, out);
		fputs("]'\n", out);
	}
	fputs("\t)\n\t_values -s , metric \"${metrics[@]}\"\n}\n\n", out);
}

static const char values[] =
	"_fathom_programs() {\n"
	"\t_alternative 'commands:command:_command_names -e' 'files:program:_files -g \"*(-*)\"'\n"
	"}\n"
	"\n"
	"# Processes that may be attached to: our own, all of them if we are root, and none of the kernel's.\n"
	"_fathom_pids() {\n"
	"\tlocal each\n"
	"\tlocal -a pids names\n"
	"\tfor each in /proc/<1->(N); do\n"
	"\t\t[[ ( -O $each || $EUID -eq 0 ) && -e $each/exe ]] || continue\n"
	"\t\tpids+=(${each:t})\n"
	"\t\tnames+=(\"${each:t}  $(readlink $each/exe 2>/dev/null)\")\n"
	"\tdone\n"
	"\tcompadd -X process -l -d names -a pids\n"
	"}\n"
	"\n"
	"_fathom_profiles() {\n"
	"\t_files -g '*.fathom(-.)'\n"
	"}\n"
	"\n"
	"# Functions that the program has, as far as a moment is enough to find them: that behind --, or the first that there\n"
	"# is among the arguments, a process too; of predict: those of the annotations.\n"
	"_fathom_functions() {\n"
	"\tlocal each subject plain=\"${(Q)PREFIX}\" pattern\n"
	"\tlocal -a names\n"
	"\tinteger behind=${line_words[(ie)--]}\n"
	"\tif (( behind < $#line_words )); then\n"
	"\t\tsubject=${(Q)line_words[behind + 1]}\n"
	"\telse\n"
	"\t\tfor each in \"${(@Q)line_words[3,-1]}\"; do\n"
	"\t\t\teach=${each/#\\~\\//$HOME/}\n"
	"\t\t\tif [[ -f $each || $each == <1-> && -d /proc/$each ]]; then\n"
	"\t\t\t\tsubject=$each\n"
	"\t\t\t\tbreak\n"
	"\t\t\tfi\n"
	"\t\tdone\n"
	"\tfi\n"
	"\tsubject=${subject/#\\~\\//$HOME/}\n"
	"\t[[ -n $subject ]] || return 1\n"
	"\tif [[ $line_words[2] == predict ]]; then\n"
	"\t\tnames=(\"${(@f)$(sed -n 's/^\\([^ /].*\\)\\.[A-Za-z]* {$/\\1/p' $subject 2>/dev/null)}\")\n"
	"\telse\n"
	"\t\tpattern=\"$plain*\"\n"
	"\t\tif [[ $plain == *[*?\\[\\]]* ]]; then pattern='*'; fi\n"
	"\t\tnames=(\"${(@f)$(timeout 3 ${(Q)~line_words[1]} list -q $subject $pattern 2>/dev/null </dev/null |\n"
	"\t\t\tsed -n '/^[^ ].*  0x/s/  .*//p')}\")\n"
	"\tfi\n"
	"\tnames=(${names:#})\n"
	"\tcompadd -X function -a names\n"
	"}\n"
	"\n";

void document_zsh(FILE *out)
{
	size_t i;

	fputs("#compdef fathom\n# Completion of fathom for zsh, made by fathom document --zsh.\n\n",
	      out);
	put_tables(out);
	fputs(values, out);
	fputs("_fathom() {\n"
	      "\tlocal -a line_words=(\"${words[@]}\")\n"
	      "\tif (( CURRENT == 2 )); then\n"
	      "\t\t_fathom_commands || { _fathom_programs; _fathom_pids; _fathom_profiles } # of a session\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tshift words\n"
	      "\t(( CURRENT-- ))\n"
	      "\tcase $words[1] in\n"
	      "\thelp)\n\t\t_fathom_commands\n\t\t;;\n",
	      out);
	for (i = 0; i < command_table_size; i++)
		if (!command_table[i]->usage.is_hidden)
			put_command(&command_table[i]->usage, out);
	fputs("\tesac\n}\n\n_fathom \"$@\"\n", out);
}
