/*
 * What models make of every table of the families: a line each, for bench/ablate.
 *
 * Usage: model_ablate TABLES SEED
 *
 * Prints "FAMILY<tab>SEED<tab>1" for a table whose model is right, else 0: of the families of laws,
 * and "mixture in FAMILY" where a mixture is wrong;
 * "null …" of tables without a law, where a feature, or modes in normal noise, are wrong; "power …"
 * of laws of fixed classes, where a power or an exponential is wrong.
 */
#include "model_judge.h"
#include "model_noise.h"

enum { FIXED = 20 /* laws that a line is about */ };

static void say(const char *family, const char *kind, long seed, bool right)
{
	printf("%s%s\t%ld\t%d\n", kind, family, seed, right);
	fflush(stdout);
}

static void judge_laws(unsigned tables, long seed)
{
	struct tally tally;
	size_t i;
	long at;

	for (i = 0; i < n_law_families; i++)
		for (at = seed; at < seed + tables; at++) {
			law_tally(&law_families[i], 1, at, NULL, &tally);
			say(law_families[i].name, "", at, tally.right);
			say(law_families[i].name, "mixture in ", at, !tally.invented);
		}
}

/* A line for tables of all kinds of noise. */
static void judge_noise(const char *name, bool absent, unsigned tables, long seed)
{
	const struct noise_shape shape = {.rows = LAW_ROWS, .features = 50, .absent = absent};
	struct inventions found;
	long at;

	for (at = seed; at < seed + tables; at++) {
		count_inventions(&shape, METRIC_NOISES, METRIC_NOISES * at, NULL, &found);
		say(name, "null ", at, !found.features && !found.modes);
	}
}

int main(int argc, char **argv)
{
	const unsigned tables = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	const long seed = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	long at;

	if (!tables) {
		fprintf(stderr, "usage: %s TABLES SEED\n", *argv);
		return 2;
	}
	judge_laws(tables, seed);
	judge_noise("50", false, tables, seed);
	judge_noise("50 absent", true, tables, seed);
	for (at = seed; at < seed + tables; at++)
		say("fixed", "power ", at, !law_count_free(FIXED, FIXED * at, NULL));
	return 0;
}
