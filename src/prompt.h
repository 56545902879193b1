/*
 * The session: a prompt in the manner of gdb. All but prompt_main() is private to prompt*.c: what its commands have in common.
 *
 * There is one process at a time, launched or attached to, which is halted whenever the prompt is shown. All its runs add samples to one
 * profile, a temporary one unless the user names it.
 */
#ifndef FATHOM_PROMPT_H
#define FATHOM_PROMPT_H

#include "core/annotation_parse.h"
#include "core/stack.h"
#include "core/watch.h"
#include "measure.h"
#include "options.h"
#include "prompt_terminal.h"
#include "shell/line.h"
#include "shell/words.h"
#include "stacker.h"

struct guard;

/* Run `fathom` with arguments that are no command's: @argv[0] is the program's name. Returns the exit status. */
int prompt_main(int argc, char **argv);

enum { PROMPT_PROBES_MAX = 64 };

struct prompt_probe {
	unsigned number;
	const char *pattern;
	const char *condition;     /* as it was given; NULL: none */
	const struct watch *watch; /* the same */
	bool stops, is_temporary, is_enabled;
	uint64_t ignore; /* so many times it does not stop */
	uint64_t calls;  /* that it saw */
	uint64_t held;   /* of them, for which it held */
	int64_t stopped; /* the id of the open call that it stopped in; 0: none */
	bool said_unknown;
	struct options options; /* its pattern alone */
	struct programs *programs;
	const struct catalogue *catalogue; /* what it names; of `programs` */
	struct arena *arena;               /* of the texts */
};

/* A call that is looked at: open, or one that has just returned. */
struct prompt_call {
	unsigned image, index; /* of the function */
	const struct catalogue *catalogue;
	const struct function *function;
	const struct value *features;
	const struct value *metrics; /* [METRIC_COUNT]; NULL: it is open */
	double elapsed_us;           /* NAN: not known */
	bool was_halted;             /* in its middle: metrics are what it cost at least */
	int64_t id;
	pid_t thread;
};

/* A model of the samples so far, for predictions. */
struct prompt_model {
	struct annotation_list list; /* one annotation, or none: there are too few samples */
	const char *function;
	enum metric metric;
	uint64_t kept; /* samples when it was made */
};

/* The functions of an image, and the probes that they are of. */
struct prompt_plan {
	const struct catalogue *catalogue; /* that `masks` is about; NULL: none yet */
	uint64_t *masks;                   /* by function: bits are indices of probes */
};

struct prompt {
	struct options options; /* its patterns are those of the probes that are enabled */
	struct arena *arena;    /* of the session */
	struct arena *spare;    /* of a command */
	struct guard *guard;
	struct line_reader *reader;
	struct prompt_terminal terminal;
	bool is_over;
	unsigned depth; /* of scripts that read scripts */
	/* The program. */
	const char *program; /* as it was named; NULL: none */
	const char *path, *interpreter;
	char **arguments;            /* of the next launch, NULL-terminated, the program first */
	const char *redirections[3]; /* by descriptor; NULL: none */
	bool appends;
	/* Samples. */
	struct profile *profile;  /* NULL: none yet */
	const char *profile_path; /* NULL: it is temporary */
	const char *saved;        /* the path of the last `save`; NULL: none */
	bool is_unsaved;          /* there are samples that are in no file */
	struct annotation_list annotations;
	const char *annotations_path; /* where they were loaded from; NULL: none were */
	struct prompt_model *models;
	size_t n_models, models_capacity;
	/* The process. */
	struct measurement *m; /* NULL: none */
	pid_t thread;          /* that is looked at; 0: none */
	struct prompt_call
		returned; /* the call that it stopped at the end of; without a function: none */
	struct arena *returned_arena;
	char *last_overhead; /* of the process before, for people; NULL: there was none */
	uint64_t run_us;     /* how long it was followed, and since when it is */
	uint64_t followed_us;
	uint64_t fitting_us; /* of that, in making models for predictions */
	/* Probes. */
	struct prompt_probe **probes;
	size_t n_probes, probes_capacity;
	unsigned last_number;
	struct prompt_plan *plans; /* by image */
	size_t n_plans, plans_capacity;
	/* For completion: functions of the program `named`. */
	const char **names;
	size_t n_names;
	const char *named;
	/* Source lines. */
	const char *listed;   /* the file; NULL: none yet */
	unsigned listed_line; /* the next */
};

/* What a command was given. */
struct prompt_arguments {
	const char *text; /* all of it */
	const struct line_word *words;
	size_t n;
};

typedef bool prompt_command(struct prompt *prompt, const struct prompt_arguments *arguments,
			    struct err *err);

/* prompt.c: execute a line, or the file @path. */
bool prompt_execute(struct prompt *prompt, const char *line, struct err *err);
prompt_command prompt_source, prompt_shell, prompt_help, prompt_quit;

/* prompt_file.c: programs and profiles. */
prompt_command prompt_file, prompt_save, prompt_load;
/* Take what the user named on the command line: a program, a process or a profile. */
bool prompt_take(struct prompt *prompt, const char *name, struct err *err);
bool prompt_needs_program(const struct prompt *prompt, struct err *err);
/* All samples so far are in the profile, which may be read until the process goes on. ERR_NOT_FOUND: there are none. */
bool prompt_needs_samples(struct prompt *prompt, struct err *err);

/* prompt_launch.c: how the process comes. */
prompt_command prompt_run, prompt_start, prompt_attach;

/* prompt_run.c: what becomes of it. */
prompt_command prompt_go_on, prompt_interrupt, prompt_finish, prompt_kill, prompt_detach;
bool prompt_needs_process(const struct prompt *prompt, struct err *err);
bool prompt_needs_none(const struct prompt *prompt, struct err *err);
/* interrupt_start() for the terminal; a Ctrl-C that was typed right behind the command counts. */
void prompt_note_interrupts(struct prompt *prompt, double seconds);
/* Let the process go on until something stops it, at most @seconds (0: no limit); @finish: the id of a call to wait for, or 0. */
bool prompt_follow(struct prompt *prompt, double seconds, int64_t finish, struct err *err);
uint64_t prompt_now_us(void); /* monotonic */
/* The process was just launched or attached to: it has not run yet under our eyes, and does not until it is followed. */
bool prompt_settle(struct prompt *prompt, struct err *err);
/* The process is let go, or killed if it was launched; nothing if there is none. */
void prompt_release(struct prompt *prompt);
static inline struct session *prompt_session(const struct prompt *prompt)
{
	return prompt->m->session;
}

/* prompt_probe.c: probes. */
prompt_command prompt_probe, prompt_tprobe, prompt_delete, prompt_enable, prompt_disable,
	prompt_ignore;
void prompt_print_probes(const struct prompt *prompt, FILE *out);
/* The probes of the function: bits are indices. */
uint64_t prompt_probes_of(struct prompt *prompt, unsigned image, unsigned function);
/* Who stops must see every call: after the process was launched, or probes changed. */
void prompt_apply_probes(struct prompt *prompt);
void prompt_remove_probe(struct prompt *prompt, struct prompt_probe *probe);
void prompt_destroy_probes(struct prompt *prompt);

/* prompt_watch.c: conditions. ERR_NOT_FOUND: a name is not there; the nearest are told. */
bool prompt_check_watch(struct prompt *prompt, const struct prompt_probe *probe, struct err *err);
bool prompt_holds(struct prompt *prompt, struct prompt_probe *probe,
		  const struct prompt_call *call);
const char *prompt_label(const struct prompt_call *call, size_t feature);

/* prompt_call.c: calls that end and calls that go on, as the process runs. Something stops it: true, and it was told. */
bool prompt_take_call(struct prompt *prompt, const struct call_record *record);
bool prompt_look_at_open(struct prompt *prompt);
/* The call that was waited for has returned: tell it. One of a process that is on its way out: keep it. */
void prompt_take_finished(struct prompt *prompt, const struct call_record *record);
void prompt_take_last_call(struct prompt *prompt, const struct call_record *record);
/* The call that is looked at: the one that returned, or the innermost open one of the thread. In the spare arena; false: none. */
bool prompt_find_call(struct prompt *prompt, struct prompt_call *ret);
void prompt_forget_call(struct prompt *prompt);
void prompt_print_features(const struct prompt_call *call, const char *only, FILE *out);

/* prompt_look.c: looking at the halted process. */
prompt_command prompt_backtrace, prompt_thread, prompt_print, prompt_list;
bool prompt_print_threads(struct prompt *prompt, FILE *out, struct err *err);
/* The stack of the thread, in short, with the line of source. */
void prompt_print_place(struct prompt *prompt, FILE *out);

/* prompt_info.c */
prompt_command prompt_info, prompt_metric;
/* The process is about to go: `info overhead` will still tell what measuring it cost. */
void prompt_note_overhead(struct prompt *prompt);

/* prompt_model.c: what samples and annotations say. */
prompt_command prompt_annotate, prompt_explore, prompt_plot, prompt_check, prompt_predict;
/* What is expected of the call, and where that comes from (in the spare arena). False: nothing is. */
bool prompt_expect(struct prompt *prompt, const struct prompt_call *call, enum metric metric,
		   double *ret, const char **ret_source);
void prompt_forget_models(struct prompt *prompt);

/* prompt_text.c: a line on standard output, in which what is no printable character is made visible. */
void prompt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Amounts for people: "1.23 ms", "4.5 MiB", "17". */
enum { PROMPT_AMOUNT = 32 };
const char *prompt_amount(enum metric metric, double amount, char ret[PROMPT_AMOUNT]);
/* "500 ms": seconds. ERR_USAGE. */
bool prompt_parse_time(const char *text, double *ret, struct err *err);

#endif
