/*
 * State shared by the fitter's threads (explore/fitter.c lists and models, explore/fitter_open.c
 * opens) and their caller. Private to them.
 */
#pragma once

#include <pthread.h>

#include "core/figure/call_graph.h"
#include "explorer_models.h"
#include "fitter.h"

/* A request, copied. */
struct wanted {
	struct arena *arena;
	struct explorer_request request;
	size_t n_samples; /* when opened or last marked to be reopened; 0: not opened */
	bool is_settled;  /* no more samples come */
};

struct fitter {
	const struct explorer_source
		*source; /* only while reading: it ends before modelling does */
	struct model_options options;
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
	struct call_graph *graph;     /* to take, or NULL */
	/* Changed by the lister alone, and only while no crew works; entries under the lock. */
	struct explorer_list *list;
	size_t *modelled; /* [list->n] samples of its model; 0: none yet */
	int64_t published_ms;
	/* What the lister and its crew have to model: first entries of functions, dearest first. */
	size_t *queue;
	size_t n_queue, next;
	unsigned n_busy; /* of those */
	bool queue_is_settled;
	unsigned processors;
};

/* Make fitter_fd() readable. */
void fitter_tell(const struct fitter *fitter);

enum { FITTER_PUBLISH_MS = 100 }; /* between two published lists */

/* Relative growth in samples that is worth a new model. */
#define FITTER_WORTH 0.1

/* May the source be read? Then the caller must fitter_end_reading(). */
bool fitter_begin_reading(struct fitter *fitter);

/* Show @err, unless something was shown before. */
void fitter_say_trouble(struct fitter *fitter, const struct err *err);

/* Give the caller a copy of the list. */
void fitter_publish(struct fitter *fitter);

/* The end of the entries from @first on that are of one function. */
size_t fitter_function_end(const struct explorer_list *list, size_t first);

/* What needs no model, of all functions. False: the fitter was abandoned, as below. */
bool fitter_survey(struct fitter *fitter, bool settled);

/* Model what is not up to date, with the crew, which is the caller and other threads. */
bool fitter_crew_model(struct fitter *fitter, bool settled);
void *fitter_crew_run(void *self); /* such a thread; @self is the fitter */

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
