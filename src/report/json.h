/*
 * Products as JSON, one object each. Numbers are finite; what is unknown is null.
 */
#ifndef FATHOM_REPORT_JSON_H
#define FATHOM_REPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "core/annotation.h"
#include "core/catalogue.h"
#include "core/check.h"
#include "core/diff.h"
#include "core/expectation.h"
#include "core/followed.h"
#include "core/stack.h"

/* { "fathom": 1, "annotations": […], "notes": […] }. ERR_IO if @out cannot be written. */
bool json_annotations(const struct annotation *const *annotations, size_t n,
		      const char *const *notes, size_t n_notes, FILE *out, struct err *err);

/* { "fathom": 1, "conforms": …, "checks": […] }. */
bool json_check(const struct check *check, FILE *out, struct err *err);

/* { "fathom": 1, "regression": …, "differences": […] }. */
bool json_diff(const struct diff *diff, FILE *out, struct err *err);

struct json_prediction {
	const struct annotation *annotation;
	struct expectation expectation;
	const char *const *outside; /* names of features outside of what was observed */
	size_t n_outside;
};

/* { "fathom": 1, "predictions": […] }. */
bool json_predictions(const struct json_prediction *predictions, size_t n, FILE *out,
		      struct err *err);

/* { "fathom": 1, "functions": […], "notes": […] }; addresses are hexadecimal strings. */
bool json_catalogue(const struct catalogue *catalogue, bool features, FILE *out, struct err *err);

/* { "fathom": 1, "pid": …, "threads": […], "notes": […], … }. */
bool json_stack(const struct stack *stack, FILE *out, struct err *err);

/* { "fathom": 1, "pid": …, "calls": [{ "state": "returned", "at_least": …, "frame": …, "outlook": … }], … }; of the process in @stack. */
bool json_followed(const struct stack *stack, const struct followed_call *calls, size_t n,
		   FILE *out, struct err *err);

#endif
