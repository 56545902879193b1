/*
 * The commands of the session, by file. Their names and arguments are in shell/shell_table.c.
 * Private to prompt*.c.
 */
#pragma once

#include "prompt_state.h"

struct prompt_arguments {
	const char *text; /* the whole line behind the command */
	const struct line_word *words;
	size_t n;
};

/* False: prompt.c prints @err; an empty text means that the error was printed already. */
typedef bool prompt_command(struct prompt *prompt, const struct prompt_arguments *arguments,
			    struct err *err);

/* prompt/prompt.c: the session. */
prompt_command prompt_source, prompt_shell, prompt_help, prompt_quit;

/* prompt/prompt_file.c: programs and profiles. */
prompt_command prompt_file, prompt_save, prompt_load;

/* prompt/prompt_launch.c: launch or attach. */
prompt_command prompt_run, prompt_start, prompt_attach;

/* prompt/prompt_run.c: run and end the process. */
prompt_command prompt_go_on, prompt_interrupt, prompt_finish, prompt_kill, prompt_detach;

/* prompt/prompt_probe.c: probes. */
prompt_command prompt_break, prompt_tbreak, prompt_condition, prompt_probe, prompt_tprobe,
	prompt_delete, prompt_enable, prompt_disable, prompt_ignore;

/* prompt/prompt_inspect.c: inspect the halted process. */
prompt_command prompt_backtrace, prompt_thread, prompt_print, prompt_list;

/* prompt/prompt_info.c: lists, and what is measured, and how. */
prompt_command prompt_info, prompt_metric, prompt_set, prompt_feature;

/* prompt/prompt_model.c, prompt/prompt_plot.c: models, plots, checks. */
prompt_command prompt_annotate, prompt_explore, prompt_plot, prompt_check, prompt_predict;
