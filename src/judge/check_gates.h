/* The gates and budgets of a check. */
#pragma once

#include "cli/options.h"
#include "core/annotation/annotation_parse.h"
#include "core/samples/samples.h"
#include "core/verdict/gate.h"

struct check_gates {
	struct arena *arena;
	/* n_asked of --budget and --gate cost=…; then those of the annotations */
	struct budget *budgets;
	size_t n_budgets, n_asked;
	bool growth;       /* --gate growth */
	bool decide;       /* there is a --gate: nothing else decides */
	struct gate *list; /* results */
	size_t n, capacity;
};

/* ERR_USAGE: a budget or gate is wrong. */
bool check_gates_open(struct check_gates *gates, const struct options *options,
		      const struct annotation_list *annotations, struct err *err);

/* Is there one that is about a model of the new samples? */
bool check_gates_need(const struct check_gates *gates);

struct check_gates_now {
	const struct annotation *now; /* made of: */
	const struct samples *samples;
};

/* Judge samples of @annotation, one of @all, by a model of them. */
void check_gates_add(struct check_gates *gates, const struct options *options,
		     const struct annotation *annotation, const struct annotation_list *all,
		     const struct check_gates_now *of);

/* What no samples were of is not checked. */
void check_gates_end(struct check_gates *gates);

/* ERR_NOT_FOUND: a gate or budget of the command line, a misspelt one, say, judged nothing. */
bool check_gates_all_judged(const struct check_gates *gates, struct err *err);

/* How many have the verdict. */
size_t check_gates_count(const struct check_gates *gates, enum check_verdict verdict);

void check_gates_close(struct check_gates *gates);
