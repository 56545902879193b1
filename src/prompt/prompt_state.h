/*
 * The state that all commands of the session share: at most one process, launched or attached,
 * which is halted whenever the prompt is shown; its probes; and the samples of all its runs in one
 * profile, a temporary one unless the user names it. Private to prompt*.c.
 */
#pragma once

#include "core/annotation/annotation_parse.h"
#include "shell/condition.h"
#include "record/measure.h"
#include "cli/options.h"
#include "prompt_terminal.h"
#include "shell/shell_line.h"
#include "shell/shell_words.h"

struct recovery;

enum { PROMPT_PROBES_MAX = 64 };

struct prompt_probe {
	unsigned number;
	const char *pattern;
	const char *condition;               /* as typed; NULL: none */
	const struct call_condition *parsed; /* of `condition`; NULL: none */
	bool stops, is_temporary, is_enabled;
	bool is_break;          /* it stops where a call begins, also without a condition, */
	uint64_t line_addr;     /* or here, if that is not 0: the code of the line */
	const char *line;       /* as typed */
	uint64_t ignore;        /* how many stops to skip */
	uint64_t calls;         /* seen */
	uint64_t matched;       /* calls for which the condition was true */
	int64_t stopped;        /* the id of the call that it stopped in; 0: none */
	bool said_unknown;      /* the note on an unknown value was printed */
	struct options options; /* with its pattern only */
	struct programs *programs;
	const struct catalogue *catalogue; /* the functions it names; owned by `programs` */
	struct arena *arena;               /* owns the texts */
};

/* Lines that a probe's stop, or a command that was defined, executes. */
struct prompt_script {
	const char *name; /* of the command; NULL: of a probe */
	unsigned probe;
	const char **lines; /* [n] */
	size_t n, capacity;
};

/* A call: open, or just ended. */
struct prompt_call {
	unsigned image, index; /* the function */
	const struct catalogue *catalogue;
	const struct function *function;
	const struct value *features;
	const struct value *metrics; /* [METRIC_MEASURED]; NULL: it is open */
	enum call_exit exit;         /* how it ended */
	double elapsed_us;           /* NAN: unknown */
	bool begins;                 /* now: it has not run yet */
	bool was_halted;             /* while it ran: metrics are lower bounds */
	int64_t id;
	pid_t thread;
};

/* A model of the samples so far. */
struct prompt_model {
	struct annotation_list list; /* one annotation; none: too few samples */
	const char *function;
	enum metric metric;
	uint64_t kept; /* samples it was made from */
};

/* Which probes name each function of an image. */
struct prompt_plan {
	const struct catalogue *catalogue; /* of `masks`; NULL: none yet */
	uint64_t *masks;                   /* by function: bit i is probes[i] */
};

struct prompt {
	struct options options; /* `functions`: the patterns of enabled probes */
	struct arena *arena;    /* lives as long as the session */
	struct arena *spare;    /* lives as long as a command */
	struct recovery *guard;
	struct line_reader *reader;
	struct prompt_terminal terminal;
	bool is_over;
	bool is_violated; /* a check was */
	bool is_sure;     /* `set confirm off`: nothing is asked */
	unsigned depth;   /* of nested scripts */
	/* Executes a line as if it was typed; prompt.c's. */
	bool (*execute)(struct prompt *prompt, const char *line, struct err *err);
	struct prompt_script **scripts;
	size_t n_scripts, scripts_capacity;
	struct prompt_script *collecting; /* it gets the lines up to `end`; NULL: none */
	bool has_halted;     /* what that calls for (displays, lines of the probe) is to be done */
	bool is_telling;     /* it is being done */
	unsigned stopped_by; /* the number of the probe that halted; 0: none */
	const char **displays; /* [n_displays]; NULL: taken back */
	size_t n_displays, displays_capacity;
	/* The program. */
	const char *program; /* as typed; NULL: none */
	const char *path, *interpreter;
	char **arguments;            /* of the next launch, NULL-terminated, the program first */
	const char *redirections[3]; /* [descriptor]; NULL: none */
	bool appends;                /* ">>" */
	/* Samples. */
	struct profile *profile;  /* NULL: none yet */
	const char *profile_path; /* NULL: temporary */
	const char *saved;        /* by the last `save`; NULL: none */
	bool is_unsaved;          /* some samples are in no file of the user */
	struct annotation_list annotations;
	const char *annotations_path; /* NULL: none loaded */
	struct prompt_model *models;
	size_t n_models, models_capacity;
	/* The process. */
	struct measurement *m;       /* NULL: none */
	pid_t thread;                /* the current one; 0: none */
	size_t frame;                /* its chosen frame; 0: the innermost */
	struct frame_look *look;     /* at the process, while it is halted; NULL: not taken yet */
	struct prompt_call returned; /* the call whose return halted it; function NULL: none */
	struct arena *returned_arena;
	char *last_overhead;  /* text for the previous process; NULL: none */
	uint64_t run_us;      /* how long it ran, until followed_us */
	uint64_t followed_us; /* when it was last continued */
	uint64_t fitting_us;  /* of run_us, spent in making models */
	/* Probes. */
	struct prompt_probe **probes;
	size_t n_probes, probes_capacity;
	unsigned last_number;
	struct prompt_plan *plans; /* by image */
	size_t n_plans, plans_capacity;
	/* For completion: the functions of the program `named`. */
	const char **names;
	size_t n_names;
	const char *named;
	/* Source lines. */
	const char *listed;   /* the file; NULL: none yet */
	unsigned listed_line; /* the next line to list */
	unsigned listed_from; /* where the last listing began */
	unsigned list_size;   /* lines of one */
	const char *sought;   /* the file that was looked for last; NULL: none yet */
	const char *found;    /* its path; NULL: it is not there */
	double max_overhead;  /* of `options`, before `set probes hardware` */
};

static inline struct session *prompt_session(const struct prompt *prompt)
{
	return prompt->m->session;
}

/* What a command requires. ERR_USAGE: it is missing; the text names the command that helps. */
bool prompt_needs_program(const struct prompt *prompt, struct err *err);
bool prompt_needs_process(const struct prompt *prompt, struct err *err);
bool prompt_needs_none(const struct prompt *prompt, struct err *err); /* no process yet */

/*
 * The functions of the program that @pattern (NULL: all) names, without features; the caller
 * destroys *@ret. Errors as of catalogue_build(), and prompt_needs_program().
 */
bool prompt_catalogue(struct prompt *prompt, const char *pattern, struct catalogue **ret,
		      struct err *err);
/*
 * Store all samples so far in the profile, which may be read until the process continues.
 * ERR_NOT_FOUND: there are none. Else the errors of recorder_flush().
 */
bool prompt_needs_samples(struct prompt *prompt, struct err *err);

/* Ask a yes-or-no question, unless nothing is to be asked: then the answer is yes. */
bool prompt_ask(struct prompt *prompt, const char *question);
unsigned prompt_list_size(const struct prompt *prompt); /* lines that list shows */
/* Look at @thread, its innermost frame first. */
void prompt_choose_thread(struct prompt *prompt, pid_t thread);
/* The session's look at the halted process. Errors as frame_look_take(). */
bool prompt_look(struct prompt *prompt, struct frame_look **ret, struct err *err);
const struct stack *prompt_stack(struct prompt *prompt, struct err *err); /* NULL: an error */
/* Before the process goes on, or its probes change. */
void prompt_forget_look(struct prompt *prompt);
/* The lines of a probe (@name NULL) or command; NULL: none. */
struct prompt_script *prompt_find_script(const struct prompt *prompt, const char *name,
					 unsigned probe);

/* interrupt_start(), counting a Ctrl-C that was typed right behind the command. */
void prompt_note_interrupts(struct prompt *prompt, double seconds);
uint64_t prompt_now_us(void); /* monotonic */
