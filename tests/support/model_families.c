/*
 * The families of laws, and what is promised of models of them; drawing laws is model_laws.c's
 * matter.
 */
#include "model_laws.h"

#define ONE(A)                                     \
	{                                          \
		1,                                 \
		{                                  \
			{                          \
				{                  \
					GROWTH_##A \
				}                  \
			}                          \
		}                                  \
	}
#define PRODUCT(A, B)                                          \
	{                                                      \
		1,                                             \
		{                                              \
			{                                      \
				{                              \
					GROWTH_##A, GROWTH_##B \
				}                              \
			}                                      \
		}                                              \
	}
#define LEVEL     \
	{         \
		0 \
	}

#define WHOLE(NAME, PART, LEAST, ...)                                                            \
	{                                                                                        \
		.name = NAME, .n_parts = 1, .parts = {__VA_ARGS__}, .part = PART, .least = LEAST \
	}
#define EVEN(NAME, PART, ...)                                                                    \
	{                                                                                        \
		.name = NAME, .n_parts = 1, .parts = {__VA_ARGS__}, .part = PART, .evenly = true \
	}
#define NOISY(NAME, NOISE, PART, ...)                                                            \
	{                                                                                        \
		.name = NAME, .n_parts = 1, .parts = {__VA_ARGS__}, .noise = NOISE, .part = PART \
	}
#define ADDED(NAME, ...)                                                                   \
	{                                                                                  \
		.name = NAME, .n_parts = 1, .parts = {__VA_ARGS__}, .noise = LAW_ADDITIVE, \
		.evenly = true, .part = 0.05                                               \
	}
#define ANY(NAME, PART, ...)                                                                  \
	{                                                                                     \
		.name = NAME, .n_parts = 1, .parts = {__VA_ARGS__}, .part = PART, .any = true \
	}
#define TWO(NAME, CHOICE, JOIN, LEAST, ...)                                           \
	{                                                                             \
		.name = NAME, .n_parts = 2, .parts = {__VA_ARGS__}, .choice = CHOICE, \
		.join = JOIN, .part = 0.05, .least = LEAST                            \
	}

#define CHANCE(NAME, SHARE, FROM, TO, ...)                                                   \
	{                                                                                    \
		.name = NAME, .n_parts = 2, .parts = {__VA_ARGS__}, .choice = LAW_BY_CHANCE, \
		.part = 0.05, .share = SHARE, .steps = {                                     \
			FROM,                                                                \
			TO                                                                   \
		}                                                                            \
	}
#define NULLS(NAME, SHARE, ...)                                                            \
	{                                                                                  \
		.name = NAME, .n_parts = 2, .parts = {__VA_ARGS__}, .choice = LAW_BY_NULL, \
		.part = 0.05, .share = SHARE, .least = 90                                  \
	}
#define BURIED(NAME, PART, ...)                                                          \
	{                                                                                \
		.name = NAME, .n_parts = 1, .parts = {__VA_ARGS__}, .noise = LAW_BURIED, \
		.evenly = true, .part = PART                                             \
	}

const struct law_family law_families[] = {
	WHOLE("constant 5%", 0.05, 95, LEVEL),
	WHOLE("log n 5%", 0.05, 95, ONE(LOG)),
	WHOLE("sqrt n 5%", 0.05, 95, ONE(SQRT)),
	WHOLE("n 5%", 0.05, 95, ONE(LINEAR)),
	WHOLE("n log n 5%", 0.05, 95, ONE(NLOGN)),
	WHOLE("n^2 5%", 0.05, 95, ONE(QUADRATIC)),
	WHOLE("n^3 5%", 0.05, 95, ONE(CUBIC)),
	WHOLE("constant 20%", 0.2, 85, LEVEL),
	WHOLE("log n 20%", 0.2, 85, ONE(LOG)),
	WHOLE("sqrt n 20%", 0.2, 85, ONE(SQRT)),
	WHOLE("n 20%", 0.2, 85, ONE(LINEAR)),
	WHOLE("n log n 20%", 0.2, 85, ONE(NLOGN)),
	WHOLE("n^2 20%", 0.2, 85, ONE(QUADRATIC)),
	WHOLE("n^3 20%", 0.2, 85, ONE(CUBIC)),
	EVEN("log n 5% even", 0.05, ONE(LOG)),
	EVEN("sqrt n 5% even", 0.05, ONE(SQRT)),
	EVEN("n 5% even", 0.05, ONE(LINEAR)),
	EVEN("n log n 5% even", 0.05, ONE(NLOGN)),
	EVEN("n^2 5% even", 0.05, ONE(QUADRATIC)),
	EVEN("n^3 5% even", 0.05, ONE(CUBIC)),
	ANY("any log n 5%", 0.05, ONE(LOG)),
	ANY("any sqrt n 5%", 0.05, ONE(SQRT)),
	ANY("any n 5%", 0.05, ONE(LINEAR)),
	ANY("any n log n 5%", 0.05, ONE(NLOGN)),
	ANY("any n^2 5%", 0.05, ONE(QUADRATIC)),
	ANY("any n^3 5%", 0.05, ONE(CUBIC)),
	ANY("any log n 20%", 0.2, ONE(LOG)),
	ANY("any sqrt n 20%", 0.2, ONE(SQRT)),
	ANY("any n 20%", 0.2, ONE(LINEAR)),
	ANY("any n log n 20%", 0.2, ONE(NLOGN)),
	ANY("any n^2 20%", 0.2, ONE(QUADRATIC)),
	ANY("any n^3 20%", 0.2, ONE(CUBIC)),
	WHOLE("a*b", 0.05, 90, PRODUCT(LINEAR, LINEAR)),
	WHOLE("a*b^2", 0.05, 90, PRODUCT(LINEAR, QUADRATIC)),
	WHOLE("a*log b", 0.05, 90, PRODUCT(LINEAR, LOG)),
	WHOLE("a*sqrt b", 0.05, 90, PRODUCT(LINEAR, SQRT)),
	WHOLE("a*b + a", 0.05, 90, {2, {{{GROWTH_LINEAR, GROWTH_LINEAR}}, {{GROWTH_LINEAR}}}}),
	WHOLE("a*b 20%", 0.2, 0, PRODUCT(LINEAR, LINEAR)),
	WHOLE("a*b*c", 0.05, 90, {1, {{{GROWTH_LINEAR, GROWTH_LINEAR, GROWTH_LINEAR}}}}),
	WHOLE("a*b*c 20%", 0.2, 90, {1, {{{GROWTH_LINEAR, GROWTH_LINEAR, GROWTH_LINEAR}}}}),
	WHOLE("a*b*log c", 0.05, 90, {1, {{{GROWTH_LINEAR, GROWTH_LINEAR, GROWTH_LOG}}}}),
	WHOLE("a*b*c + a*b", 0.05, 0,
	      {2,
	       {{{GROWTH_LINEAR, GROWTH_LINEAR, GROWTH_LINEAR}},
		{{GROWTH_LINEAR, GROWTH_LINEAR}}}}),
	WHOLE("a + b", 0.05, 0, {2, {{{GROWTH_LINEAR}}, {{0, GROWTH_LINEAR}}}}),
	WHOLE("a + b log b", 0.05, 0, {2, {{{GROWTH_LINEAR}}, {{0, GROWTH_NLOGN}}}}),
	WHOLE("a + b + c", 0.05, 0,
	      {3, {{{GROWTH_LINEAR}}, {{0, GROWTH_LINEAR}}, {{0, 0, GROWTH_LINEAR}}}}),
	WHOLE("a*b + c", 0.05, 0, {2, {{{GROWTH_LINEAR, GROWTH_LINEAR}}, {{0, 0, GROWTH_LINEAR}}}}),
	TWO("enum: n | n", LAW_BY_ENUM, LAW_FREE, 90, ONE(LINEAR), ONE(LINEAR)),
	TWO("enum: n | n^2", LAW_BY_ENUM, LAW_FREE, 90, ONE(LINEAR), ONE(QUADRATIC)),
	TWO("enum: n | constant", LAW_BY_ENUM, LAW_FREE, 90, ONE(LINEAR), LEVEL),
	TWO("enum: constants", LAW_BY_ENUM, LAW_FREE, 90, LEVEL, LEVEL),
	TWO("enum: a | b", LAW_BY_ENUM, LAW_FREE, 90, ONE(LINEAR), {1, {{{0, GROWTH_LINEAR}}}}),
	{.name = "enum: 4 slopes",
	 .n_parts = 4,
	 .parts = {ONE(LINEAR), ONE(LINEAR), ONE(LINEAR), ONE(LINEAR)},
	 .choice = LAW_BY_ENUM,
	 .part = 0.05},
	{.name = "few: n | n 20%",
	 .n_parts = 2,
	 .parts = {ONE(LINEAR), ONE(LINEAR)},
	 .choice = LAW_BY_FEW,
	 .part = 0.2,
	 .least = 90},
	TWO("few: n | n", LAW_BY_FEW, LAW_FREE, 90, ONE(LINEAR), ONE(LINEAR)),
	TWO("bool: n | n", LAW_BY_BOOL, LAW_FREE, 90, ONE(LINEAR), ONE(LINEAR)),
	TWO("bool: n log n | constant", LAW_BY_BOOL, LAW_FREE, 90, ONE(NLOGN), LEVEL),
	TWO("class: n | n", LAW_BY_CLASS, LAW_FREE, 90, ONE(LINEAR), ONE(LINEAR)),
	TWO("class: n | n^2", LAW_BY_CLASS, LAW_FREE, 90, ONE(LINEAR), ONE(QUADRATIC)),
	TWO("size: n jumps", LAW_BY_SIZE, LAW_JUMP, 90, ONE(LINEAR), ONE(LINEAR)),
	TWO("size: n | n steeper", LAW_BY_SIZE, LAW_KINK, 90, ONE(LINEAR), ONE(LINEAR)),
	TWO("size: constant | n", LAW_BY_SIZE, LAW_KINK, 90, LEVEL, ONE(LINEAR)),
	TWO("size: constants", LAW_BY_SIZE, LAW_FREE, 90, LEVEL, LEVEL),
	TWO("limit: n | n", LAW_BY_LIMIT, LAW_FREE, 90, ONE(LINEAR), ONE(LINEAR)),
	TWO("limit: a | b", LAW_BY_LIMIT, LAW_FREE, 90, ONE(LINEAR), {1, {{{0, GROWTH_LINEAR}}}}),
	TWO("limit: constants", LAW_BY_LIMIT, LAW_FREE, 90, LEVEL, LEVEL),
	TWO("null: n | constant", LAW_BY_NULL, LAW_FREE, 90, ONE(LINEAR), LEVEL),
	TWO("null: a | b", LAW_BY_NULL, LAW_FREE, 90, ONE(LINEAR), {1, {{{0, GROWTH_LINEAR}}}}),
	NULLS("null: n | quarter constant", 0.25, ONE(LINEAR), LEVEL),
	NULLS("null: n log n | quarter b", 0.25, ONE(NLOGN), {1, {{{0, GROWTH_LINEAR}}}}),
	NULLS("null: n | most constant", 0.75, ONE(LINEAR), LEVEL),
	NULLS("null: n | most b", 0.75, ONE(LINEAR), {1, {{{0, GROWTH_LINEAR}}}}),
	TWO("mixture: constants", LAW_BY_CHANCE, LAW_FREE, 0, LEVEL, LEVEL),
	TWO("mixture: n | n", LAW_BY_CHANCE, LAW_FREE, 0, ONE(LINEAR), ONE(LINEAR)),
	CHANCE("mixture: half n | n", 0.5, 3, 10, ONE(LINEAR), ONE(LINEAR)),
	CHANCE("mixture: fifth n | n", 0.2, 3, 10, ONE(LINEAR), ONE(LINEAR)),
	CHANCE("mixture: half constant | n", 0.5, 3, 10, LEVEL, ONE(LINEAR)),
	CHANCE("mixture: fifth constant | n", 0.2, 3, 10, LEVEL, ONE(LINEAR)),
	CHANCE("mixture: n | fifth constant", 0.2, 3, 10, ONE(LINEAR), LEVEL),
	CHANCE("mixture: n | n^2", 0.5, 3, 10, ONE(LINEAR), ONE(QUADRATIC)),
	CHANCE("mixture: n log n | n log n", 0.5, 3, 10, ONE(NLOGN), ONE(NLOGN)),
	{.name = "mixture: n | n | n",
	 .n_parts = 3,
	 .parts = {ONE(LINEAR), ONE(LINEAR), ONE(LINEAR)},
	 .choice = LAW_BY_CHANCE,
	 .part = 0.05,
	 .share = 0.3,
	 .steps = {3, 10}},
	{.name = "mixture: constants, scattered",
	 .n_parts = 3,
	 .parts = {LEVEL, LEVEL, LEVEL},
	 .choice = LAW_BY_CHANCE,
	 .noise = LAW_SCATTERED,
	 .part = 0.003,
	 .share = 0.3,
	 .steps = {1.2, 2}},
	BURIED("n, buried in half", 0.5, ONE(LINEAR)),
	BURIED("n, buried", 1, ONE(LINEAR)),
	BURIED("n log n, buried", 1, ONE(NLOGN)),
	BURIED("n^2, buried", 1, ONE(QUADRATIC)),
	ADDED("constant, additive noise", LEVEL),
	ADDED("n, additive noise", ONE(LINEAR)),
	ADDED("n log n, additive noise", ONE(NLOGN)),
	ADDED("n^2, additive noise", ONE(QUADRATIC)),
	NOISY("constant, positive noise", LAW_POSITIVE, 0.15, LEVEL),
	NOISY("n, positive noise", LAW_POSITIVE, 0.15, ONE(LINEAR)),
	NOISY("n log n, positive noise", LAW_POSITIVE, 0.15, ONE(NLOGN)),
	NOISY("constant, preempted", LAW_PREEMPTED, 0.05, LEVEL),
	NOISY("n, preempted", LAW_PREEMPTED, 0.05, ONE(LINEAR)),
	NOISY("n log n, preempted", LAW_PREEMPTED, 0.05, ONE(NLOGN)),
	NOISY("n^2, preempted", LAW_PREEMPTED, 0.05, ONE(QUADRATIC)),
	NOISY("n, far calls", LAW_FAR, 0.05, ONE(LINEAR)),
	NOISY("n log n, far calls", LAW_FAR, 0.05, ONE(NLOGN)),
	NOISY("n, many far", LAW_FAR_MANY, 0.05, ONE(LINEAR)),
	NOISY("n log n, many far", LAW_FAR_MANY, 0.05, ONE(NLOGN)),
};
const size_t n_law_families = sizeof(law_families) / sizeof(*law_families);

const struct law_family *law_family_find(const char *name)
{
	size_t i;

	for (i = 0; i < n_law_families; i++)
		if (strcmp(law_families[i].name, name) == 0)
			return &law_families[i];
	return NULL;
}
