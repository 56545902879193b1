/*
 * A measurement, for `run`, `attach`, the prompt and `check` of a program.
 *
 * First measure_open(), so that an unknown name or an unwritable profile starts and stops nothing;
 * then the session; then measure_to_end(). Programs that a process executes later (exec) are
 * measured too, if the patterns match.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "run_progress.h"
#include "base/clock.h"
#include "base/err.h"
#include "explore/live_run.h"
#include "cli/host.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/tracer_limits.h"
#include "profile/profile.h"
#include "programs.h"
#include "recorder.h"
#include "trace/session.h"

struct choice;

struct measurement {
	const struct options *options;
	struct arena *arena;
	const char *path;        /* of the executable, as it can be opened */
	const char *interpreter; /* of a script; NULL: it is none */
	const char *name;        /* as messages call the process */
	const char *command;     /* for the profile */
	pid_t attached;          /* process attached to; 0: launched */
	double seconds;          /* --for; 0: no limit */
	const char *input;       /* file that the report must not overwrite, or NULL */
	bool prompt;             /* the prompt steers the process and reads the events */
	/*
	 * Samples go to *shared, which is opened if it is NULL, and stays open. NULL: the
	 * measurement owns its profile.
	 */
	struct profile **shared;
	bool lenient;                      /* patterns may match nothing */
	bool unstored;                     /* the profile did not take all samples */
	int lock;                          /* of the default profile; 0: none */
	struct host_processors processors; /* when it began */
	struct tracer_urgency urgency;     /* no less than the program's */
	/* of functions while the program runs, owned; NULL: those of -f are measured */
	struct choice *choice;
	/* Called when all samples are stored in `profile`; writes to `output`. */
	bool (*finish)(struct measurement *m, struct err *err);
	void *context; /* of `finish` */
	struct programs *programs;
	struct program *first;  /* executed when the measurement began */
	bool is_first_measured; /* the current program is measured */
	struct profile *profile;
	struct session *session;
	struct calibration calibration;
	const char *probes; /* that are used; as in struct run */
	struct recorder *recorder;
	struct clock_timer tick; /* ends periods while nothing happens */
	struct output output;
	struct live_run *live; /* the explorer, released with it; or NULL */
	struct run_progress progress;
	struct precision_watch *precise; /* of --until-precise and --adapt, or NULL */
	size_t n_learned;                /* of what it found, so much was heeded */
	const struct catalogue *asked;   /* of the first program, when that was */
	bool interrupted;                /* the measurement ended before the process did */
	bool killed;                     /* the process, by the prompt */
	bool said_unstored;
};

/* Read the catalogue, open report and profile, calibrate. Path, name and command are set. */
bool measure_open(struct measurement *m, struct err *err);

/* The first program's, for the session; NULL: nothing of it is measured. */
const struct catalogue *measure_catalogue(const struct measurement *m);

struct session_options measure_session_options(const struct measurement *m);

/* Before the launch: live_run_take_streams(), if there is an explorer. ERR_IO. */
bool measure_take_streams(struct measurement *m, struct err *err);

/* Own @session, which begins. */
void measure_begin(struct measurement *m, struct session *session);

/*
 * Follow the session until it ends or is interrupted; store, and finish. ERR_TARGET, ERR_IO;
 * ERR_NOT_FOUND: nothing was called; errors of `finish`.
 */
bool measure_to_end(struct measurement *m, struct err *err);

/*
 * Its pieces, for the prompt, which follows the session itself: offer a call as a sample; calls may
 * be missing; time has passed; a process executed a program; print a note; store all at the end.
 */
void measure_keep(struct measurement *m, const struct call_record *call);
void measure_limit(struct measurement *m, const struct session_event *event);
void measure_tend(struct measurement *m);
void measure_take_image(struct measurement *m, const struct session_event *event);
void measure_say(const struct measurement *m, const char *note);
bool measure_store(struct measurement *m, const struct ending *ending, struct err *err);

void measure_release(struct measurement *m);
