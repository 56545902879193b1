/*
 * A measurement: what `run`, `attach` and `check` of a program have in common.
 *
 * First measure_open(), so that nothing is started or stopped for a name that does not exist or a
 * profile that cannot be written; then the session; then measure_to_end(). What a process executes
 * later (exec) is measured as well, if it has something of what was asked for.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "explore/live_run.h"
#include "cli/options.h"
#include "cli/output.h"
#include "profile/profile.h"
#include "programs.h"
#include "recorder.h"
#include "trace/session.h"

struct measurement {
	const struct options *options;
	struct arena *arena;
	const char *path;        /* of the executable, as it can be opened */
	const char *interpreter; /* that executes it: it is a script; NULL: it is none */
	const char *name;        /* as messages call the process */
	const char *command;     /* for the profile */
	pid_t attached;          /* to this process; 0: it is launched */
	double seconds;          /* --for; 0: no limit */
	const char *input;       /* a file that the report must not destroy, or NULL */
	bool prompt;             /* somebody looks after the process, and goes through the events */
	/*
	 * Samples are added to *shared, which is opened if it is NULL, and stays open. NULL: the
	 * profile is the measurement's alone.
	 */
	struct profile **shared;
	bool lenient; /* some of the patterns may name nothing */
	/* What becomes of the samples in `profile` when all are stored: it writes to `output`. */
	bool (*finish)(struct measurement *m, struct err *err);
	void *context; /* of `finish` */
	struct programs *programs;
	struct program *first;  /* what the process executed when the measurement began */
	bool is_first_measured; /* what it executes now is */
	struct profile *profile;
	struct session *session;
	struct calibration calibration;
	struct recorder *recorder;
	struct clock_timer tick; /* so that periods end while nothing happens */
	struct output output;
	struct live_run
		*live; /* the explorer beside it, which is released with it; NULL: there is none */
	bool interrupted; /* the measurement ended before the process did */
	bool said_unstored;
};

/* Read the catalogue, open report and profile, calibrate. Path, name and command are set. */
bool measure_open(struct measurement *m, struct err *err);

/* Of the first program, for the session; NULL: nothing of it is measured. */
const struct catalogue *measure_catalogue(const struct measurement *m);

/* What the command line says of the session. */
struct session_options measure_session_options(const struct measurement *m);

/*
 * What is launched now is measured: standard streams that it shares with the explorer's terminal
 * are kept from that. Nothing without an explorer. ERR_IO.
 */
bool measure_take_streams(struct measurement *m, struct err *err);

/* @session begins; it is released with the measurement. */
void measure_begin(struct measurement *m, struct session *session);

/*
 * Follow the session to its end, or until somebody interrupts it; store, and finish. ERR_TARGET,
 * ERR_IO; ERR_NOT_FOUND: nothing was called; errors of `finish`.
 */
bool measure_to_end(struct measurement *m, struct err *err);

/*
 * Its pieces, for a prompt that follows the session by itself: a call becomes a sample, perhaps;
 * time has passed; a process executes another program; a note is said; all is stored at the end.
 */
void measure_keep(struct measurement *m, const struct call_record *call);
void measure_tend(struct measurement *m);
void measure_take_image(struct measurement *m, const struct session_event *event);
void measure_say(const struct measurement *m, const char *note);
bool measure_store(struct measurement *m, const struct ending *ending, struct err *err);

/*
 * The patterns of the options have changed: measure what they name now, of the first program. The
 * session is halted. After an error everything is as before.
 */
bool measure_replan(struct measurement *m, struct err *err);

void measure_release(struct measurement *m);
