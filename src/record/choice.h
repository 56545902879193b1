/*
 * The choice of functions to measure where nobody names them (-f @hot, or no -f): by samples of
 * where the program spends its time, while it runs.
 *
 * The first choice is made of 50 samples, which one thread at work gives in 50 ms, the next ones of
 * 200 and 1000; a program that mostly waits is looked at by the clock. Each names at most 20
 * functions (inspect/hot_functions.h). Sampling ends with the last, unless --adapt: then it goes
 * on, of every 1000 samples a choice. The program that was launched or attached to is sampled, with
 * --follow-fork also copies of it that it starts.
 */
#pragma once

#include "measure.h"

/* Borrows @options, whose functions it sets; those that they have already stay. */
struct choice *choice_create(struct options *options);
void choice_destroy(struct choice *choice); /* NULL is fine */

/* The session of @m, which has one, begins. */
void choice_begin(struct measurement *m);

bool choice_is_open(const struct choice *choice);

/* Take the samples that have come, and choose if it is time. False: that was the last choice. */
bool choice_tend(struct measurement *m);

/* The session is over: say what was missed, if that is much. */
void choice_end(struct measurement *m);

/* The profile keeps the lines of the last samples, for those who look at the source. */
void choice_keep_lines(struct measurement *m);

/* ERR_NOT_FOUND: why nothing was measured, and what to type. Always false. */
bool choice_nothing(struct measurement *m, struct err *err);
