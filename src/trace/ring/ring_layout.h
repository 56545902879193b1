/*
 * How the frames and records of a function are laid out, and how their words become values.
 */
#pragma once

#include "trace/pad/pad_block.h"
#include "trace/pad/pad_code.h"
#include "trace/state/image.h"
#include "trace/state/open_call.h"
#include "trace/state/tsc_clock.h"

/* A function whose calls pads follow. */
struct ring_function {
	struct pad_function code; /* without steps: see `why` */
	const char *why;          /* why it has no pads; NULL: it has */
	/* As in struct measured_function when this was made. */
	bool by_stops;
	const struct read_plan *filters;
	unsigned *features; /* index of each of code.at_entry, then of at_return */
	unsigned *strings;  /* those of them whose plans look for the end of a string */
	size_t n_strings;
};

/* What sessions may want of each frame. */
struct ring_wants {
	unsigned counts;  /* bits of enum pad_count */
	size_t n_callees; /* as in struct pad_function */
};

/*
 * Plan the frames of @measured, which is number @number of its image. Allocates in @arena. A
 * function that pads cannot follow gets `why`.
 */
void ring_layout_make(const struct measured_function *measured, unsigned number, uint64_t load_bias,
		      struct ring_wants wants, const struct class_map *classes, struct arena *arena,
		      struct ring_function *ret);

/* Bytes of its frames that became chosen. */
uint32_t ring_layout_size(const struct ring_function *function);

/*
 * The values of the features that were read at the entry (@at_return: at the end, too) from the
 * words of @frame, whose size is that of @function; others, and those that the call was not asked
 * for, stay as they are. @values: [features].
 */
void ring_layout_values(const struct ring_function *function, const struct pad_frame *frame,
			bool at_return, struct value *values);

/* The reverse for what was read at the entry: as doubles. Sets PAD_VALUES. */
void ring_layout_words(const struct ring_function *function, const struct value *values,
		       struct pad_frame *frame);

/*
 * Its calls by function, owned by the caller; NULL: not counted, or not known. The second writes
 * them, @sums and all that is lost, into the words of @frame, which were 0.
 */
struct callee_sums *ring_layout_callees(const struct ring_function *function,
					const struct tsc_clock *clock,
					const struct pad_frame *frame);
void ring_layout_give_callees(const struct ring_function *function, const struct tsc_clock *clock,
			      const struct open_call *call, struct pad_callee *ret);
