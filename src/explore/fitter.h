/*
 * The fitter: makes models while somebody looks. One thread lists the functions and models one
 * after the other, a second one opens what is asked for, so that this never waits for the others.
 * Whoever looks waits for neither: results are taken when they are there.
 *
 * Of a profile that grows the list is made anew again and again, and what has more samples than
 * before is modelled anew.
 */
#pragma once

#include "core/figure/study.h"
#include "explorer_source.h"

struct fitter;

/* What is to be opened. Borrowed. */
struct explorer_request {
	const char *key;
	enum metric metric;
	const char *const *pinned, *const *excluded;
	size_t n_pinned, n_excluded;
};

/* What became of it. */
struct explorer_opened {
	char *key;
	enum metric metric;
	struct samples *samples;
	_Atomic(unsigned) *n_users; /* of the samples: a sketch and what follows it have the same */
	struct study *study;        /* NULL: `why` */
	bool is_sketch;             /* the samples without a model, which follows */
	char *why;
	bool is_free; /* the reader had no wishes about features */
};

/*
 * @list is taken, @source borrowed. Signals are for other threads. ERR_IO: there can be no threads.
 */
bool fitter_start(const struct explorer_source *source, struct explorer_list *list,
		  struct fitter **ret, struct err *err);
/*
 * It begins nothing new, and ends. Models that are being made are not waited for, as they may take
 * long: then what they need lives on until the process ends.
 */
void fitter_abandon(struct fitter *fitter);

/* Readable when there is something to take. */
int fitter_fd(const struct fitter *fitter);

/* The list, if it has changed; else NULL. The caller owns it. */
struct explorer_list *fitter_take_list(struct fitter *fitter);
/*
 * What was opened, if that is new; else NULL. The caller gives it back. Where models take their
 * time a sketch comes first.
 */
struct explorer_opened *fitter_take_opened(struct fitter *fitter);
void fitter_give_back(struct fitter *fitter, struct explorer_opened *opened);

/* Something is wrong with the profile: a line, once. The caller frees it. */
char *fitter_take_trouble(struct fitter *fitter);

/*
 * Open this, rather than what was asked for before. Of a profile that grows it is opened again when
 * there are more samples.
 */
void fitter_open(struct fitter *fitter, const struct explorer_request *request);

/* There are no more samples to come: what is there now is looked at once more. */
void fitter_settle(struct fitter *fitter);

/* Are models being made that were not there? */
bool fitter_is_busy(struct fitter *fitter);
