/*
 * The fitter: makes models in the background. One thread lists the functions and looks at what
 * needs no model, then a thread for each processor models them, the dearest first; another one
 * opens what the user requests, and goes before these. The screen waits for none: it takes results
 * when they are ready.
 *
 * While a profile grows, the list is refreshed and functions with more samples are modelled anew.
 */
#pragma once

#include "core/figure/study.h"
#include "core/figure/call_graph.h"
#include "explorer_source.h"

struct fitter;

/* A function and metric to open. Borrowed. */
struct explorer_request {
	const char *key;
	enum metric metric;
	const char *const *pinned, *const *excluded;
	size_t n_pinned, n_excluded;
};

/* The answer. */
struct explorer_opened {
	char *key;
	enum metric metric;
	struct samples *samples;
	_Atomic(unsigned) *n_users; /* of the samples, shared by a sketch and its successor */
	struct study *study;        /* NULL: `why` */
	struct annotation *before;  /* in the profile that is compared with; NULL: none */
	bool is_sketch;             /* samples only; the model follows */
	char *why;
	bool is_free; /* pinned and excluded are the features that are from the beginning */
};

/* Owns @list, borrows @source. Its threads block signals. ERR_IO: no thread can be created. */
bool fitter_start(const struct explorer_source *source, struct explorer_list *list,
		  struct fitter **ret, struct err *err);
/*
 * Begin nothing new, and end. Models in the making may take long and are not waited for: then their
 * data lives until the process ends.
 */
void fitter_abandon(struct fitter *fitter);

/* Readable when there is something to take. */
int fitter_fd(const struct fitter *fitter);

/* The list if it has changed, else NULL. The caller owns it. */
struct explorer_list *fitter_take_list(struct fitter *fitter);
/* Who calls whom, if that is new, else NULL. The caller owns it. */
struct call_graph *fitter_take_calls(struct fitter *fitter);
/* A new answer, else NULL; to be given back. If the model takes long, a sketch comes first. */
struct explorer_opened *fitter_take_opened(struct fitter *fitter);
void fitter_give_back(struct fitter *fitter, struct explorer_opened *opened);

/* A line about a broken profile, once; else NULL. The caller frees it. */
char *fitter_take_trouble(struct fitter *fitter);

/* Open this, instead of the last request; again when a growing profile has more samples. */
void fitter_open(struct fitter *fitter, const struct explorer_request *request);

/* No more samples will come: read the profile once more. */
void fitter_settle(struct fitter *fitter);

/* Are new models being made? */
bool fitter_is_busy(struct fitter *fitter);
