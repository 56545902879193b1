/*
 * State shared by the fitter's threads (explore/fitter.c lists and models, explore/fitter_open.c
 * opens) and their caller. Private to them.
 */
#pragma once

#include <pthread.h>

#include "explorer_models.h"
#include "fitter.h"

/* A request, copied. */
struct wanted {
	struct arena *arena;
	struct explorer_request request;
	size_t n_samples; /* when opened or last marked to be reopened; 0: not opened */
};

struct fitter {
	const struct explorer_source *source;
	pthread_mutex_t lock;
	pthread_cond_t wake; /* by CLOCK_MONOTONIC */
	int fd;
	int64_t started_ms;
	unsigned n_threads;
	unsigned n_reading;   /* using `source` */
	unsigned n_modelling; /* fitting: long, not interruptible */
	bool is_over, is_settled, is_listing;
	/* To take. */
	struct explorer_list *published;
	struct explorer_opened *opened;
	char *trouble;
	bool had_trouble;
	struct wanted *wanted; /* the last request, or NULL */
	bool is_new;           /* not opened yet */
	bool is_opening;
	struct explorer_models *fits; /* cache for the opening thread */
	/* The lister's own. */
	struct explorer_list *list;
	size_t *modelled; /* [list->n] samples of its model; 0: none yet */
	int64_t published_ms;
};

/* Make fitter_fd() readable. */
void fitter_tell(const struct fitter *fitter);

/* Count n_reading or n_modelling, under the lock. */
void fitter_end_reading(struct fitter *fitter);
void fitter_begin_modelling(struct fitter *fitter);
void fitter_end_modelling(struct fitter *fitter);

/* Last use of the fitter by an ending thread. */
void fitter_leave(struct fitter *fitter);

/* Forget the request and its untaken answer. */
void fitter_forget_wanted(struct fitter *fitter);

/* The thread that opens; @self is the fitter. */
void *fitter_open_wanted(void *self);
