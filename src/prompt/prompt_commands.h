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
prompt_command prompt_source, prompt_shell, prompt_quit;

/* prompt/prompt_file.c: programs and profiles. */
prompt_command prompt_file, prompt_save, prompt_load;

/* prompt/prompt_launch.c: launch or attach. */
prompt_command prompt_run, prompt_start, prompt_attach;

/* prompt/prompt_run.c: run and end the process. */
prompt_command prompt_go_on, prompt_interrupt, prompt_finish, prompt_kill, prompt_detach;

/* prompt/prompt_probe.c: probes. */
prompt_command prompt_break, prompt_tbreak, prompt_condition, prompt_probe, prompt_tprobe,
	prompt_delete, prompt_enable, prompt_disable, prompt_ignore;

/* prompt/habits/prompt_frames.c, prompt_values.c, prompt_list.c: look at the halted process. */
prompt_command prompt_backtrace, prompt_thread, prompt_frame, prompt_up, prompt_down;
prompt_command prompt_print, prompt_examine, prompt_whatis, prompt_ptype, prompt_display,
	prompt_undisplay;
prompt_command prompt_list;
/*
 * The function that @text, a line of the source ("parser.c:12", or "12" of the file that was listed
 * last), has code of; *@ret is NULL if it is no line. *@ret_addr: where the code begins, link-time;
 * 0: before the function's probe address. ERR_NOT_FOUND: there is no such code.
 */
bool prompt_find_line(struct prompt *prompt, const char *text, struct arena *arena,
		      const char **ret, uint64_t *ret_addr, struct err *err);

/* prompt/prompt_info.c: lists, and what is measured, and how. */
prompt_command prompt_info, prompt_metric, prompt_feature;

/* prompt/habits/prompt_places.c: what info tells of the chosen frame and of the program. */
prompt_command prompt_info_frame, prompt_info_registers, prompt_info_source, prompt_info_line,
	prompt_info_symbol, prompt_info_files, prompt_info_signals, prompt_info_locals,
	prompt_info_args;

/* prompt/habits/prompt_settings.c: settings, help. */
prompt_command prompt_set, prompt_show, prompt_help, prompt_apropos;

/* prompt/habits/prompt_scripts.c: commands of commands. */
prompt_command prompt_define, prompt_alias, prompt_commands;
/* Add a line to what is being collected, or end that. */
void prompt_collect(struct prompt *prompt, const char *line);
/* Execute a command that was defined, with the words of @text. */
bool prompt_run_script(struct prompt *prompt, const struct prompt_script *script, const char *text,
		       struct err *err);
/* After a halt: show what is displayed, and execute the lines of the probe that stopped. */
bool prompt_tell_halt(struct prompt *prompt, struct err *err);
bool prompt_is_silent(const struct prompt *prompt, unsigned probe);
void prompt_forget_scripts(struct prompt *prompt);

/* prompt/prompt_model.c, prompt/prompt_plot.c: models, plots, checks. */
prompt_command prompt_annotate, prompt_explore, prompt_plot, prompt_check, prompt_predict;
