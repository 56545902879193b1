/* The rows of the table; option_setters.c has the functions for values that need more. */
#include "options_table.h"

#include <stddef.h>

#include "option_setters.h"

/* The type of the field in struct options decides how the value is parsed. */
#define FIELD(field) \
	.kind = _Generic(((struct options *)0)->field, bool: SET_TRUE, const char *: SET_TEXT,     \
			 unsigned: SET_UNSIGNED, size_t: SET_SIZE, double: SET_FRACTION),          \
	.offset = offsetof(struct options, field)
#define CHOICE(field)   .kind = SET_CHOICE, .offset = offsetof(struct options, field)
#define DOCUMENT(which) .kind = SET_DOCUMENT, .most = which

const struct option_row option_table[] = {
	{MODELLED | COMMAND_SESSION | COMMAND_ANNOTATE | COMMAND_EXPORT | COMMAND_DIFF |
		 COMMAND_COMPARE | COMMAND_EXPLORE | COMMAND_STUCK | COMMAND_BASELINE |
		 COMMAND_MERGE | COMMAND_ADVISE | COMMAND_SWEEP | COMMAND_LIST,
	 'f', "function", "NAME|PATTERN",
	 "Function: plain, qualified or linkage name, glob; of a source file (parser.c:*) or "
	 "library (libz.so.1:inflate); a block of one (FILE:LINE..LINE, see BLOCKS in the "
	 "manual page); or @FILE with one a line; may be repeated. Of run and attach also @hot, "
	 "the default: those of the program's own sources in which it spends its time",
	 VALUE_FUNCTION, .set = option_setters_function},
	{MODELLED | COMMAND_LIST, 0, "select", "LIST",
	 "Of the program's functions measure those that these rules, with commas between, leave: "
	 "all, userspace, hot, changed=OLD, reachable, trim=LEVELS, prune=CHAIN, constant, "
	 "learn=PROFILE, basic, advanced, full (see SELECTION in the manual page); without -f, of "
	 "all",
	 VALUE_TEXT, FIELD(select)},
	{(MEASURING & ~(COMMAND_COMPARE | COMMAND_HISTORY)) | COMMAND_IMPORT, 'o', "output",
	 "PROFILE",
	 "Add the samples to this profile (without it, run and attach begin fathom.fathom anew, "
	 "and the one before becomes fathom.old.fathom)",
	 VALUE_FILE, .set = option_setters_output},
	{COMMAND_COMPARE, 'o', "output", "NAME",
	 "Keep the profiles, as NAME.old, NAME.new, NAME.new2, ...", VALUE_FILE, FIELD(output)},
	{COMMAND_COMPARE, 0, "old", "PROGRAM",
	 "A build of the old side, with the arguments behind --; may be repeated", VALUE_FILE,
	 .set = option_setters_old},
	{COMMAND_COMPARE, 0, "new", "PROGRAM", "A build of the new side; may be repeated",
	 VALUE_FILE, .set = option_setters_new},
	{COMMAND_COMPARE, 0, "changed", NULL,
	 "Also measure the functions whose machine code differs between OLD and NEW, their "
	 "callers, and those whose self time differs, by samples of three runs of each",
	 FIELD(changed)},
	{MODELLED | COMMAND_LIST | COMMAND_COMPARE, 0, "same-code", "HOW",
	 "For --changed, and for changed=OLD of --select, code is the same if its instructions are "
	 "(strict, the default), if their kinds, jumps and callees are, whatever the operands "
	 "(semistrict), or if they are but for other registers and their order between jumps and "
	 "calls (colour)",
	 VALUE_WORDS, "strict semistrict colour", CHOICE(same_code)},
	{COMMAND_COMPARE, 0, "runs", "N", "Run each at most so often (20)", VALUE_TEXT, FIELD(runs),
	 .most = 100000},
	{COMMAND_CHECK | COMMAND_BASELINE | COMMAND_HISTORY, 0, "runs", "N",
	 "Launch the program so often (1; baseline, history: 5), each time with another layout",
	 VALUE_TEXT, FIELD(runs), .most = 100000},
	{COMMAND_COMPARE | COMMAND_CHECK | COMMAND_BASELINE | COMMAND_HISTORY, 0, "layout", "PARTS",
	 "What lies elsewhere in each run, with commas between: stack, environment, heap, pages "
	 "(all of them); or fixed, nothing: all runs are the same one layout",
	 VALUE_WORDS, "stack environment heap pages fixed", .set = option_setters_layout},
	{COMMAND_CHECK, 0, "baseline", "DIR",
	 "ANNOTATIONS are the program's file in this folder, which fathom baseline update makes",
	 VALUE_FOLDER, FIELD(baseline)},
	{COMMAND_COMPARE, 0, "precision", "P",
	 "Enough runs, of 5 or more, when 95 % intervals of costs are narrower (0.02); 0: all of "
	 "--runs",
	 VALUE_TEXT, FIELD(precision)},
	{COMMAND_SWEEP, 0, "precision", "P",
	 "Enough runs when what a typical call costs is known to so much (0.02; or as 5%)",
	 VALUE_TEXT, FIELD(precision)},
	{COMMAND_SWEEP, 0, "runs", "N", "At most so many runs (20)", VALUE_TEXT, FIELD(runs),
	 .most = 100000},
	{COMMAND_MERGE, 'o', "output", "PROFILE", "Write the merged profile there", VALUE_FILE,
	 FIELD(output)},
	{COMMAND_MERGE, 0, "match", "A = B",
	 "Match calls by features with the same number, as 'call.id = handler.request->id'",
	 VALUE_TEXT, FIELD(match)},
	{COMMAND_RUN, 0, "with", "PID|COMMAND",
	 "Measure the server with which PROG speaks, too, one that runs or is launched before and "
	 "ended afterwards, and merge both into -o: see fathom merge",
	 VALUE_TEXT, FIELD(with)},
	{COMMAND_RUN, 0, "serve", "NAME|PATTERN", "The server's functions, as -f, of --with",
	 VALUE_TEXT, FIELD(serve)},
	{COMMAND_EXPORT, 'o', "output", "FILE", "Write there", VALUE_FILE, FIELD(output)},
	{COMMAND_EXPORT, 0, "csv", "spreadsheet", "As a table, comma-separated", VALUE_NONE,
	 .set = option_setters_csv},
	{COMMAND_EXPORT, 0, "otlp", NULL,
	 "As OpenTelemetry's JSON: calls, with those that they made or asked, as spans of traces",
	 FIELD(otlp)},
	{COMMAND_EXPORT, 0, "timeline", "FILE",
	 "The time line of the longest call (of -f and --where), as SVG; of a merged profile with "
	 "the servers' calls",
	 VALUE_FILE, FIELD(timeline)},
	{(MODELLING & ~COMMAND_BASELINE) | COMMAND_STUCK | COMMAND_CAUSAL | COMMAND_TOP |
		 COMMAND_CALLS,
	 'r', "report", "FILE", "Write the results there, not to standard output", VALUE_FILE,
	 FIELD(report)},
	{MODELLED | COMMAND_SESSION | COMMAND_ANNOTATE | COMMAND_PREDICT | COMMAND_DIFF |
		 COMMAND_COMPARE | COMMAND_EXPLORE | COMMAND_EXPORT | COMMAND_BASELINE |
		 COMMAND_HISTORY | COMMAND_ADVISE | COMMAND_SWEEP,
	 'm', "metric", "LIST",
	 "Metrics, with commas between: time (the default of run and attach; of compare, "
	 "baseline and history time and cpu), cpu, wait, hold, mem, peak, leaks, leaks.blocks, "
	 "pfaults, Pfaults, switches, "
	 "mem.at (mem, and by line of the code that allocates), "
	 "remote (in requests to others; also notes what fathom merge needs), "
	 "instructions, cycles, cachemisses, branchmisses; with self. before it: "
	 "without what measured callees cost",
	 VALUE_METRICS, .set = option_setters_metrics},
	{COMMAND_ANNOTATE | COMMAND_CHECK | COMMAND_DIFF | COMMAND_PREDICT | COMMAND_EXPORT |
		 COMMAND_EXPLORE | COMMAND_ADVISE,
	 0, "where", "CONDITION",
	 "Only of calls that fulfil it, as 'switches == 0 && n > 100': of features, metrics, run, "
	 "process, thread, start and exit (returned, thrown, jumped); annotations say so",
	 VALUE_TEXT, FIELD(where)},
	{COMMAND_ANNOTATE, 0, "compose", NULL,
	 "Write costs in terms of the measured callees' costs, as 2*n + @sort[s:=n], where that "
	 "predicts calls as well, and say what part of the cost is whose. Wants profiles of "
	 "run -m time,self.time, or all calls of callees (--samples all)",
	 FIELD(compose)},
	{COMMAND_CAUSAL, 'p', "progress", "POINT",
	 "Progress is a return of this function, passing FILE:LINE, or what this variable of the "
	 "program counts, once for each piece of work; may be repeated",
	 VALUE_FUNCTION, .set = option_setters_progress},
	{COMMAND_CAUSAL, 0, "latency", "BEGIN,END",
	 "The time from one point to the other is to get less; a function is BEGIN when it is "
	 "called, END when it returns",
	 VALUE_TEXT, FIELD(causal.latency)},
	{COMMAND_CAUSAL, 0, "end-to-end", NULL,
	 "What is to get less is the time of the whole program, which is launched again and again",
	 FIELD(causal.end_to_end)},
	{COMMAND_CAUSAL, 0, "attach", "PID", "Of a process that runs, which lives on", VALUE_TEXT,
	 FIELD(causal.attach)},
	{COMMAND_CAUSAL, 0, "scope", "PATTERN",
	 "What may be chosen: functions, source files, and programs and libraries whose name is "
	 "like this glob (all of the program's own sources); may be repeated",
	 VALUE_TEXT, .set = option_setters_scope},
	{COMMAND_CAUSAL, 0, "functions", NULL, "What is to be faster are functions (the default)",
	 .kind = SET_FALSE, .offset = offsetof(struct options, causal.lines)},
	{COMMAND_CAUSAL, 0, "lines", NULL, "What is to be faster are lines", FIELD(causal.lines)},
	{COMMAND_CAUSAL, 0, "callers", NULL, "Functions count for each of their callers apart",
	 FIELD(causal.callers)},
	{COMMAND_CAUSAL, 0, "hosts", NULL,
	 "Inlined code counts as the function's, or the line's, that it is inlined in",
	 FIELD(causal.hosts)},
	{COMMAND_CAUSAL, 0, "fixed", "UNIT=SPEEDUP",
	 "Only try this: a function, or FILE:LINE with --lines, faster by so much, as 50%",
	 VALUE_TEXT, FIELD(causal.fixed)},
	{COMMAND_CAUSAL, 0, "arrival", "POINT",
	 "Here work arrives: a function that is called, or FILE:LINE (the BEGIN of --latency)",
	 VALUE_FUNCTION, FIELD(causal.arrival)},
	{COMMAND_CAUSAL, 0, "load", "LIST",
	 "In place of faster code: what if so many times the work arrived, as 2,4,8, or each came "
	 "earlier by a time, as 500us",
	 VALUE_TEXT, FIELD(causal.load)},
	{COMMAND_CAUSAL, 0, "at-load", "TIMES",
	 "What would be gained if so many times the work arrived", VALUE_TEXT,
	 FIELD(causal.at_load)},
	{COMMAND_CAUSAL, 'o', "output", "PROFILE",
	 "Keep what was tried in this profile, and go on from what is there", VALUE_FILE,
	 .set = option_setters_output},
	{COMMAND_CAUSAL, 0, "for", "SECONDS",
	 "Experiment that long (until Ctrl-C, or the program ends)", VALUE_TEXT,
	 .set = option_setters_seconds},
	{COMMAND_WATCH, 0, "for", "SECONDS", "Watch that long, as 90, 2 min (until Ctrl-C)",
	 VALUE_TEXT, .set = option_setters_seconds},
	{COMMAND_WATCH, 0, "name", "NAME",
	 "Watch the processes of this name: of the command, or of the program's file", VALUE_TEXT,
	 FIELD(watch.name)},
	{COMMAND_WATCH, 0, "every", "SECONDS", "The length of a period, as 60 (the default), 5 min",
	 VALUE_TEXT, .set = option_setters_every},
	{COMMAND_WATCH, 0, "on-change", "COMMAND",
	 "Let the shell run this when a cost is violated or conforms again", VALUE_TEXT,
	 FIELD(watch.on_change)},
	{COMMAND_WATCH, 0, "state", "FILE", "Keep what is known there, for the next start",
	 VALUE_FILE, FIELD(watch.state)},
	{COMMAND_WATCH, 0, "metrics-file", "FILE",
	 "Write OpenMetrics text there in each period, for collectors", VALUE_FILE,
	 FIELD(watch.metrics_file)},
	{COMMAND_TOP, 0, "for", "SECONDS", "Look that long, as 90, 2 min or 500 ms", VALUE_TEXT,
	 .set = option_setters_seconds},
	{COMMAND_ATTACH | COMMAND_STUCK, 0, "for", "SECONDS",
	 "Measure that long, as 90, 2 min or 500 ms (until Ctrl-C, or the process ends)",
	 VALUE_TEXT, .set = option_setters_seconds},
	{MEASURING | COMMAND_CAUSAL | COMMAND_WATCH, 0, "follow-fork", NULL,
	 "Measure the processes that it starts, too, whatever they execute", FIELD(follow_fork)},
	{MEASURING, 0, "samples", "N",
	 "Keep so many calls of a function and period, chosen by chance (5000), or all",
	 VALUE_WORDS, "all", .set = option_setters_samples},
	{COMMAND_RUN | COMMAND_ATTACH, 0, "sample-by", "EXPR=SHARE",
	 "Keep the calls of so many values of a feature (as 'request->id=1%'), of all functions "
	 "that have it, the same values in every program and run: so that fathom merge finds the "
	 "server's call of a client's. Wants --max-overhead none; implies --samples all",
	 VALUE_TEXT, .set = option_setters_sample_by},
	{COMMAND_RUN | COMMAND_ATTACH, 0, "until-precise", "P",
	 "Measure a function no longer when what a typical call of it costs is known to so much "
	 "(as 2%), and nothing any longer when all that were called are known; the program runs on",
	 VALUE_TEXT, FIELD(until_precise)},
	{MEASURING, 0, "period", "MS", "Add samples to the profile so often (1000); 0: at the end",
	 VALUE_TEXT, .set = option_setters_period},
	{MEASURING | COMMAND_WATCH, 0, "max-overhead", "PERCENT",
	 "Let the program take so much longer at most, by measuring only for moments what is "
	 "called too often (5), or none: measure every call",
	 VALUE_WORDS, "none", .set = option_setters_overhead},
	{MEASURING | COMMAND_CAUSAL | COMMAND_WATCH, 0, "probes", "WHICH",
	 "What notices calls: pads, code beside the program's own, which costs some tens of ns; "
	 "stops of its threads, some µs each; or auto: pads wherever they can be had (the "
	 "default). hardware: stops by the processor's debug registers, which leave the "
	 "program's code alone: four addresses, an entry and the exits of each function; every "
	 "call is measured",
	 VALUE_WORDS, "stops pads auto hardware", CHOICE(probes)},
	{MEASURING, 0, "count-mappings", NULL,
	 "Anonymous memory that mmap gives is mem and peak, too", FIELD(mappings)},
	{COMMAND_LIST, 0, "sort", "BY",
	 "By name (the default), the size of their code, or their share of the time: as "
	 "fathom.fathom here has it; a process is sampled for a second",
	 VALUE_WORDS, "name size share", CHOICE(list_sort)},
	{COMMAND_LIST, 0, "features", NULL, "Also list what could be read at each call",
	 FIELD(features)},
	{COMMAND_LIST, 0, "branches", NULL, "Also list the conditional branches and switches",
	 FIELD(branches)},
	{COMMAND_LIST, 0, "loops", NULL, "Also list the loops whose turns can be counted",
	 FIELD(loops)},
	{COMMAND_LIST, 0, "levels", NULL,
	 "Before each, how far from main it is at most, by calls and addresses in the code, and "
	 "whether it loops or calls through pointers",
	 FIELD(levels)},
	{COMMAND_CALLS, 0, "dot", NULL, "Print it in DOT, for pictures", FIELD(dot)},
	{COMMAND_CALLS, 0, "skeleton", NULL,
	 "Print an annotation made of a program's code, unobserved: what it calls, in which loops",
	 FIELD(skeleton)},
	{COMMAND_CALLS, 0, "max-depth", "N", "Show callers and callees so far (3)", VALUE_TEXT,
	 FIELD(max_depth), .most = 16},
	{MODELLED, 0, "branches", NULL,
	 "Note where conditional branches that a call comes to once lead, and which case switches "
	 "choose. Each is a stop more in a call, so that times are less exact",
	 FIELD(branches)},
	{MODELLED, 0, "loops", NULL,
	 "The turns of loops are features, loop(FILE:LINE), of at most 16 a function, outermost "
	 "first. By stops only of loops that turn at most 64 times a call",
	 FIELD(loops)},
	{COMMAND_RUN | COMMAND_ATTACH, 0, "adapt", NULL,
	 "Go on learning as long as the program runs: choose functions (-f @hot) again, read the "
	 "features that have not mattered so far, and branches, in a tenth of the calls, chosen by "
	 "chance, and record less of functions whose cost is known to 2 %",
	 FIELD(adapt)},
	{COMMAND_RUN | COMMAND_ATTACH | COMMAND_MERGE, 0, "no-models", NULL,
	 "Only keep the samples: no models are made", FIELD(no_models)},
	{MODELLED, 0, "no-branches", NULL, "Do not (the default)", .kind = SET_FALSE,
	 .offset = offsetof(struct options, branches)},
	{MEASURING | COMMAND_LIST | COMMAND_STACK | COMMAND_STUCK, 0, "max-depth", "N",
	 "Follow members and pointers so far (3; of stack and --stuck: 2)", VALUE_TEXT,
	 FIELD(max_depth), .most = 16},
	{MEASURING | COMMAND_LIST | COMMAND_STACK | COMMAND_STUCK, 0, "max-features", "N",
	 "Features of one function (512; of stack and --stuck: 16)", VALUE_TEXT,
	 FIELD(max_features), .most = 1900},
	{MEASURING | COMMAND_LIST | COMMAND_STACK | COMMAND_STUCK, 0, "globals", "WHICH",
	 "Global variables as features: none, unit (the function's compilation unit sees them; the "
	 "default but of stack and --stuck) or all",
	 VALUE_WORDS, "none unit all", CHOICE(globals)},
	{(MEASURING & ~COMMAND_SESSION) | COMMAND_LIST, 0, "feature", "EXPR",
	 "Read this, too, in C's terms, wherever it has a meaning: ((struct node *)p)->size, a[i], "
	 "n / m, items.size(); or of the machine: system.memory_limit and .memory_left of the "
	 "control group, .pressure_cpu, .pressure_memory, .pressure_io, .processors, .network; may "
	 "be repeated",
	 VALUE_TEXT, .set = option_setters_feature},
	{MEASURING | COMMAND_LIST, 0, "strings", NULL,
	 "Strings of at most 16 characters are features, too, the first 32 different ones of each: "
	 "their texts are kept, which they are not otherwise",
	 FIELD(strings)},
	{MEASURING | COMMAND_LIST | COMMAND_STACK | COMMAND_STUCK, 0, "raw", NULL,
	 "Features are the members of containers, not size(), front() and the like, and those of "
	 "the C library's own types (locks, jmp_buf)",
	 FIELD(raw)},
	{MEASURING | COMMAND_LIST | COMMAND_STACK | COMMAND_STUCK, 0, "containers", "FILE",
	 "How more containers are read, before ~/.config/fathom/containers and fathom's own table "
	 "(see CONTAINERS in the manual page)",
	 VALUE_FILE, FIELD(containers_file)},
	{MEASURING | COMMAND_LIST | COMMAND_STACK | COMMAND_STUCK | COMMAND_CAUSAL | COMMAND_TOP |
		 COMMAND_CALLS | COMMAND_WATCH,
	 0, "debuginfo-path", "PATH[:PATH]",
	 "Look in these folders for separate debug files first (default: $DEBUGINFO_PATH)",
	 VALUE_FOLDER, .set = option_setters_debuginfo_path},
	{MODELLED | COMMAND_SESSION | COMMAND_ANNOTATE | COMMAND_DIFF | COMMAND_COMPARE |
		 COMMAND_EXPLORE | COMMAND_EXPORT | COMMAND_BASELINE | COMMAND_HISTORY |
		 COMMAND_MERGE | COMMAND_ADVISE | COMMAND_SWEEP,
	 0, "min-r2", "R", "Believe regressions from this R² on (0.75)", VALUE_TEXT, FIELD(min_r2)},
	{MODELLED | COMMAND_SESSION | COMMAND_ANNOTATE | COMMAND_DIFF | COMMAND_COMPARE |
		 COMMAND_EXPLORE | COMMAND_EXPORT | COMMAND_BASELINE | COMMAND_HISTORY |
		 COMMAND_ADVISE | COMMAND_SWEEP,
	 0, "correlation", "R",
	 "Tell of each feature those that go along with it as strongly, which are tried less (0.9)",
	 VALUE_TEXT, .set = option_setters_correlation},
	{MODELLED | COMMAND_ANNOTATE | COMMAND_EXPORT | COMMAND_DIFF | COMMAND_EXPLORE |
		 COMMAND_CHECK,
	 0, "pin", "FEATURE",
	 "Use this feature if it explains anything at all, by its expression or its name in "
	 "formulas; may be repeated, as may the next",
	 VALUE_TEXT, .set = option_setters_pin},
	{MODELLED | COMMAND_ANNOTATE | COMMAND_EXPORT | COMMAND_DIFF | COMMAND_EXPLORE |
		 COMMAND_CHECK,
	 0, "exclude", "FEATURE", "Make models without this feature and those that are the same",
	 VALUE_TEXT, .set = option_setters_exclude},
	{MODELLED, 0, "explore", NULL, "Show the explorer while samples arrive", FIELD(explore)},
	{COMMAND_WATCH, 0, "annotations", "FILE", "What calls are to conform to", VALUE_FILE,
	 FIELD(annotations)},
	{COMMAND_STACK | COMMAND_ATTACH | COMMAND_STUCK, 0, "annotations", "FILE",
	 "Say of calls that are open what these annotations expect of them (attach: with --stuck)",
	 VALUE_FILE, FIELD(annotations)},
	{COMMAND_ATTACH | COMMAND_STUCK, 0, "stuck", NULL,
	 "Take over the calls that are open, and wait until the innermost measured one returns",
	 FIELD(stuck)},
	{COMMAND_EXPORT | COMMAND_HISTORY, 0, "plots", "DIR",
	 "Pictures of each model: SVG, and a gnuplot script with its data", VALUE_FOLDER,
	 FIELD(plots)},
	{COMMAND_EXPORT, 0, "html", "FILE", "One page with everything", VALUE_FILE, FIELD(html)},
	{ALL, 0, "color", "WHEN",
	 "never, auto or always: whether the explorer is coloured (auto: unless NO_COLOR is set); "
	 "other text is on terminals, unless NO_COLOR is set",
	 VALUE_WORDS, "never auto always", CHOICE(color)},
	{COMPARING | COMMAND_HISTORY | COMMAND_WATCH, 0, "alpha", "A",
	 "The chance that anything is called violated or changed by accident, for all together "
	 "(0.01)",
	 VALUE_TEXT, FIELD(alpha)},
	{COMPARING | COMMAND_HISTORY | COMMAND_WATCH, 0, "tolerance", "T",
	 "Relative differences up to this do not matter (0.1); of shares, absolute ones",
	 VALUE_TEXT, FIELD(tolerance)},
	{COMPARING | COMMAND_HISTORY | COMMAND_WATCH, 0, "run-spread", "S",
	 "How much costs of two runs of one program differ (their standard deviation), where "
	 "profiles have too few runs to say (0.08)",
	 VALUE_TEXT, FIELD(run_spread)},
	{COMMAND_CHECK, 0, "budget", "BUDGET",
	 "Also assert what a call costs, as in 'parse.time <= 5 ms @ n=1e5'; may be repeated, and "
	 "stand in ANNOTATIONS: budget ...;",
	 VALUE_TEXT, .set = option_setters_budget},
	{COMMAND_CHECK, 0, "gate", "GATE",
	 "Let only gates and budgets decide: growth (no faster growth, no other feature in a "
	 "formula) or cost=10%@n=1e5 (at most so much dearer there); may be repeated",
	 VALUE_TEXT, .set = option_setters_gate},
	{COMMAND_CHECK, 0, "strict", NULL,
	 "A change for the better is a violation, too, and more spread; less is no change",
	 FIELD(strict)},
	{COMPARING | COMMAND_HISTORY, 0, "fail-inconclusive", NULL,
	 "Exit with status 1 also if runs may differ by what was found", FIELD(fail_inconclusive)},
	{COMMAND_ANNOTATE | COMMAND_EXPORT | COMMAND_EXPLORE | COMMAND_PREDICT, 0, "curve", "KIND",
	 "Also draw a smooth curve with its band, where formulas may be wrong, and say where they "
	 "are: kernel, bins, mean, median or exponential, or bins by another rule (see CURVES in "
	 "the manual page)",
	 VALUE_WORDS, "none kernel bins sturges rice sqrt scott fd mean median exponential",
	 CHOICE(curve)},
	{COMMAND_ANNOTATE | COMMAND_EXPORT | COMMAND_EXPLORE | COMMAND_PREDICT, 0, "over",
	 "FEATURE",
	 "Draw pictures and curves over this feature, or over the order of calls (order), instead "
	 "of the feature that a formula uses, or that explains most",
	 VALUE_TEXT, FIELD(over)},
	{COMMAND_DIFF | COMMAND_COMPARE, 0, "method", "METHOD",
	 "Judge by a detector of Perun instead of by tests, which know chance: average, order, "
	 "integral, local or outliers (see METHODS in the manual page)",
	 VALUE_WORDS, "tests average order integral local outliers", CHOICE(method)},
	{COMPARING, 0, "junit", NULL, "Print the results as JUnit's XML", FIELD(junit)},
	{COMPARING, 0, "github", NULL,
	 "Print them as commands of GitHub's workflows, which show them at the functions' lines",
	 FIELD(github)},
	{COMPARING, 0, "markdown", NULL,
	 "Print them as a comment for GitHub or GitLab, with pictures beside the file of -r",
	 FIELD(markdown)},
	{COMPARING, 0, "pictures", "URL",
	 "With --markdown: links to pictures begin with this, as they are put there", VALUE_TEXT,
	 FIELD(pictures)},
	{COMPARING | COMMAND_HISTORY, 0, "html", "FILE",
	 "Also write them as a page, with curves before and now", VALUE_FILE, FIELD(html)},
	{(MODELLING & ~COMMAND_BASELINE) | COMMAND_EXPORT | COMMAND_STUCK | COMMAND_CAUSAL |
		 COMMAND_WATCH | COMMAND_ADVISE,
	 0, "json", NULL, "Print the results as JSON", FIELD(json)},
	{ALL, 'q', "quiet", NULL, "Say nothing but results and errors", FIELD(quiet)},
	{ALL, 'v', "verbose", NULL, "Say more about what is done", FIELD(verbose)},
	{COMMAND_DOCUMENT, 0, "man", NULL, "The manual page", DOCUMENT(DOCUMENT_MAN)},
	{COMMAND_DOCUMENT, 0, "bash", NULL, "Completion for bash", DOCUMENT(DOCUMENT_BASH)},
	{COMMAND_DOCUMENT, 0, "zsh", NULL, "Completion for zsh", DOCUMENT(DOCUMENT_ZSH)},
	/* Not argp's own help, which comes with its two-line errors. */
	{ALL | COMMAND_DOCUMENT, 0, "help", NULL, "Show this", .kind = SHOW_HELP, .group = -1},
	{ALL | COMMAND_DOCUMENT, 0, "version", NULL, "Show the version", .kind = SHOW_VERSION,
	 .group = -1},
};

const size_t option_table_size = sizeof(option_table) / sizeof(option_table[0]);
