/*
 * Selects predictors. correlation_screen.c lists those worth a model of their own. The best is
 * paired with those that its residuals depend on, which alone may explain nothing; the best few are
 * paired with each other, to find products; the best pair is extended one by one. Of about equal
 * ones the first by the rule of representatives (equivalents.c) wins.
 *
 * System features (load, free memory, calls so far) drift, and so do costs: they take no place of a
 * program feature, and must explain far more. So must return values, which often follow from what
 * the cost depends on and come too late to predict it, and second features strongly correlated with
 * the first.
 *
 * Pinned features are always tried, need only beat chance, and are not dropped.
 */
#include "feature_selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correlation_screen.h"
#include "score.h"

enum {
	PINNED_MAX = BASIS_FEATURES, /* no model has more features */
	PAIRS_AMONG = 5,             /* the best singles are all paired */
	PAIRS_MAX = STRENGTH_SECONDS + PAIRS_AMONG * (PAIRS_AMONG - 1) / 2 + PINNED_MAX,
	PAIRS_REFINED = 6, /* tried with products of all growths */
	PAIR_ROWS_MIN = 20,
	ROWS_EACH = 15, /* rows per feature beyond two */
	TRIPLE_FROM = 4,
	TRIPLE_AMONG = 10,
	TRIPLE_PRODUCTS = 3,
};

/* Residual variances closer than this are about equal. */
#define ABOUT_EQUAL 0.05
/* The share of log residual variance that a second feature must explain. */
#define SECOND_PART 0.1
/*
 * The same of system features and of those that drift with the calls: a drift explains some of any
 * residuals. ln 5: four fifths.
 */
#define FOLLOWER_PART 1.6

struct selecting {
	const struct dataset *data;
	struct chooser *chooser;
	double kin;
	double late; /* the share for return values beside others */
	struct candidate singles[STRENGTH_LIST + PINNED_MAX];
	size_t n_singles;
	size_t pinned[PINNED_MAX];
	size_t n_pinned;
	const struct candidate *narrow; /* being widened */
};

static size_t select_place_of(const struct candidate *candidate)
{
	size_t sum = 0;
	unsigned i;

	for (i = 0; i < candidate->basis.n_features; i++)
		sum += candidate->predictors[i];
	return sum;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *left = a;
	const struct candidate *right = b;
	size_t i;

	if (left->score != right->score)
		return left->score < right->score ? -1 : 1;
	for (i = 0; i < left->basis.n_features; i++)
		if (left->predictors[i] != right->predictors[i])
			return left->predictors[i] < right->predictors[i] ? -1 : 1;
	return 0;
}

/* Of those about as good as the best, the easiest to name. */
static const struct candidate *select_easiest(const struct chooser *chooser,
					      const struct candidate *candidates, size_t n)
{
	const struct candidate *taken = &candidates[0];
	size_t i;

	for (i = 1; i < n; i++) {
		const struct candidate *other = &candidates[i];

		if (other->score - candidates[0].score >
		    ABOUT_EQUAL * candidate_chooser_rows(chooser))
			break;
		if (select_place_of(other) < select_place_of(taken))
			taken = other;
	}
	return taken;
}

typedef bool is_apart(const struct selecting *selecting, const struct candidate *candidate);

/* Stable partition: move candidates with @apart to the end; returns the number of the others. */
static size_t part(const struct selecting *selecting, struct candidate *candidates, size_t n,
		   is_apart *apart)
{
	struct candidate *others = mem_alloc((n + 1) * sizeof(*others));
	size_t n_others = 0;
	size_t kept = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (apart(selecting, &candidates[i]))
			others[n_others++] = candidates[i];
		else
			candidates[kept++] = candidates[i];
	}
	memcpy(&candidates[kept], others, n_others * sizeof(*others));
	free(others);
	return kept;
}

static bool is_of_system(const struct selecting *selecting, const struct candidate *single)
{
	return selecting->data->predictors[single->predictors[0]].of_system;
}

static bool select_follows(const struct selecting *selecting, const struct candidate *candidate)
{
	unsigned i;

	for (i = 0; i < candidate->basis.n_features; i++)
		if (selecting->data->predictors[candidate->predictors[i]].follows)
			return true;
	return false;
}

static bool is_returned(const struct selecting *selecting, const struct candidate *candidate)
{
	unsigned i;

	for (i = 0; i < candidate->basis.n_features; i++)
		if (selecting->data->predictors[candidate->predictors[i]].returned)
			return true;
	return false;
}

static bool are_kin(const struct selecting *selecting, const struct candidate *candidate)
{
	unsigned i, j;

	for (i = 1; i < candidate->basis.n_features; i++)
		for (j = 0; j < i; j++)
			if (correlation_screen_between(selecting->data, candidate->predictors[i],
						       candidate->predictors[j]) >= selecting->kin)
				return true;
	return false;
}

static size_t select_count_pinned(const struct selecting *selecting,
				  const struct candidate *candidate)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < selecting->n_pinned; i++)
		n += candidate_has(candidate, selecting->pinned[i]);
	return n;
}

/* Does it lack a pinned feature of the narrower one? */
static bool loses_pinned(const struct selecting *selecting, const struct candidate *candidate)
{
	size_t i;

	for (i = 0; i < selecting->n_pinned; i++)
		if (candidate_has(selecting->narrow, selecting->pinned[i]) &&
		    !candidate_has(candidate, selecting->pinned[i]))
			return true;
	return false;
}

/* Booleans are conditions, not factors. */
static void find_pinned(struct selecting *selecting)
{
	const struct dataset *data = selecting->data;
	size_t i;

	for (i = 0; i < data->n_predictors && selecting->n_pinned < PINNED_MAX; i++)
		if (data->predictors[i].column->type != FEATURE_BOOL &&
		    dataset_is_pinned(data, data->predictors[i].column))
			selecting->pinned[selecting->n_pinned++] = i;
}

static size_t add_pinned(const struct selecting *selecting, size_t *list, size_t length)
{
	size_t i;

	for (i = 0; i < selecting->n_pinned; i++)
		length = candidate_list_once(list, length, selecting->pinned[i]);
	return length;
}

static void evaluate_singles(struct selecting *selecting)
{
	size_t list[STRENGTH_LIST + PINNED_MAX];
	size_t length = correlation_screen_list(selecting->data, list);
	size_t i;

	length = add_pinned(selecting, list, length);
	for (i = 0; i < length; i++)
		selecting->n_singles +=
			candidate_evaluate(selecting->chooser, &list[i], 1, false,
					   &selecting->singles[selecting->n_singles]);
	qsort(selecting->singles, selecting->n_singles, sizeof(*selecting->singles),
	      compare_candidates);
}

struct pairs {
	size_t predictors[PAIRS_MAX][2];
	size_t n;
};

static void add_pair(struct pairs *pairs, size_t a, size_t b)
{
	size_t low = a < b ? a : b;
	size_t high = a < b ? b : a;
	size_t i;

	for (i = 0; i < pairs->n; i++)
		if (pairs->predictors[i][0] == low && pairs->predictors[i][1] == high)
			return;
	pairs->predictors[pairs->n][0] = low;
	pairs->predictors[pairs->n++][1] = high;
}

/*
 * What would replace @best must explain @needed more parts. What seems to explain half of one less
 * is of no use, unless it has a pinned feature.
 */
static void set_useless(struct selecting *selecting, const struct candidate *best, double needed)
{
	const double rows = candidate_chooser_rows(selecting->chooser);

	selecting->chooser->useless =
		selecting->n_pinned ? INFINITY : best->score - (needed - 0.5) * SECOND_PART * rows;
}

/*
 * Evaluate the best of @n pairs with all products, which lines alone may miss. Only what explains
 * more than @single is of use.
 */
static void refine_pairs(struct selecting *selecting, const struct candidate *single,
			 struct candidate *pairs, size_t n)
{
	struct candidate refined;
	size_t i;

	set_useless(selecting, single, 1);
	for (i = 0; i < n && i < PAIRS_REFINED; i++)
		if (candidate_evaluate(selecting->chooser, pairs[i].predictors, 2, true,
				       &refined) &&
		    refined.score < pairs[i].score)
			pairs[i] = refined;
	qsort(pairs, n, sizeof(*pairs), compare_candidates);
}

static size_t evaluate_pairs(struct selecting *selecting, const struct candidate *single,
			     struct candidate *ret)
{
	const struct candidate *singles = selecting->singles;
	struct pairs pairs = {.n = 0};
	size_t seconds[STRENGTH_SECONDS];
	size_t length = 0;
	size_t n = 0;
	size_t i, j;

	if (candidate_revisit(selecting->chooser, single))
		length = correlation_screen_seconds(selecting->chooser, single, seconds);
	for (i = 0; i < length; i++)
		add_pair(&pairs, single->predictors[0], seconds[i]);
	for (i = 0; i < selecting->n_pinned; i++)
		if (selecting->pinned[i] != single->predictors[0])
			add_pair(&pairs, single->predictors[0], selecting->pinned[i]);
	for (i = 0; i < selecting->n_singles && i < PAIRS_AMONG; i++)
		for (j = 0; j < i; j++)
			add_pair(&pairs, singles[i].predictors[0], singles[j].predictors[0]);
	for (i = 0; i < pairs.n; i++)
		n += candidate_evaluate(selecting->chooser, pairs.predictors[i], 2, false, &ret[n]);
	qsort(ret, n, sizeof(*ret), compare_candidates);
	refine_pairs(selecting, single, ret, n);
	return n;
}

static size_t evaluate_extensions(struct selecting *selecting, const struct candidate *base,
				  struct candidate *ret)
{
	size_t seconds[STRENGTH_SECONDS + PINNED_MAX];
	size_t length = 0;
	size_t n = 0;
	size_t i;

	if (candidate_revisit(selecting->chooser, base))
		length = correlation_screen_seconds(selecting->chooser, base, seconds);
	length = add_pinned(selecting, seconds, length);
	for (i = 0; i < length; i++)
		if (!candidate_has(base, seconds[i]))
			n += candidate_extend(selecting->chooser, base, &seconds[i], 1, &ret[n]);
	qsort(ret, n, sizeof(*ret), compare_candidates);
	return n;
}

/* The single to take: a system feature only if it explains far more than the program's. */
static const struct candidate *take_single(const struct selecting *selecting,
					   struct candidate *candidates, size_t n)
{
	const struct chooser *chooser = selecting->chooser;
	size_t n_program = part(selecting, candidates, n, is_of_system);
	const struct candidate *program =
		n_program ? select_easiest(chooser, candidates, n_program) : NULL;
	const struct candidate *system = n_program < n ? &candidates[n_program] : NULL;
	double needed = FOLLOWER_PART * candidate_chooser_rows(chooser);

	if (system && system->score + needed < (program ? fmin(program->score, 0) : 0))
		return system;
	return program;
}

/* The best of @n candidates if it explains @needed of what @best leaves, else @best. */
static const struct candidate *better(const struct chooser *chooser,
				      const struct candidate *candidates, size_t n, double needed,
				      const struct candidate *best)
{
	double choices = 2 * log(chooser->data->n_predictors);
	const struct candidate *taken = n ? select_easiest(chooser, candidates, n) : best;

	if (taken->score + choices + needed * candidate_chooser_rows(chooser) < best->score)
		return taken;
	return best;
}

/* The best of @n candidates with more pinned features, if better than @best; else NULL. */
static const struct candidate *take_pinned(const struct selecting *selecting,
					   const struct candidate *wider, size_t n,
					   const struct candidate *best)
{
	const size_t n_pinned = select_count_pinned(selecting, best);
	const struct candidate *taken = NULL;
	size_t i;

	for (i = 0; i < n; i++)
		if (select_count_pinned(selecting, &wider[i]) > n_pinned &&
		    wider[i].score < (taken ? taken->score : best->score))
			taken = &wider[i];
	return taken;
}

/* The best of @n wider candidates, each by what it must explain; or @best. */
static const struct candidate *take_free(struct selecting *selecting, struct candidate *wider,
					 size_t n, const struct candidate *best)
{
	const struct chooser *chooser = selecting->chooser;
	size_t n_plain = part(selecting, wider, n, select_follows);
	size_t n_early = part(selecting, wider, n_plain, is_returned);
	size_t n_own = part(selecting, wider, n_early, are_kin);
	size_t n_following = n_plain + part(selecting, wider + n_plain, n - n_plain, is_returned);

	best = better(chooser, wider, n_own, SECOND_PART, best);
	best = better(chooser, wider + n_own, n_early - n_own, SCORE_RETURNED, best);
	best = better(chooser, wider + n_early, n_plain - n_early, selecting->late, best);
	return better(chooser, wider + n_plain, n_following - n_plain, FOLLOWER_PART, best);
}

/* The same, pinned features first, none lost. */
static const struct candidate *take_wider(struct selecting *selecting, struct candidate *wider,
					  size_t n, const struct candidate *best)
{
	const struct candidate *pinned;

	selecting->narrow = best;
	n = part(selecting, wider, n, loses_pinned);
	pinned = take_pinned(selecting, wider, n, best);
	return pinned ? pinned : take_free(selecting, wider, n, best);
}

static bool is_worth_a_fit(const struct dataset *data, const struct candidate *candidate)
{
	return candidate->score + 2 * candidate->basis.n_features * log(data->n_predictors) < 0;
}

static bool has_rows_for(const struct dataset *data, unsigned features)
{
	return data->n_predictors >= features &&
	       data->n_choice >= (features > 2 ? ROWS_EACH * features : PAIR_ROWS_MIN);
}

/* The predictors of @also and of the best singles. */
static size_t list_best(const struct selecting *selecting, const struct candidate *also,
			size_t *ret)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < also->basis.n_features; i++)
		ret[n++] = also->predictors[i];
	for (i = 0; i < selecting->n_singles && n < TRIPLE_AMONG; i++)
		n = candidate_list_once(ret, n, selecting->singles[i].predictors[0]);
	return n;
}

/*
 * Replace @best by a better model of one feature and a product of two others, which steps by one
 * feature may miss.
 */
static void find_triple(struct selecting *selecting, const struct candidate *also,
			struct candidate *best)
{
	struct chooser *chooser = selecting->chooser;
	size_t list[TRIPLE_AMONG + BASIS_FEATURES];
	const size_t n = list_best(selecting, also, list);
	size_t i, j;

	for (i = 0; i < n && i < TRIPLE_FROM; i++) {
		size_t products[TRIPLE_PRODUCTS][2];
		struct candidate single, triple;
		size_t length;

		if (!candidate_evaluate(chooser, &list[i], 1, false, &single))
			continue;
		length = correlation_screen_products(chooser, &single, best->score, list, n,
						     TRIPLE_PRODUCTS, products);
		for (j = 0; j < length; j++)
			if (candidate_extend(chooser, &single, products[j], 2, &triple) &&
			    triple.score < best->score)
				*best = triple;
	}
}

/*
 * Put a triple with a product in place of the third of @n stages, or after them, if it pays.
 * Returns the new number of stages.
 */
static unsigned try_triple(struct selecting *selecting, struct candidate *stages, unsigned n)
{
	const double rows = candidate_chooser_rows(selecting->chooser);
	const unsigned place = n < 3 ? n : 2;
	struct candidate triple = stages[n - 1];
	double needed = n < 3 ? (3 - n) * SECOND_PART * rows : 0;

	if (!has_rows_for(selecting->data, 3))
		return n;
	set_useless(selecting, &triple, n < 3 ? 3 - n : 0);
	find_triple(selecting, &stages[n - 1], &triple);
	if (triple.basis.n_features < 3 || loses_pinned(selecting, &triple) ||
	    select_follows(selecting, &triple) || is_returned(selecting, &triple) ||
	    are_kin(selecting, &triple) ||
	    triple.score + needed + 2 * log(selecting->data->n_predictors) >= stages[n - 1].score)
		return n;
	stages[place] = triple;
	return place + 1;
}

/* Widen the last of @n stages up to @most features while each pays. Returns their new number. */
static unsigned widen_by_one(struct selecting *selecting, struct candidate *stages, unsigned n,
			     unsigned most)
{
	struct candidate *wider = mem_alloc(PAIRS_MAX * sizeof(*wider));

	selecting->chooser->useless = INFINITY;
	while (n < most && has_rows_for(selecting->data, n + 1)) {
		const struct candidate *last = &stages[n - 1];
		const struct candidate *best;
		size_t found = n == 1 ? evaluate_pairs(selecting, last, wider)
				      : evaluate_extensions(selecting, last, wider);

		best = take_wider(selecting, wider, found, last);
		if (best == last)
			break;
		stages[n++] = *best;
	}
	selecting->narrow = &stages[n - 1];
	free(wider);
	return n;
}

/* Widen @single while each feature pays. @ret lists the widest first. */
static void select_widen(struct selecting *selecting, const struct candidate *single,
			 struct selection *ret)
{
	struct candidate stages[BASIS_FEATURES];
	unsigned n;

	stages[0] = *single;
	n = widen_by_one(selecting, stages, 1, 3);
	n = try_triple(selecting, stages, n);
	if (n == 3)
		n = widen_by_one(selecting, stages, n, BASIS_FEATURES);
	ret->n = 0;
	while (n--)
		if (is_worth_a_fit(selecting->data, &stages[n]))
			ret->candidates[ret->n++] = stages[n];
}

/* Try return values where all else explains nothing, or far less. */
static void select_late(struct selecting *selecting, size_t n_early, const struct candidate *single,
			struct selection *ret)
{
	const struct chooser *chooser = selecting->chooser;
	const struct candidate *returned = select_easiest(chooser, selecting->singles + n_early,
							  selecting->n_singles - n_early);
	double needed = SCORE_RETURNED * candidate_chooser_rows(chooser);
	bool leads = !ret->n ||
		     returned->score * candidate_presence(selecting->data, &ret->candidates[0]) +
				     needed <
			     ret->candidates[0].score;

	selecting->late = leads ? SECOND_PART : SCORE_RETURNED;
	select_widen(selecting, leads ? returned : single, ret);
}

/* The best single with a pinned feature, if it explains anything. */
static bool find_pinned_single(const struct selecting *selecting, struct candidate *ret)
{
	size_t i;

	for (i = 0; i < selecting->n_singles; i++)
		if (select_count_pinned(selecting, &selecting->singles[i]) &&
		    is_worth_a_fit(selecting->data, &selecting->singles[i])) {
			*ret = selecting->singles[i];
			return true;
		}
	return false;
}

/* Program features first, then those of the system, return values last. */
static void select_free(struct selecting *selecting, size_t n_early, struct selection *ret)
{
	const struct candidate *single = NULL;

	if (n_early)
		single = take_single(selecting, selecting->singles, n_early);
	if (single)
		select_widen(selecting, single, ret);
	if (n_early < selecting->n_singles)
		select_late(selecting, n_early, single, ret);
}

static void list_strongest(const struct selecting *selecting, size_t n_early, struct selection *ret)
{
	size_t i;

	for (i = 0; i < n_early && ret->n_strongest < SELECTION_STRONGEST; i++)
		if (!select_follows(selecting, &selecting->singles[i]) &&
		    is_worth_a_fit(selecting->data, &selecting->singles[i]))
			ret->strongest[ret->n_strongest++] = selecting->singles[i].predictors[0];
}

void feature_selection_candidates(const struct dataset *data, double kin, struct selection *ret)
{
	struct selecting *selecting = mem_alloc(sizeof(*selecting));
	struct candidate single;
	size_t n_early;

	ret->n = ret->n_strongest = 0;
	selecting->data = data;
	selecting->chooser = candidate_chooser_create(data);
	selecting->kin = kin;
	selecting->late = INFINITY;
	find_pinned(selecting);
	if (data->n_predictors)
		evaluate_singles(selecting);
	n_early = part(selecting, selecting->singles, selecting->n_singles, is_returned);
	list_strongest(selecting, n_early, ret);
	if (find_pinned_single(selecting, &single))
		select_widen(selecting, &single, ret);
	else
		select_free(selecting, n_early, ret);
	candidate_chooser_destroy(selecting->chooser);
	free(selecting);
}
