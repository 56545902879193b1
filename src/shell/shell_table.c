/* The table of the prompt's commands. shell_find.c looks them up and prints their help. */
#include "shell_table.h"

const struct shell_command shell_table[SHELL_COMMAND_COUNT] = {
	[SHELL_FILE] =
		{.id = SHELL_FILE,
		 .name = "file",
		 .arguments = "PROG|PROFILE",
		 .summary = "Take a program to measure, or a profile to look at",
		 .details = "What the file holds decides which it is. Samples and probes that were "
			    "made before are left behind; samples that are not saved are lost.",
		 .takes = {SHELL_A_FILE, SHELL_NOTHING},
		 .repeat = SHELL_REFRAIN},
	[SHELL_ATTACH] =
		{.id = SHELL_ATTACH,
		 .name = "attach",
		 .arguments = "PID",
		 .summary = "Stop a running process, to measure it",
		 .details = "It is stopped until `continue`, and goes on unharmed with `detach` or "
			    "`quit`. Probes that were made before are kept.",
		 .repeat = SHELL_REFRAIN},
	[SHELL_DETACH] = {.id = SHELL_DETACH,
			  .name = "detach",
			  .summary = "Let the process go, as if nobody had been there",
			  .details = "Its samples stay. A program that was launched goes on, too.",
			  .repeat = SHELL_REFRAIN},
	[SHELL_RUN] =
		{.id = SHELL_RUN,
		 .name = "run",
		 .shorts = "r",
		 .arguments = "[ARG...]",
		 .summary = "Launch the program, with these arguments or those of before",
		 .details = "It has the terminal while it runs; Ctrl-C interrupts it and gives the "
			    "prompt. < FILE, > FILE and >> FILE redirect its input and output.",
		 .takes = {SHELL_A_FILE, SHELL_A_FILE},
		 .repeat = SHELL_REFRAIN,
		 .takes_line = true},
	[SHELL_START] = {.id = SHELL_START,
			 .name = "start",
			 .arguments = "[ARG...]",
			 .summary = "Launch the program and stop it before its first instruction",
			 .takes = {SHELL_A_FILE, SHELL_A_FILE},
			 .repeat = SHELL_REFRAIN,
			 .takes_line = true},
	[SHELL_CONTINUE] =
		{.id = SHELL_CONTINUE,
		 .name = "continue",
		 .shorts = "c",
		 .arguments = "[TIME | N]",
		 .summary = "Let the process go on, for that long (\"500 ms\") or until something "
			    "stops it",
		 .details =
			 "Ctrl-C stops it; so do a `stop` of a probe, a signal that would end it, "
			 "and "
			 "its end. TIME is a number with a unit: ms, s or min. N: the probe that "
			 "stopped it does not stop for the next N - 1 calls."},
	[SHELL_INTERRUPT] =
		{.id = SHELL_INTERRUPT,
		 .name = "interrupt",
		 .summary = "Stop the process",
		 .details =
			 "While it runs in the foreground the prompt is not there, and Ctrl-C does "
			 "this."},
	[SHELL_FINISH] =
		{.id = SHELL_FINISH,
		 .name = "finish",
		 .summary =
			 "Go on until the innermost measured call of the thread returns, and tell "
			 "what it cost"},
	[SHELL_KILL] = {.id = SHELL_KILL,
			.name = "kill",
			.shorts = "k",
			.summary = "Kill the process; its samples stay",
			.repeat = SHELL_REFRAIN},
	[SHELL_BREAK] =
		{.id = SHELL_BREAK,
		 .name = "break",
		 .shorts = "b br",
		 .arguments = "FUNCTION|FILE:LINE [if CONDITION]",
		 .summary = "Measure the calls of functions, and stop where each begins, or each "
			    "for which a condition holds, or at a line",
		 .details = "It is a probe that stops, as gdb's breakpoints do; `probe` only "
			    "measures. CONDITION is about what is known where a call begins. At a "
			    "line it stops whenever a thread comes there.",
		 .takes = {SHELL_A_FUNCTION, SHELL_A_FEATURE},
		 .takes_line = true},
	[SHELL_TBREAK] = {.id = SHELL_TBREAK,
			  .name = "tbreak",
			  .shorts = "tb",
			  .arguments = "FUNCTION|FILE:LINE [if CONDITION]",
			  .summary = "A break that is gone after it has stopped once",
			  .takes = {SHELL_A_FUNCTION, SHELL_A_FEATURE},
			  .takes_line = true},
	[SHELL_CONDITION] = {.id = SHELL_CONDITION,
			     .name = "condition",
			     .arguments = "PROBE [CONDITION]",
			     .summary = "Give a probe another condition, or none",
			     .takes = {SHELL_A_PROBE, SHELL_A_FEATURE},
			     .repeat = SHELL_REFRAIN,
			     .takes_line = true},
	[SHELL_COMMANDS] =
		{.id = SHELL_COMMANDS,
		 .name = "commands",
		 .arguments = "[PROBE]",
		 .summary = "Execute the lines that follow, up to `end`, whenever a probe stops",
		 .details = "Without a number it is the last probe. A first line `silent` keeps "
			    "the stop itself from being told; `continue` as the last goes on.",
		 .takes = {SHELL_A_PROBE, SHELL_NOTHING},
		 .repeat = SHELL_REFRAIN},
	[SHELL_PROBE] =
		{.id = SHELL_PROBE,
		 .name = "probe",
		 .arguments = "FUNCTION [stop] [if CONDITION]",
		 .summary = "Measure the calls of functions, or those for which a condition holds",
		 .details = "FUNCTION is a name or pattern as for -f. With `stop` the prompt comes "
			    "when such a call returns, with its "
			    "features and stack, or where it begins if the condition is about "
			    "what is known there; all its calls are measured then, whatever that "
			    "costs. A condition compares "
			    "features (n, tree->size), metrics (time, mem, self.time), predicted "
			    "(what an annotation expects: one that "
			    "was loaded, or a model of the samples so far), elapsed (how long the "
			    "call has run; such a stop is in its "
			    "middle), surprising (three times as far from predicted "
			    "as its 95 % interval) and numbers with units:\n"
			    "  probe parse if n > 1000\n"
			    "  probe parse stop if time > 3 * predicted && kind == EXPRESSION\n"
			    "  probe parse stop if elapsed > 2 s\n"
			    "  probe parse stop if surprising",
		 .takes = {SHELL_A_FUNCTION, SHELL_A_FEATURE},
		 .takes_line = true},
	[SHELL_TPROBE] = {.id = SHELL_TPROBE,
			  .name = "tprobe",
			  .arguments = "FUNCTION [stop] [if CONDITION]",
			  .summary = "A probe that is gone after the first call for which it holds",
			  .takes = {SHELL_A_FUNCTION, SHELL_A_FEATURE},
			  .takes_line = true},
	[SHELL_DELETE] = {.id = SHELL_DELETE,
			  .name = "delete",
			  .shorts = "d",
			  .arguments = "[PROBE...]",
			  .summary = "Forget probes, by number; without one, all",
			  .takes = {SHELL_A_PROBE, SHELL_A_PROBE},
			  .repeat = SHELL_REFRAIN},
	[SHELL_ENABLE] = {.id = SHELL_ENABLE,
			  .name = "enable",
			  .arguments = "[PROBE...]",
			  .summary = "Use probes again",
			  .takes = {SHELL_A_PROBE, SHELL_A_PROBE},
			  .repeat = SHELL_REFRAIN},
	[SHELL_DISABLE] = {.id = SHELL_DISABLE,
			   .name = "disable",
			   .arguments = "[PROBE...]",
			   .summary = "Keep probes, but do not use them",
			   .takes = {SHELL_A_PROBE, SHELL_A_PROBE},
			   .repeat = SHELL_REFRAIN},
	[SHELL_IGNORE] = {.id = SHELL_IGNORE,
			  .name = "ignore",
			  .arguments = "PROBE N",
			  .summary = "Do not stop for the next N calls that a probe would stop for",
			  .takes = {SHELL_A_PROBE, SHELL_NOTHING},
			  .repeat = SHELL_REFRAIN},
	[SHELL_METRIC] = {.id = SHELL_METRIC,
			  .name = "metric",
			  .arguments = "[LIST]",
			  .summary = "Which costs are measured, from the next launch or attach on",
			  .details = "Without LIST it says which; `info metrics` lists all.",
			  .takes = {SHELL_A_METRIC, SHELL_A_METRIC},
			  .repeat = SHELL_REFRAIN},
	[SHELL_SET] =
		{.id = SHELL_SET,
		 .name = "set",
		 .arguments = "WHAT [VALUE]",
		 .summary = "Change a setting of the session: args, confirm, listsize, pagination, "
			    "probes",
		 .details =
			 "set args [ARG...]: of the next run\n"
			 "set confirm on|off: are questions asked?\n"
			 "set listsize N: lines that list shows\n"
			 "set pagination on|off: for scripts of gdb; nothing is shown by pages\n"
			 "set probes stops|pads|auto|hardware: what notices calls, from the next "
			 "launch or attach on: stops of its threads, code beside the program's "
			 "own, or that where it can be had; with hardware four addresses by the "
			 "processor's debug registers; info overhead tells what the process has",
		 .takes = {SHELL_A_WORD, SHELL_NOTHING},
		 .words = SHELL_SETTINGS,
		 .repeat = SHELL_REFRAIN,
		 .takes_line = true},
	[SHELL_SHOW] = {.id = SHELL_SHOW,
			.name = "show",
			.arguments = "[WHAT]",
			.summary = "Show a setting, or all of them",
			.takes = {SHELL_A_WORD, SHELL_NOTHING},
			.words = SHELL_SETTINGS},
	[SHELL_FEATURE] = {.id = SHELL_FEATURE,
			   .name = "feature",
			   .arguments = "FUNCTION EXPRESSION",
			   .summary = "Read this, too, at calls of a function, from the next "
				      "launch or attach on",
			   .details = "EXPRESSION is in C's terms, of what the function knows when "
				      "a call begins: ((struct node *)p)->size, a[i], n / m.",
			   .takes = {SHELL_A_FUNCTION, SHELL_A_FEATURE},
			   .repeat = SHELL_REFRAIN,
			   .takes_line = true},
	[SHELL_INFO] =
		{.id = SHELL_INFO,
		 .name = "info",
		 .shorts = "i",
		 .arguments = "WHAT",
		 .summary = "Tell about functions, features, probes, threads, samples, overhead, "
			    "metrics; the chosen frame, the program",
		 .details =
			 "info functions [PATTERN]: those of the program, and why not all can be "
			 "measured\n"
			 "info features FUNCTION: what its cost may depend on, and where that is "
			 "read\n"
			 "info probes, info breakpoints: with the calls that each has seen\n"
			 "info threads: what each is doing\n"
			 "info samples: how many there are of each function\n"
			 "info overhead: what measuring costs\n"
			 "info metrics: those that there are, and which are measured\n"
			 "info args, locals, frame, registers, source: of the chosen frame\n"
			 "info line FUNCTION, info symbol ADDRESS: where code is in the source\n"
			 "info sharedlibrary: the files whose code the process has\n"
			 "info signals: what becomes of them\n"
			 "info display: what is shown at each stop",
		 .takes = {SHELL_A_WORD, SHELL_A_FUNCTION},
		 .words = "functions features probes breakpoints threads samples overhead metrics "
			  "args locals frame registers source line symbol sharedlibrary signals "
			  "display"},
	[SHELL_BACKTRACE] =
		{.id = SHELL_BACKTRACE,
		 .name = "backtrace",
		 .shorts = "bt where",
		 .arguments = "[all | [full] [N | -N]]",
		 .summary = "Show the thread's stack with the values of its functions' features; "
			    "or all stacks",
		 .details = "N: only the innermost frames, -N: only the outermost ones; full: with "
			    "local variables.",
		 .takes = {SHELL_A_WORD, SHELL_NOTHING},
		 .words = "all full"},
	[SHELL_THREAD] =
		{.id = SHELL_THREAD,
		 .name = "thread",
		 .shorts = "t",
		 .arguments = "[N | TID | apply all|N... COMMAND]",
		 .summary = "Which thread is looked at; look at another; or a command for several",
		 .details = "Threads are numbered from 1, as `info threads` lists them.",
		 .takes_line = true},
	[SHELL_FRAME] =
		{.id = SHELL_FRAME,
		 .name = "frame",
		 .shorts = "f",
		 .arguments = "[N]",
		 .summary = "Choose a frame of the stack, for print, list and info; or show it"},
	[SHELL_UP] = {.id = SHELL_UP,
		      .name = "up",
		      .arguments = "[N]",
		      .summary = "Choose the frame of the caller"},
	[SHELL_DOWN] = {.id = SHELL_DOWN,
			.name = "down",
			.arguments = "[N]",
			.summary = "Choose the frame of what was called"},
	[SHELL_PRINT] =
		{.id = SHELL_PRINT,
		 .name = "print",
		 .shorts = "p inspect",
		 .arguments = "[/FORMAT] [EXPRESSION]",
		 .summary =
			 "Show a value: a feature or cost of the measured call, or an expression "
			 "in the chosen frame; or all features",
		 .details = "EXPRESSION is in C's terms, of parameters, local and global variables "
			    "and registers: width * 2, p->next->name, $rip. FORMAT is x, d, u, o, "
			    "t, c or a. Nothing is written to the program, and none of its "
			    "functions is called.",
		 .takes = {SHELL_A_FEATURE, SHELL_NOTHING},
		 .takes_line = true},
	[SHELL_EXAMINE] = {.id = SHELL_EXAMINE,
			   .name = "x",
			   .arguments = "[/NFU] EXPRESSION",
			   .summary = "Show memory at an address",
			   .details = "N: how many; F: x, d, u, o, t, c, a or s (a string); U: b, "
				      "h, w or g, for 1, 2, 4 or 8 bytes. x/4xw &table",
			   .takes = {SHELL_A_FEATURE, SHELL_NOTHING},
			   .takes_line = true},
	[SHELL_WHATIS] = {.id = SHELL_WHATIS,
			  .name = "whatis",
			  .arguments = "EXPRESSION",
			  .summary = "Show the type of an expression",
			  .takes = {SHELL_A_FEATURE, SHELL_NOTHING},
			  .takes_line = true},
	[SHELL_PTYPE] = {.id = SHELL_PTYPE,
			 .name = "ptype",
			 .arguments = "EXPRESSION | TYPE",
			 .summary = "Show what a type has: members, enumerators",
			 .takes = {SHELL_A_FEATURE, SHELL_NOTHING},
			 .takes_line = true},
	[SHELL_DISPLAY] = {.id = SHELL_DISPLAY,
			   .name = "display",
			   .arguments = "[EXPRESSION]",
			   .summary = "Print an expression now and at each stop; or all of these",
			   .takes = {SHELL_A_FEATURE, SHELL_NOTHING},
			   .takes_line = true},
	[SHELL_UNDISPLAY] = {.id = SHELL_UNDISPLAY,
			     .name = "undisplay",
			     .arguments = "[N...]",
			     .summary = "Do not display these any more, or none",
			     .repeat = SHELL_REFRAIN},
	[SHELL_LIST] = {.id = SHELL_LIST,
			.name = "list",
			.shorts = "l",
			.arguments = "[FUNCTION | FILE:LINE | [A],[B] | -]",
			.summary =
				"Show lines of the source; without an argument, those that follow",
			.takes = {SHELL_A_FUNCTION, SHELL_NOTHING},
			.repeat = SHELL_GO_ON},
	[SHELL_ANNOTATE] = {.id = SHELL_ANNOTATE,
			    .name = "annotate",
			    .arguments = "[FUNCTION]",
			    .summary = "Models of the samples so far, as annotations",
			    .takes = {SHELL_A_MEASURED, SHELL_NOTHING}},
	[SHELL_EXPLORE] = {.id = SHELL_EXPLORE,
			   .name = "explore",
			   .arguments = "[FUNCTION]",
			   .summary = "Look at the samples so far in the explorer",
			   .takes = {SHELL_A_MEASURED, SHELL_NOTHING}},
	[SHELL_PLOT] =
		{.id = SHELL_PLOT,
		 .name = "plot",
		 .arguments = "FUNCTION[.METRIC] [FEATURE] [> FILE.svg]",
		 .summary =
			 "Draw the metric over a feature with its model: as text, or as SVG into a "
			 "file",
		 .takes = {SHELL_A_MEASURED, SHELL_A_FEATURE}},
	[SHELL_CHECK] =
		{.id = SHELL_CHECK,
		 .name = "check",
		 .arguments = "[ANNOTATIONS]",
		 .summary = "Do the samples conform to annotations: those of a file, or that were "
			    "loaded?",
		 .takes = {SHELL_A_FILE, SHELL_NOTHING}},
	[SHELL_PREDICT] =
		{.id = SHELL_PREDICT,
		 .name = "predict",
		 .arguments = "FUNCTION [NAME=VALUE...]",
		 .summary =
			 "What a call will cost, by annotations that were loaded, or the samples",
		 .takes = {SHELL_A_MEASURED, SHELL_A_FEATURE}},
	[SHELL_LOAD] =
		{.id = SHELL_LOAD,
		 .name = "load",
		 .arguments = "FILE",
		 .summary = "Load annotations, for `predicted`, check and predict; or a profile",
		 .takes = {SHELL_A_FILE, SHELL_NOTHING},
		 .repeat = SHELL_REFRAIN},
	[SHELL_SAVE] =
		{.id = SHELL_SAVE,
		 .name = "save",
		 .arguments = "[FILE]",
		 .summary = "Save the samples so far as a profile; again into the same one without "
			    "FILE",
		 .takes = {SHELL_A_FILE, SHELL_NOTHING},
		 .repeat = SHELL_REFRAIN},
	[SHELL_SOURCE] =
		{.id = SHELL_SOURCE,
		 .name = "source",
		 .arguments = "FILE",
		 .summary = "Execute the commands in a file, up to the first that fails",
		 .details = "A line each; empty ones and those that begin with # are passed over.",
		 .takes = {SHELL_A_FILE, SHELL_NOTHING}},
	[SHELL_DEFINE] = {.id = SHELL_DEFINE,
			  .name = "define",
			  .arguments = "NAME",
			  .summary = "Make a command of the lines that follow, up to `end`",
			  .details = "$arg0, $arg1 and so on are its words, $argc their number, "
				     "$* all of them.",
			  .repeat = SHELL_REFRAIN},
	[SHELL_ALIAS] = {.id = SHELL_ALIAS,
			 .name = "alias",
			 .arguments = "NAME = COMMAND [WORD...]",
			 .summary = "Give a command, with its first words, another name",
			 .repeat = SHELL_REFRAIN,
			 .takes_line = true},
	[SHELL_SHELL] = {.id = SHELL_SHELL,
			 .name = "shell",
			 .shorts = "!",
			 .arguments = "[COMMAND]",
			 .summary = "Have the shell execute a command; or talk to the shell itself",
			 .takes = {SHELL_A_FILE, SHELL_A_FILE},
			 .takes_line = true},
	[SHELL_HELP] = {.id = SHELL_HELP,
			.name = "help",
			.shorts = "h ?",
			.arguments = "[COMMAND | all]",
			.summary = "The commands; or what one does",
			.takes = {SHELL_A_COMMAND, SHELL_NOTHING}},
	[SHELL_APROPOS] = {.id = SHELL_APROPOS,
			   .name = "apropos",
			   .arguments = "WORD",
			   .summary = "The commands whose help has a word"},
	[SHELL_QUIT] =
		{.id = SHELL_QUIT,
		 .name = "quit",
		 .shorts = "q exit",
		 .summary =
			 "Leave: a process that was launched is killed, one that was attached to "
			 "goes on",
		 .repeat = SHELL_REFRAIN},
};
