/*
 * What the commands of the session share: one process at a time, launched or attached to, which is
 * halted whenever the prompt is shown; its probes; and the samples of all its runs, in one profile,
 * a temporary one unless the user names it. Private to prompt*.c.
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
	const char *condition;              /* as it was given; NULL: none */
	const struct call_condition *watch; /* the same */
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
	struct recovery *guard;
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

static inline struct session *prompt_session(const struct prompt *prompt)
{
	return prompt->m->session;
}

/*
 * What a command cannot do without. ERR_USAGE: it is not there, and the text says which command
 * brings it.
 */
bool prompt_needs_program(const struct prompt *prompt, struct err *err);
bool prompt_needs_process(const struct prompt *prompt, struct err *err);
bool prompt_needs_none(const struct prompt *prompt, struct err *err); /* no process */
/*
 * All samples so far are in the profile, which may be read until the process goes on.
 * ERR_NOT_FOUND: there are none; or an error of storing them.
 */
bool prompt_needs_samples(struct prompt *prompt, struct err *err);

/* interrupt_start() for the terminal; a Ctrl-C that was typed right behind the command counts. */
void prompt_note_interrupts(struct prompt *prompt, double seconds);
uint64_t prompt_now_us(void); /* monotonic */
