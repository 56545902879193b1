/* Numbers on the command lines of runs that a feature follows, and commands that give a value. */
#pragma once

#include "base/arena.h"
#include "core/samples/samples.h"
#include "profile/profile_history.h"

struct run_commands {
	const struct past_run *runs; /* [n] */
	size_t n;
};

/*
 * A command, in @arena, in which the largest value of the column should be @value: one of its words
 * is a number that gave it in all runs, times a factor if several numbers were tried. NULL: there
 * is none. *@ret_word: the word's place, from 1.
 */
const char *run_words_for(const struct run_commands *commands, const struct samples *samples,
			  const struct column *column, double value, struct arena *arena,
			  size_t *ret_word);
