/* Words of a command line as host_quote() writes it: blanks part them, but for those in quotes. */
#include "run_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64 };

/* Factors of runs may differ by so much: the largest of random sizes up to 1000 may be 900. */
#define ALIKE 1.25
/* Numbers that differ by so much show that the value follows. */
#define APART 1.5

struct word {
	const char *at;
	size_t length;
	double number; /* NAN: it is none */
};

static size_t split_command(const char *command, struct word ret[WORDS_MAX])
{
	size_t n = 0;

	while (command && *command && n < WORDS_MAX) {
		const char *end = command;
		char *behind;

		for (char quote = 0; *end && (quote || *end != ' '); end++)
			if (*end == '\'')
				quote = quote ? 0 : '\'';
		ret[n] = (struct word){command, (size_t)(end - command), NAN};
		ret[n].number = strtod(command, &behind);
		if (behind != end || behind == command || !isfinite(ret[n].number))
			ret[n].number = NAN;
		n++;
		command = end + strspn(end, " ");
	}
	return n;
}

/* The column's largest value in a run; NAN: none. */
static double largest_of(const struct samples *samples, const struct column *column, int64_t run)
{
	double largest = NAN;

	for (size_t i = 0; i < samples->n_rows; i++)
		if (samples->keys[i].run == run && column->absence[i] == PRESENT)
			largest = fmax(largest, column->numbers[i]);
	return largest;
}

/*
 * The value over the word's number, about the same in all runs; where only one number was tried it
 * must be about 1. NAN: no.
 */
static double factor_of(const struct run_commands *commands, const struct samples *samples,
			const struct column *column, size_t at)
{
	double least = INFINITY, most = 0, smallest = INFINITY, largest = 0;

	for (size_t i = 0; i < commands->n; i++) {
		const double value = largest_of(samples, column, commands->runs[i].id);
		struct word words[WORDS_MAX];
		const size_t n = split_command(commands->runs[i].run.command, words);

		if (isnan(value))
			continue;
		if (at >= n || !(words[at].number > 0) || !(value > 0))
			return NAN;
		least = fmin(least, value / words[at].number);
		most = fmax(most, value / words[at].number);
		smallest = fmin(smallest, words[at].number);
		largest = fmax(largest, words[at].number);
	}
	if (!(most <= ALIKE * least) ||
	    (largest < APART * smallest && !(most <= 1 && most * ALIKE >= 1)))
		return NAN;
	return most;
}

const char *run_words_for(const struct run_commands *commands, const struct samples *samples,
			  const struct column *column, double value, struct arena *arena,
			  size_t *ret_word)
{
	const char *command = commands->n ? commands->runs[commands->n - 1].run.command : NULL;
	struct word words[WORDS_MAX];
	const size_t n = split_command(command, words);

	for (size_t i = 1; i < n; i++) {
		const double factor = factor_of(commands, samples, column, i);

		if (!(factor > 0))
			continue;
		*ret_word = i;
		return arena_printf(arena, "%.*s%.*g%s", (int)(words[i].at - command), command, 15,
				    words[i].number == rint(words[i].number) ? ceil(value / factor)
									     : value / factor,
				    words[i].at + words[i].length);
	}
	return NULL;
}
