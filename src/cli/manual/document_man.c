/*
 * The manual page, in the macros of man(7). Commands, options and metrics come from their tables;
 * document_keys.c and document_session.c write the sections on the explorer and the session.
 */
#include <string.h>

#include "core/metric.h"
#include "document.h"
#include "document_man.h"
#include "roff.h"

static void command_line(const struct command_usage *usage, FILE *out)
{
	fprintf(out, "\\fBfathom %s\\fR [\\fIOPTION\\fR...] ", usage->name);
	roff_usage(usage->arguments, out);
	fputc('\n', out);
}

static void synopsis(const struct document_commands *commands, FILE *out)
{
	roff_section("SYNOPSIS", out);
	for (size_t i = 0; i < commands->n; i++) {
		command_line(commands->usages[i], out);
		fputs(".br\n", out);
	}
	fputs("\\fBfathom help\\fR [\\fICOMMAND\\fR]\n", out);
}

static void option_name(const struct option_row *row, FILE *out)
{
	if (document_has_letter(row))
		fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
	fputs("\\fB\\-\\-", out);
	roff_text(row->name, out);
	fputs("\\fR", out);
	if (!row->argument)
		return;
	fputs(row->value == VALUE_NONE ? "[=" : "=", out);
	roff_usage(row->argument, out);
	if (row->value == VALUE_NONE)
		fputc(']', out);
}

static void commands_options(const struct command_usage *usage, FILE *out)
{
	bool is_first = true;

	fputs(".IP\nOptions: ", out);
	for (size_t i = 0; i < option_table_size; i++) {
		if (!document_has_option(usage, i))
			continue;
		fputs(is_first ? "" : ", ", out);
		is_first = false;
		if (document_has_letter(&option_table[i]))
			fprintf(out, "\\fB\\-%c\\fR", option_table[i].letter);
		else {
			fputs("\\fB\\-\\-", out);
			roff_text(option_table[i].name, out);
			fputs("\\fR", out);
		}
	}
	fputs(".\n", out);
}

static void describe_commands(const struct document_commands *commands, FILE *out)
{
	roff_section("COMMANDS", out);
	for (size_t i = 0; i < commands->n; i++) {
		const struct command_usage *usage = commands->usages[i];
		const size_t end = strlen(usage->summary) - 1;

		fputs(".TP\n", out);
		command_line(usage, out);
		roff_text(usage->summary, out);
		fputs(usage->summary[end] == '?' ? "\n" : ".\n", out);
		if (usage->details) {
			roff_text(usage->details, out);
			fputc('\n', out);
		}
		commands_options(usage, out);
	}
}

/* Which commands take the option, unless all do. */
static void option_commands(const struct option_row *row, const struct document_commands *commands,
			    FILE *out)
{
	bool is_first = true;

	if ((row->commands & ALL) == ALL)
		return;
	fputs("(", out);
	for (size_t i = 0; i < commands->n; i++)
		if (row->commands & commands->usages[i]->bit) {
			fprintf(out, "%s%s", is_first ? "" : ", ", commands->usages[i]->name);
			is_first = false;
		}
	fputs(")\n", out);
}

static void options(const struct document_commands *commands, FILE *out)
{
	roff_section("OPTIONS", out);
	for (size_t i = 0; i < option_table_size; i++) {
		const struct option_row *row = &option_table[i];

		if (!(row->commands & ALL))
			continue;
		fputs(".TP\n", out);
		option_name(row, out);
		fputc('\n', out);
		roff_text(row->help, out);
		fputs(".\n", out);
		option_commands(row, commands, out);
	}
}

static void metrics(FILE *out)
{
	enum metric metric;

	roff_section("METRICS", out);
	roff_paragraph(
		"What a call costs, callees included. With self. before it a metric is without "
		"what measured "
		"callees cost.",
		out);
	for (metric = 0; metric < METRIC_TOTALS; metric++) {
		const struct metric_info *info = metric_info(metric);

		roff_item(info->keyword, info->meaning, out);
		fputs("(", out);
		roff_text(*info->unit_text ? info->unit_text : "a count", out);
		fputs(")\n", out);
	}
}

static void containers(FILE *out)
{
	roff_section("CONTAINERS", out);
	roff_paragraph(
		"Containers are features in the words of their programmers: items.size(), "
		"name.length(), stock.bucket_count(), items.front().price where there is a first "
		"element. Known are those of libstdc++, libc++, GLib, Rust, LLVM, Abseil, Boost, "
		"Qt. Files of --containers and ~/.config/fathom/containers add others, "
		"or replace them:",
		out);
	fputs(".PP\n.RS 4\n.EX\n", out);
	roff_text("# A comment. Names of types; * is anything. Their rows are indented.\n"
		  "my::pool<*>\n"
		  "    check used_end <= all_end\n"
		  "    size() = used_end - used_begin\n"
		  "    front() : *used_begin if used_begin < used_end",
		  out);
	fputs("\n.EE\n.RE\n", out);
	roff_paragraph(
		"A row is what stands behind the object (size(), a member's name, or [] for an "
		"array that is the object itself) and an expression as of --feature, in which "
		"names are members, <0> in a cast or sizeof is the first template argument, and "
		"<name> a type that the class declares. Behind = is "
		"a number of things, which is absent as corrupt from 2^47 on; behind : anything "
		"else; behind if what is 0 where there is nothing to read; behind check what is "
		"0 where the numbers of the rows below are corrupt; behind text is a pointer to "
		"a string's characters. The row [$] is element number $, with each {->next} so "
		"many times. Of rows with one word the first counts whose names the type has.",
		out);
}

static void put_selection(FILE *out)
{
	roff_section("SELECTION", out);
	roff_paragraph(
		"--select chooses among the functions that -f names, or all, by rules that each "
		"leave some out; those of libraries stay. fathom list -v --select=LIST says which "
		"and why. --max-overhead holds with and without rules. "
		"Levels, as of fathom list --levels, count the steps from main.",
		out);
	roff_item("all", "None is left out.", out);
	roff_item("userspace", "Helpers of the compiler and the linker.", out);
	roff_item("hot", "Those in which the program is not seen, by samples, as -f @hot.", out);
	roff_item("reachable", "Those that neither calls nor addresses in code or data lead to.",
		  out);
	roff_item("trim=LEVELS",
		  "Those of deeper levels than the first so many, or so much of the graph's depth "
		  "(trim=25%, which is 3 levels at least).",
		  out);
	roff_item("prune=CHAIN",
		  "Those that fewer than so many further calls (or percent of the depth) lead on "
		  "from, below the upper tenth of the levels.",
		  out);
	roff_item("constant",
		  "Those without a loop and without calls of what is not constant or not known.",
		  out);
	roff_item("learn=PROFILE",
		  "Those whose calls, 30 or more in that earlier run of this build, cost the same "
		  "(the quartiles are 5 % apart), less than could be told, or what those of their "
		  "only caller do, that only calls them. How often they are called is no reason, "
		  "as it is in the thesis: that is what --max-overhead is for. A random twentieth "
		  "of these is measured again. It may be of an older build, whose code it knows.",
		  out);
	roff_item("changed=OLD",
		  "A function whose machine code differs from that in the older build, or in the "
		  "profile of it, is never left out. Without other rules than userspace, hot and "
		  "all, only these and their callers are measured.",
		  out);
	roff_item("basic, advanced, full",
		  "userspace,trim=25%; userspace,trim=50%; userspace,reachable,prune=10%,constant. "
		  "The thesis they are from (J. Pavela, 2020) adds what learn= and changed= do, "
		  "and sampling, which the governor does.",
		  out);
}

static void blocks(FILE *out)
{
	roff_section("BLOCKS", out);
	roff_paragraph(
		"-f 'parser.c:120..140' measures a part of a function as a function of its own:"
		" from where line 120 begins to where line 140 does. Both are code of one "
		"function; of several pieces of the first line, the lowest in memory counts, of"
		" the last line all. The features are what can be read where it begins: "
		"parameters, globals, and local variables that are declared before: one that has "
		"no value yet is read as it is, and does not explain much. Within a "
		"loop it begins again in each turn, and 120..120 is a turn. A block that begins"
		" again, or whose function is left, before its last line has no end, and is "
		"only counted. Where a measured function or another block begins none can "
		"begin: what begins there second is not measured, which is said. Lines that were "
		"inlined into several functions, or are of a template with several instances, "
		"are refused, as are a line without code (the next that has some is named) and "
		"a last line that no way from the first one leads to.",
		out);
	roff_paragraph(
		"-f 'usdt:PROVIDER:BEGIN..END' is the same from one USDT probe to another, as of "
		"<sys/sdt.h>; the arguments of the first, $arg1 and so on, are features, too. "
		"'usdt:PROVIDER:PROBE' lasts until the probe is passed again or its function is "
		"left. A probe that the code has in several places is measured in each, as "
		"usdt:PROVIDER:PROBE#1, #2 and so on, which -f takes, too. Programs and libraries "
		"with probes may be stripped. "
		"A program may ask a probe's semaphore first: while it is measured that is one "
		"higher, also where it is attached to, until fathom leaves or dies.",
		out);
	roff_paragraph(
		"Each beginning and end is a stop of the thread, some microseconds, also "
		"where functions are measured by pads. Seven blocks of a function can be measured "
		"at once; they may contain each other, and calls within them are theirs.",
		out);
}

static void curves(FILE *out)
{
	roff_section("CURVES", out);
	roff_paragraph(
		"With --curve, annotate, export, explore and predict go by a smooth curve through "
		"the calls over the feature that a formula uses, or that explains most; --over "
		"names another one, or the order of the calls (order). It is no law: predict uses "
		"it between the calls that were seen and nowhere else, in place of formulas (of "
		"profiles, and annotations with a curve, also without the option, if formulas "
		"explain nothing; JSON has a curve then). Its band has the curve in 95 of 100 such "
		"samples at each place, but for what smoothing takes from peaks. Pictures have a "
		"kernel's curve wherever there is no formula. A test of lack of fit, at a level "
		"of 1 %, says where calls cost at least 5 % more or less than the formulas say.",
		out);
	roff_item("kernel",
		  "Local linear regression among so many nearest calls as misses calls that are "
		  "left out the least.",
		  out);
	roff_item("bins",
		  "Means of bins of equal width, as many as Doane's rule has (a regressogram).",
		  out);
	roff_item("sturges, rice, sqrt, scott, fd",
		  "The same by the rule of that name; fd is of Freedman and Diaconis.", out);
	roff_item("mean, median", "Of the nearest twentieth of the calls.", out);
	roff_item("exponential", "The mean of the calls up to there, the farther the less.", out);
}

static void methods(FILE *out)
{
	roff_section("METHODS", out);
	roff_paragraph(
		"With --method, diff and compare judge as the detectors of Perun do "
		"(github.com/Perfexionists/perun, perun/check; J. Pavela, 2020), by values of a "
		"feature instead of positions. They go by thresholds alone, and know neither "
		"chance nor runs. e = (new - old) / old; x is the first number in the old formula, "
		"in 20 windows of equal width over the range that both profiles have.",
		out);
	roff_item("average", "Mean cost: e >= 1 is worse, e <= -0.5 better.", out);
	roff_item("order",
		  "The class of growth (constant, log, sqrt, linear, n log n, quadratic, cubic, "
		  "power, exponential) is another, where both formulas have R2 >= 0.9.",
		  out);
	roff_item("integral",
		  "e of the integral over x (trapezoids over the windows' means): |e| <= 0.10 "
		  "none, <= 0.25 perhaps.",
		  out);
	roff_item("local",
		  "In each window e of mean (which counts thrice: Perun's integral, sum and mean), "
		  "median, least, most and quartiles; each scores 0, a half or 1 with those "
		  "borders; |score| <= 1.6 none, <= 4 perhaps. Told are the mean e, and the window "
		  "that is worst.",
		  out);
	roff_item("outliers",
		  "Of all functions, new and gone ones too, d is by how much more the calls of a "
		  "run cost (measure self.time): 0.6745 |d - median| / MAD > 3.5 is far from all "
		  "others; outside of the quartiles by 1.5 of their distance a change; above 2 "
		  "deviations of the rest perhaps. MAD is at least the resolution times the root "
		  "of the calls; less than that is none.",
		  out);
}

static void exit_status(FILE *out)
{
	roff_section("EXIT STATUS", out);
	roff_item("0", "Done. Of check and diff: the samples conform, nothing got worse.", out);
	roff_item("1", "check: samples do not conform. diff: something got worse.", out);
	roff_item("2",
		  "Wrong usage, input that cannot be read, or nothing could be measured: a line on "
		  "standard error says what, "
		  "and what to do.",
		  out);
	roff_item("3",
		  "The target could not be launched or attached to, or died of the measurement.",
		  out);
}

static void surroundings(FILE *out)
{
	roff_section("ENVIRONMENT", out);
	roff_item("DEBUGINFO_PATH",
		  "Folders with separate debug files, with colons between, if --debuginfo-path is "
		  "not given.",
		  out);
	roff_item("NO_COLOR", "If it is set and not empty, nothing is coloured.", out);
	roff_section("FILES", out);
	roff_item("*.fathom",
		  "A profile: samples of functions, in an SQLite database, which sqlite3(1) can "
		  "query.",
		  out);
}

static void examples(FILE *out)
{
	static const struct {
		const char *what, *how;
	} shown[] = {
		{"What does sorting depend on?",
		 "fathom run -f 'std::list<int>::sort' -o sort.fathom -- ./sort 300"},
		{"Measure a process for ten seconds, time and memory:",
		 "fathom attach --for 10 -m time,mem -f parse 4711"},
		{"Keep what was found, and notice when it is true no more:",
		 "fathom annotate sort.fathom >sort.txt; fathom check sort.txt -- ./sort 300"},
		{"What is a process doing?", "fathom stack 4711"},
	};

	roff_section("EXAMPLES", out);
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		roff_paragraph(shown[i].what, out);
		fputs(".PP\n.RS 4\n.EX\n", out);
		roff_text(shown[i].how, out);
		fputs("\n.EE\n.RE\n", out);
	}
}

void document_man(const struct document_commands *commands, FILE *out)
{
	fputs(".TH FATHOM 1 \"\" \"fathom " FATHOM_VERSION "\" \"User Commands\"\n", out);
	fputs(".ad l\n.nh\n", out);
	roff_section("NAME", out);
	fputs("fathom \\- measure what the cost of a function depends on\n", out);
	synopsis(commands, out);
	roff_section("DESCRIPTION", out);
	roff_paragraph(
		"fathom launches a program that was built with -g, or attaches to one, notices the "
		"calls of the "
		"functions that it was asked about, reads the values that they work on, and writes "
		"their cost as a "
		"formula of those values, with its uncertainty. The program is not changed for "
		"that.",
		out);
	roff_paragraph(
		"Results go to standard output; notes and errors go to standard error, a line "
		"each.",
		out);
	describe_commands(commands, out);
	options(commands, out);
	metrics(out);
	document_keys(out);
	document_session(out);
	containers(out);
	put_selection(out);
	blocks(out);
	curves(out);
	methods(out);
	exit_status(out);
	surroundings(out);
	examples(out);
	roff_section("SEE ALSO", out);
	fputs("gdb(1), perf(1), ptrace(2), sqlite3(1)\n", out);
}
