/*
 * Are models true? Tables of samples are drawn from known laws, and the annotations compared with those.
 *
 * Usage: model_truth [-n TABLES] [-s SEED] [-v] [ROW...]   (default: 200 tables of every row)
 *
 * Prints a line for each family of laws: percent of the tables with the right features, the right scopes (of a mixture: shares
 * and centres), the right classes of growth, and all of that; what one who knew the features, the parts and the noise would
 * get ("oracle"); seconds a table; and the figure that is promised. A ROW is a part of a family's name. With -v the
 * annotations that are wrong are printed, with the laws. The last rows, "noise 50" and so on, have as many features and no law ("absent": which many calls lack): of
 * five times as many tables, percent with a feature in the model; and "invented powers", of as many tables of one fixed class, percent
 * with a power or an exponential.
 */
#include <time.h>
#include <unistd.h>

#include "model_judge.h"
#include "model_noise.h"

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + 1e-9 * now.tv_nsec;
}

static bool is_wanted(const char *name, char **rows, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (strstr(name, rows[i]))
			return true;
	return n == 0;
}

static void print_row(const struct law_family *family, const struct tally *tally, double elapsed)
{
	double part = 100.0 / tally->tables;

	printf("%-28s %8.1f %8.1f %8.1f %8.1f %8.1f %9.4f", family->name, part * tally->features,
	       part * tally->scopes, part * tally->classes, part * tally->right,
	       part * tally->oracle, elapsed / tally->tables);
	if (family->least)
		printf("  %u: %s", family->least,
		       part * tally->right >= family->least ? "holds" : "MISSED");
	printf("\n");
	fflush(stdout);
}

static const struct {
	const char *name;
	struct noise_shape shape;
} noises[] = {
	{"noise 50", {.rows = LAW_ROWS, .features = 50}},
	{"noise 1000", {.rows = LAW_ROWS, .features = 1000}},
	{"noise 50 absent", {.rows = LAW_ROWS, .features = 50, .absent = true}},
};

static void print_noise(size_t number, unsigned tables, long seed, FILE *wrong)
{
	double begin = seconds();
	struct inventions found;

	count_inventions(&noises[number].shape, tables, seed, wrong, &found);
	printf("%-28s %8.1f invented, %u of %u; modes in normal noise %u; %.4f s/table  1: "
	       "%s\n",
	       noises[number].name, 100.0 * found.features / tables, found.features, tables,
	       found.modes, (seconds() - begin) / tables,
	       found.features * 100 <= tables ? "holds" : "MISSED");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	unsigned tables = 200;
	bool verbose = false;
	long seed = 1;
	int option;
	size_t i;

	while ((option = getopt(argc, argv, "n:s:v")) != -1) {
		if (option == 'n') {
			tables = strtoul(optarg, NULL, 10);
		} else if (option == 's') {
			seed = strtol(optarg, NULL, 10);
		} else if (option == 'v') {
			verbose = true;
		} else {
			fprintf(stderr, "usage: %s [-n TABLES] [-s SEED] [-v] [ROW...]\n", *argv);
			return 2;
		}
	}
	printf("%-28s %8s %8s %8s %8s %8s %9s\n", "percent of the tables", "features", "scopes",
	       "classes", "all", "oracle", "s/table");
	for (i = 0; i < n_law_families; i++) {
		const struct law_family *family = &law_families[i];
		double begin = seconds();
		struct tally tally;

		if (!is_wanted(family->name, argv + optind, argc - optind))
			continue;
		law_tally(family, tables, seed, verbose ? stdout : NULL, &tally);
		print_row(family, &tally, seconds() - begin);
	}
	for (i = 0; i < sizeof(noises) / sizeof(*noises); i++)
		if (is_wanted(noises[i].name, argv + optind, argc - optind))
			print_noise(i, 5 * tables, seed, verbose ? stdout : NULL);
	if (is_wanted("invented powers", argv + optind, argc - optind)) {
		const unsigned n = 5 * tables;
		const unsigned found = law_count_free(n, seed, verbose ? stdout : NULL);

		printf("%-28s %8.1f of tables of fixed classes, %u of %u  1: %s\n",
		       "invented powers", 100.0 * found / n, found, n,
		       found * 100 <= n ? "holds" : "MISSED");
	}
	return 0;
}
