/*
 * How the frames and records of a function are laid out, and how their words become values.
 */
#pragma once

#include "trace/pad/pad_block.h"
#include "trace/pad/pad_code.h"
#include "trace/state/image.h"

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

/*
 * Plan the frames of @measured, which is number @number of its image. Allocates in @arena. A
 * function that pads cannot follow gets `why`.
 */
void ring_layout_make(const struct measured_function *measured, unsigned number, uint64_t load_bias,
		      unsigned counts, const struct class_map *classes, struct arena *arena,
		      struct ring_function *ret);

/* Bytes of its frames that became chosen. */
uint32_t ring_layout_size(const struct ring_function *function);

/*
 * The values of the features that were read at the entry (@at_return: at the end, too) from the
 * words of @frame, whose size is that of @function; others stay as they are. @values: [features].
 */
void ring_layout_values(const struct ring_function *function, const struct pad_frame *frame,
			bool at_return, struct value *values);

/* The reverse for what was read at the entry: as doubles. Sets PAD_VALUES. */
void ring_layout_words(const struct ring_function *function, const struct value *values,
		       struct pad_frame *frame);
