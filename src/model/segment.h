/*
 * Segments: the place on a feature at which two curves describe the metric better than one.
 *
 * Every place between two observed values is looked at, by sums in the order of the feature. The curves are those of the
 * strongest predictors and of the feature itself: a constant, a line or a parabola, each side its own.
 */
#ifndef FATHOM_MODEL_SEGMENT_H
#define FATHOM_MODEL_SEGMENT_H

#include "model/curve.h"

struct segment {
	size_t predictor; /* that is cut */
	size_t first; /* so many rows in its order are on the first side; the next one is larger */
	double left;  /* the part of the whole curve's residual squares that two curves leave */
};

struct segmenter;

/*
 * @whole and @spread: the best curve of all rows. What is used of the metric lies within what most rows leave by it, so that far
 * calls decide nothing. @ranking and @fitter are borrowed, the memory is @arena's.
 */
struct segmenter *segmenter_create(struct arena *arena, const struct ranking *ranking,
				   const struct curve_fitter *fitter, const struct curve *whole,
				   enum spread spread);

/* The best place on a predictor, each side having at least @least rows. False: there is none. */
bool segment_find(struct segmenter *segmenter, size_t predictor, size_t least, struct segment *ret);

/* The part that is left when the rows are parted so; those on no side do not count. */
double segment_judge(struct segmenter *segmenter, const uint8_t *sides);

#endif
