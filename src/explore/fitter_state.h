/*
 * The fitter's private side: what its two threads (explore/fitter.c lists and models,
 * explore/fitter_open.c opens) and their caller share.
 */
#pragma once

#include <pthread.h>

#include "explorer_models.h"
#include "fitter.h"

/* A request, copied. */
struct wanted {
	struct arena *arena;
	struct explorer_request request;
	size_t n_samples; /* that there were of it */
};

struct fitter {
	const struct explorer_source *source;
	pthread_mutex_t lock;
	pthread_cond_t wake; /* by CLOCK_MONOTONIC */
	int fd;
	int64_t started_ms;
	unsigned n_threads;
	unsigned n_reading;   /* of these use `source` */
	unsigned n_modelling; /* of these cannot be interrupted, and may take long */
	bool is_over, is_settled, is_listing;
	/* To take. */
	struct explorer_list *published;
	struct explorer_opened *opened;
	char *trouble;
	bool had_trouble;
	struct wanted *wanted; /* the last request; NULL: there was none */
	bool is_new;           /* it is to be opened */
	bool is_opening;
	struct explorer_models *fits; /* annotations that were made, for whoever opens them */
	/* The lister's own. */
	struct explorer_list *list;
	size_t *modelled; /* [list->n] of how many samples; 0: not yet */
	int64_t told_ms;
};

/* There is something to take. */
void fitter_tell(const struct fitter *fitter);

/* The source is not used any more; a model is made; it is made. */
void fitter_end_reading(struct fitter *fitter);
void fitter_begin_modelling(struct fitter *fitter);
void fitter_end_modelling(struct fitter *fitter);

/* The thread ends: it does not touch the fitter any more. */
void fitter_leave(struct fitter *fitter);

/* Forget the request, and what was opened for it and not taken. */
void fitter_forget_wanted(struct fitter *fitter);

/* The thread that opens; @self is the fitter. */
void *fitter_open_wanted(void *self);
