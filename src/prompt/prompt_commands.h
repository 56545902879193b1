/*
 * The commands of the session by the files that have them. What they are called and take is in
 * shell/shell_table.c. Private to prompt*.c.
 */
#pragma once

#include "prompt_state.h"

/* What a command was given. */
struct prompt_arguments {
	const char *text; /* all of it */
	const struct line_word *words;
	size_t n;
};

/* What is wrong is in @err, for the loop to say. */
typedef bool prompt_command(struct prompt *prompt, const struct prompt_arguments *arguments,
			    struct err *err);

/* prompt/prompt.c: the session itself. */
prompt_command prompt_source, prompt_shell, prompt_help, prompt_quit;

/* prompt/prompt_file.c: programs and profiles. */
prompt_command prompt_file, prompt_save, prompt_load;

/* prompt/prompt_launch.c: how the process comes. */
prompt_command prompt_run, prompt_start, prompt_attach;

/* prompt/prompt_run.c: what becomes of it. */
prompt_command prompt_go_on, prompt_interrupt, prompt_finish, prompt_kill, prompt_detach;

/* prompt/prompt_probe.c: probes. */
prompt_command prompt_probe, prompt_tprobe, prompt_delete, prompt_enable, prompt_disable,
	prompt_ignore;

/* prompt_inspect.c: looking at the halted process. */
prompt_command prompt_backtrace, prompt_thread, prompt_print, prompt_list;

/* prompt/prompt_info.c: what there is, and what is measured. */
prompt_command prompt_info, prompt_metric;

/* prompt/prompt_model.c, prompt/prompt_plot.c: what samples and annotations say. */
prompt_command prompt_annotate, prompt_explore, prompt_plot, prompt_check, prompt_predict;
