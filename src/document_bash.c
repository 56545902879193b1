/*
 * Completion for bash. The table of what each command takes is made here; what reads it is a text in the shell's language, which needs
 * nothing but bash 4.4. Of names with colons only what is behind the last one is replaced: bash breaks words there.
 */
#include <string.h>

#include "cmd.h"
#include "core/metric.h"
#include "document.h"

static const char *const kind_names[VALUE_COUNT] = {
	[VALUE_TEXT] = "text",       [VALUE_FILE] = "file",         [VALUE_FOLDER] = "folder",
	[VALUE_METRICS] = "metrics", [VALUE_FUNCTION] = "function", [VALUE_WORDS] = "words",
	[VALUE_PROGRAM] = "program", [VALUE_PID] = "pid",           [VALUE_PROFILE] = "profile",
};

static void put_option(const struct option_row *row, FILE *out)
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

static void put_argument(const struct document_argument *argument, FILE *out)
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

static void put_command(const struct command_usage *usage, FILE *out)
{
	struct document_argument arguments[DOCUMENT_ARGUMENTS];
	const size_t n = document_arguments(usage, arguments);
	size_t i;

	fprintf(out, "\t%s)\n\t\toptions=(", usage->name);
	for (i = 0; i < option_table_size; i++)
		if (document_has_option(usage, i))
			put_option(&option_table[i], out);
	fputs(")\n\t\targuments=(", out);
	for (i = 0; i < n; i++)
		put_argument(&arguments[i], out);
	fprintf(out, ")\n\t\tlaunches=%d\n\t\tends=%d\n\t\t;;\n", document_launches(usage),
		usage->max_arguments < 0);
}

static void put_tables(FILE *out)
{
	enum metric metric;
	size_t i;

	fputs("_fathom_commands=(help", out);
	for (i = 0; i < command_table_size; i++)
		if (!command_table[i]->usage.is_hidden)
			fprintf(out, " %s", command_table[i]->usage.name);
	fputs(")\n_fathom_metrics=(", out);
	for (metric = 0; metric < METRIC_COUNT; metric++)
		fprintf(out, "%s%s", metric ? " " : "", metric_info(metric)->keyword);
	fputs(")\n\n# What a command takes: options with the kind of their values, kinds of arguments, whether a command\n"
	      "# line may follow --, and whether its first argument ends the options.\n"
	      "_fathom_table() {\n\toptions=() arguments=() launches=0 ends=0\n\tcase $1 in\n",
	      out);
	for (i = 0; i < command_table_size; i++)
		if (!command_table[i]->usage.is_hidden)
			put_command(&command_table[i]->usage, out);
	fputs("\thelp)\n\t\targuments=('command')\n\t\t;;\n\tesac\n}\n\n", out);
}

/* Words are what stands before the cursor, and quoted as it was typed. */
static const char parsing[] =
	"# The words up to the cursor, in one piece what bash broke at colons and the like.\n"
	"_fathom_split() {\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} blank word i\n"
	"\twords=()\n"
	"\tfor ((i = 0; i <= COMP_CWORD; i++)); do\n"
	"\t\tblank=${line%%[![:blank:]]*}\n"
	"\t\tline=${line#\"$blank\"}\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\t((i < COMP_CWORD)) || word=$line\n"
	"\t\tif ((i == 0)) || [[ -n $blank ]]; then words+=(\"$word\"); else words[-1]+=$word; fi\n"
	"\t\tline=${line#\"$word\"}\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# A word without its quotes, and with the home folder.\n"
	"_fathom_plain() {\n"
	"\tplain=$1\n"
	"\tquote=\n"
	"\tcase $plain in\n"
	"\t[\\'\\\"]*)\n"
	"\t\tquote=${plain:0:1}\n"
	"\t\tplain=${plain:1}\n"
	"\t\tplain=${plain%\"$quote\"}\n"
	"\t\t;;\n"
	"\t*)\n"
	"\t\tplain=${plain//\\\\/}\n"
	"\t\tplain=${plain/#\\~\\//$HOME/}\n"
	"\t\t;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# The kind of an option's value; empty: it takes none.\n"
	"_fathom_kind() {\n"
	"\tlocal each\n"
	"\tkind=\n"
	"\tfor each in \"${options[@]}\"; do\n"
	"\t\tif [[ $each == \"$1=\"* ]]; then kind=${each#*=}; fi\n"
	"\tdone\n"
	"}\n"
	"\n";

static const char offering[] =
	"# What was typed already and bash keeps: all up to the last character at which it breaks words.\n"
	"_fathom_kept() {\n"
	"\tlocal break head\n"
	"\tkept=\n"
	"\t[[ -z $quote ]] || return\n"
	"\tfor break in : =; do\n"
	"\t\tif [[ $COMP_WORDBREAKS == *\"$break\"* && $1 == *\"$break\"* ]]; then\n"
	"\t\t\thead=${1%\"${1##*\"$break\"}\"}\n"
	"\t\t\tif ((${#head} > ${#kept})); then kept=$head; fi\n"
	"\t\tfi\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# Those of the words that go on with what was typed, quoted.\n"
	"_fathom_offer() {\n"
	"\tlocal each\n"
	"\tfor each; do\n"
	"\t\t[[ $each == \"$plain\"* ]] || continue\n"
	"\t\tif [[ -z $quote ]]; then\n"
	"\t\t\tprintf -v each %q \"$each\"\n"
	"\t\t\teach=${each//\\\\,/,}\n"
	"\t\tfi\n"
	"\t\tCOMPREPLY+=(\"${each#\"$kept\"}\")\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# Files, which bash quotes itself: all, or folders and those for which a test holds.\n"
	"_fathom_files() {\n"
	"\tlocal each\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\twhile IFS= read -r each; do\n"
	"\t\tif [[ -d $each ]] || \"$@\"; then COMPREPLY+=(\"${each#\"$kept\"}\"); fi\n"
	"\tdone < <(compgen -f -- \"$plain\")\n"
	"}\n"
	"_fathom_is_profile() { [[ $each == *.fathom ]]; }\n"
	"_fathom_is_program() { [[ -x $each ]]; }\n"
	"\n"
	"_fathom_programs() {\n"
	"\tlocal each\n"
	"\t_fathom_files _fathom_is_program\n"
	"\tif [[ -n $plain && $plain != */* ]]; then\n"
	"\t\twhile IFS= read -r each; do COMPREPLY+=(\"$each\"); done < <(compgen -c -- \"$plain\")\n"
	"\tfi\n"
	"}\n"
	"\n"
	"# Processes that may be attached to: our own, all of them if we are root, and none of the kernel's.\n"
	"_fathom_pids() {\n"
	"\tlocal each\n"
	"\tfor each in /proc/[0-9]*; do\n"
	"\t\tif [[ ( -O $each || $EUID -eq 0 ) && -e $each/exe ]]; then _fathom_offer \"${each#/proc/}\"; fi\n"
	"\tdone\n"
	"}\n"
	"\n"
	"_fathom_list_of_metrics() {\n"
	"\tlocal each head=\n"
	"\tif [[ $plain == *,* ]]; then head=${plain%,*},; fi\n"
	"\tcompopt -o nospace 2>/dev/null\n"
	"\tfor each in \"${_fathom_metrics[@]}\"; do\n"
	"\t\tif [[ ,$head != *,$each,* ]]; then _fathom_offer \"$head$each\"; fi\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# Functions that the program has, as far as a moment is enough to find them; of predict: those of the annotations.\n"
	"_fathom_functions() {\n"
	"\tlocal names=() pattern=$plain'*'\n"
	"\tif [[ $command == predict ]]; then\n"
	"\t\tmapfile -t names < <(sed -n 's/^\\([^ /].*\\)\\.[A-Za-z]* {$/\\1/p' \"$subject\" 2>/dev/null)\n"
	"\telif [[ -n $subject ]]; then\n"
	"\t\tcase $plain in *[][*?]*) pattern='*' ;; esac\n"
	"\t\tmapfile -t names < <(timeout 3 \"$fathom\" list -q \"$subject\" \"$pattern\" 2>/dev/null </dev/null |\n"
	"\t\t\tsed -n '/^[^ ].*  0x/s/  .*//p')\n"
	"\tfi\n"
	"\t_fathom_offer \"${names[@]}\"\n"
	"}\n"
	"\n"
	"_fathom_value() {\n"
	"\tlocal kinds each\n"
	"\tread -ra kinds <<<\"$1\"\n"
	"\tif [[ ${kinds[0]} == words ]]; then\n"
	"\t\t_fathom_offer \"${kinds[@]:1}\"\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tfor each in \"${kinds[@]}\"; do\n"
	"\t\tcase $each in\n"
	"\t\tfile) _fathom_files true ;;\n"
	"\t\tfolder) _fathom_files false ;;\n"
	"\t\tmetrics) _fathom_list_of_metrics ;;\n"
	"\t\tfunction) _fathom_functions ;;\n"
	"\t\tprogram) _fathom_programs ;;\n"
	"\t\tpid) _fathom_pids ;;\n"
	"\t\tprofile) _fathom_files _fathom_is_profile ;;\n"
	"\t\tcommand) _fathom_offer \"${_fathom_commands[@]}\" ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"}\n"
	"\n";

static const char choosing[] =
	"# Whose functions are meant: the program behind --, wherever that is, or the first argument.\n"
	"_fathom_subject() {\n"
	"\tlocal i kind is_value=0 each\n"
	"\tsubject=\n"
	"\tfor ((i = 2; i < ${#COMP_WORDS[@]}; i++)); do\n"
	"\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then subject=${COMP_WORDS[i + 1]-}; break; fi\n"
	"\tdone\n"
	"\t# The words behind the cursor are those that bash made; they have no values of options with colons.\n"
	"\tif [[ -z $subject ]]; then\n"
	"\t\tfor each in \"${words[@]:2:${#words[@]} - 3}\" \"${COMP_WORDS[@]:COMP_CWORD + 1}\"; do\n"
	"\t\t\tif ((is_value)); then is_value=0; continue; fi\n"
	"\t\t\tif [[ $each == -* ]]; then\n"
	"\t\t\t\t_fathom_kind \"$each\"\n"
	"\t\t\t\tif [[ -n $kind ]]; then is_value=1; fi\n"
	"\t\t\t\tcontinue\n"
	"\t\t\tfi\n"
	"\t\t\tsubject=$each\n"
	"\t\t\tbreak\n"
	"\t\tdone\n"
	"\tfi\n"
	"\t_fathom_plain \"$subject\"\n"
	"\tsubject=$plain\n"
	"}\n"
	"\n"
	"# What the word at the cursor is: the value of an option, an option, or an argument.\n"
	"_fathom_word() {\n"
	"\tlocal kind= place=0 behind=0 each last=$((${#words[@]} - 1)) raw\n"
	"\tfor each in \"${words[@]:2:last - 2}\"; do\n"
	"\t\tif ((behind)); then ((behind++))\n"
	"\t\telif [[ -n $kind ]]; then kind=\n"
	"\t\telif [[ $each == -- ]]; then behind=1\n"
	"\t\telif [[ $each == -* ]]; then _fathom_kind \"$each\"\n"
	"\t\telse ((place++)); if ((ends)); then behind=2; fi\n"
	"\t\tfi\n"
	"\tdone\n"
	"\traw=${words[last]}\n"
	"\tif ((behind > 1)); then kind=file\n"
	"\telif ((behind)); then kind=program\n"
	"\telif [[ -n $kind ]]; then :\n"
	"\telif [[ $raw == --*=* ]]; then\n"
	"\t\t_fathom_kind \"${raw%%=*}\"\n"
	"\t\traw=${raw#*=}\n"
	"\telif [[ $raw == -* ]]; then\n"
	"\t\t_fathom_plain \"$raw\"\n"
	"\t\tif ((launches)); then _fathom_offer --; fi\n"
	"\t\t_fathom_offer \"${options[@]%%=*}\"\n"
	"\t\treturn\n"
	"\telse\n"
	"\t\teach=${arguments[-1]-}\n"
	"\t\tif ((place < ${#arguments[@]})); then each=${arguments[place]}; elif [[ $each != *...* ]]; then each=; fi\n"
	"\t\tkind=${each% ...}\n"
	"\tfi\n"
	"\t_fathom_subject\n"
	"\t_fathom_plain \"$raw\"\n"
	"\t_fathom_kept \"$raw\"\n"
	"\t_fathom_value \"$kind\"\n"
	"}\n"
	"\n"
	"_fathom() {\n"
	"\tlocal words command fathom plain quote kept= subject options arguments launches ends\n"
	"\tCOMPREPLY=()\n"
	"\t_fathom_split\n"
	"\t_fathom_plain \"${words[0]}\"\n"
	"\tfathom=$plain\n"
	"\tcommand=${words[1]}\n"
	"\tif ((${#words[@]} > 2)); then\n"
	"\t\t_fathom_table \"$command\"\n"
	"\t\t_fathom_word\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t_fathom_plain \"$command\"\n"
	"\tif [[ $command == -* ]]; then\n"
	"\t\t_fathom_offer --help --version\n"
	"\telse\n"
	"\t\t_fathom_offer \"${_fathom_commands[@]}\"\n"
	"\t\tif ((${#COMPREPLY[@]} == 0)); then\n"
	"\t\t\t_fathom_kept \"$command\"\n"
	"\t\t\t_fathom_value 'program pid profile' # of a session\n"
	"\t\tfi\n"
	"\tfi\n"
	"}\n"
	"\n"
	"complete -F _fathom fathom\n";

void document_bash(FILE *out)
{
	fputs("# Completion of fathom for bash, made by fathom document --bash.\n\n", out);
	put_tables(out);
	fputs(parsing, out);
	fputs(offering, out);
	fputs(choosing, out);
}
