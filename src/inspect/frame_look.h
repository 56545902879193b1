/*
 * A look at a halted process whose frames can be asked for values, as long as it stays halted. It
 * only reads.
 */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "cli/options.h"
#include "core/verdict/stack.h"
#include "trace/session.h"

struct frame_look;

/* Errors as halted_stack_take(). */
bool frame_look_take(struct session *session, const struct options *options,
		     struct frame_look **ret, struct err *err);
void frame_look_destroy(struct frame_look *look); /* NULL is fine */
const struct stack *frame_look_stack(const struct frame_look *look);

/* A frame, by its index in its thread of the stack. */
struct frame_place {
	pid_t thread;
	size_t frame;
};

/* How numbers are written: x, d, u, o, t, c, a, or s; 0: as their types are. */
struct frame_format {
	char letter;
	unsigned size;  /* of x: bytes of a unit; 0: as the type has */
	unsigned count; /* of x: units */
};

/*
 * Print the value of @expression in the frame, without a newline; @name of a phrase in front of it.
 * ERR_NOT_FOUND, ERR_FORMAT: as of call_shown_make().
 */
bool frame_look_print(struct frame_look *look, const struct frame_place *place,
		      const char *expression, struct frame_format format, FILE *out,
		      struct err *err);

/* Print memory at the address that @expression is, 16 bytes a line. ERR_TARGET: unreadable. */
bool frame_look_examine(struct frame_look *look, const struct frame_place *place,
			const char *expression, struct frame_format format, FILE *out,
			struct err *err);

/* The type of the expression, in a line; @whole: what the type, or type name, consists of. */
bool frame_look_type(struct frame_look *look, const struct frame_place *place,
		     const char *expression, bool whole, FILE *out, struct err *err);

enum frame_variables { FRAME_PARAMETERS, FRAME_LOCALS };

/* Print the function's variables and values, a line each, behind @indent. Returns how many. */
size_t frame_look_print_variables(struct frame_look *look, const struct frame_place *place,
				  enum frame_variables which, const char *indent, FILE *out);

/* Print the frame's registers, as far as they are known, a line each. */
void frame_look_print_registers(struct frame_look *look, const struct frame_place *place,
				FILE *out);

/* "<f+4>" for the code or variable at @address; NULL: none that is known by name. In the look's. */
const char *frame_look_symbol(struct frame_look *look, uint64_t address);

/* Print the files with code of the process, with where they begin and whether lines are known. */
void frame_look_print_files(const struct frame_look *look, FILE *out);
