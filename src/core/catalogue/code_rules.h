/*
 * Rules that choose functions by what the machine code says of them (--select).
 */
#pragma once

#include "code_change.h"

enum code_rule_kind {
	RULE_ALL,
	RULE_USERSPACE, /* no helpers of compiler and linker */
	RULE_HOT,       /* by samples, while it runs */
	RULE_CHANGED,   /* =OLD: those that changed since, and their callers */
	RULE_REACHABLE,
	RULE_TRIM,  /* =LEVELS, or a percentage: those above */
	RULE_PRUNE, /* =CHAIN, likewise: without callees from which fewer steps than this lead on */
	RULE_CONSTANT, /* without what costs the same each time */
	RULE_LEARN,    /* =PROFILE: without what an earlier run said enough of */
};

struct code_rule {
	enum code_rule_kind kind;
	double number;    /* of trim and prune; below 1: a part of the graph's depth */
	const char *file; /* of changed and learn; NULL: it has none */
};

enum { CODE_RULES_MAX = 32 };

struct code_rules {
	struct code_rule list[CODE_RULES_MAX];
	size_t n;
};

/*
 * Rules with commas between, among them basic, advanced and full, which stand for several; files'
 * names live in @arena. ERR_USAGE.
 */
bool code_rules_parse(const char *text, struct arena *arena, struct code_rules *ret,
		      struct err *err);

/* The first of @kind, or NULL. */
const struct code_rule *code_rules_find(const struct code_rules *rules, enum code_rule_kind kind);

/* A function that is not to be measured. */
struct left_out {
	uint64_t addr; /* link-time, of its entry */
	const char *reason;
};

/*
 * Set @reasons, [functions], of those that rules of the code leave out and that have none yet;
 * texts live in @arena. What @changes (NULL: none are known) says is changed, or new, keeps none,
 * nor do its callers if RULE_CHANGED is the only rule that leaves out: then all others get one.
 */
void code_rules_apply(const struct code_rules *rules, const struct code_graph *graph,
		      const struct code_changes *changes, struct arena *arena,
		      const char **reasons);
