/*
 * Products as JSON, one object each. Numbers are finite; unknown is null. All fail with ERR_IO if
 * @out cannot be written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "core/annotation/annotation.h"
#include "core/catalogue/catalogue.h"
#include "core/catalogue/code_graph.h"
#include "core/causal/causal_gains.h"
#include "core/verdict/check.h"
#include "core/verdict/diff.h"
#include "core/annotation/expectation.h"
#include "core/verdict/followed.h"
#include "core/verdict/stack.h"

struct json_models {
	const struct annotation *const *annotations;
	size_t n;
	const char *const *notes;
	size_t n_notes;
	const char *const *probes; /* what noticed calls: "stops", "pads"; n_probes 0: unknown */
	size_t n_probes;
};

/* { "fathom": 1, "annotations": […], "notes": […], "probes": […] }; without unknown probes */
bool json_annotations(const struct json_models *models, FILE *out, struct err *err);

/* { "fathom": 1, "conforms": …, "checks": […], "gates": […] } */
bool json_check(const struct check *check, FILE *out, struct err *err);

/* { "fathom": 1, "regression": …, "differences": […] } */
bool json_diff(const struct diff *diff, FILE *out, struct err *err);

struct json_advised {
	const struct annotation *annotation;
	double share;     /* of the run's time; NAN: not known, as is the next */
	double precision; /* half the 95 % interval of a typical call's cost, relative */
	const char *const *sentences; /* what matters most first */
	size_t n;
};

/* { "fathom": 1, "advice": [{ "function": …, "metric": …, "share": …, "sentences": […] }] } */
bool json_advice(const struct json_advised *advised, size_t n, FILE *out, struct err *err);

struct json_prediction {
	const struct annotation *annotation;
	struct expectation expectation;
	/* What it is by, in place of formulas: then low and high are the curve's, not of calls. */
	const struct smooth *curve;
	const char *const *outside; /* names of features outside their observed range */
	size_t n_outside;
};

/* { "fathom": 1, "predictions": […] } */
bool json_predictions(const struct json_prediction *predictions, size_t n, FILE *out,
		      struct err *err);

/*
 * { "fathom": 1, "functions": […], "notes": […] }; addresses are hexadecimal strings. @graph: of
 * the same program; NULL: levels and callees are left out.
 */
bool json_catalogue(const struct catalogue *catalogue, bool features,
		    const struct code_graph *graph, FILE *out, struct err *err);

/*
 * { "fathom": 1, "causal": […], "experiments": …, "refused": … }: @n gains, at least one, of the
 * same experiments. @refused: a reason, or NULL.
 */
bool json_causal(const struct causal_gains *const *gains, size_t n, const char *refused, FILE *out,
		 struct err *err);

/* { "fathom": 1, "pid": …, "threads": […], "notes": […], … } */
bool json_stack(const struct stack *stack, FILE *out, struct err *err);

/*
 * { "fathom": 1, "pid": …, "calls": [{ "state": "returned", "at_least": …, "frame": …, "outlook": …
 * }], … }; of the process in @stack.
 */
bool json_followed(const struct stack *stack, const struct followed_call *calls, size_t n,
		   FILE *out, struct err *err);
