/*
 * The parsed options of all commands. Which command takes which is in options_table.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "core/catalogue/code_graph.h"
#include "core/metric.h"
#include "core/run.h"
#include "core/smooth.h"
#include "core/verdict/method.h"
#include "dwarf/catalogue_build.h"
#include "usage.h"

enum document {
	DOCUMENT_NONE,
	DOCUMENT_MAN,
	DOCUMENT_BASH,
	DOCUMENT_ZSH,
};

enum list_sort { LIST_BY_NAME, LIST_BY_SIZE, LIST_BY_SHARE };
enum color { COLOR_NEVER, COLOR_AUTO, COLOR_ALWAYS };

/* An executable of --old or --new. */
struct build {
	char *path;
	bool is_new;
};

struct options {
	const char **functions; /* patterns of -f */
	size_t n_functions;
	const char *select; /* --select: rules; NULL: none */
	const char *output; /* -o: the profile */
	const char *where;  /* condition that calls fulfil; NULL: of all */
	const char *report; /* -r: where results go; NULL: standard output */
	unsigned max_depth;
	size_t max_features;
	enum globals globals;
	const struct required_feature *required; /* of --feature: of every function */
	size_t n_required;
	bool raw;                           /* containers' members are features */
	bool strings;                       /* short strings are categories */
	const char *containers_file;        /* NULL: none */
	struct container_table *containers; /* NULL: raw, or not of this command */
	double min_r2;
	double correlation;              /* |r| from which features count as one */
	const char **pinned, **excluded; /* features of models; in the arena */
	size_t n_pinned, n_excluded;
	uint64_t metrics;    /* bits 1 << enum metric; 0: all */
	const char **places; /* ".at(parse.c:88)", where they were asked for; owned */
	size_t n_places, places_capacity;
	size_t samples;             /* at most, per function and period; 0: all */
	const char *sample_by;      /* expression whose values choose the calls; NULL: none */
	double sample_share;        /* of all its values */
	unsigned period_ms;         /* 0: one for the whole run */
	double max_overhead;        /* fraction of the program's time; 0: no limit */
	enum session_probes probes; /* asked for */
	bool mappings;              /* --count-mappings */
	double alpha, tolerance;    /* of check and diff, as is the next */
	double run_spread;
	const char **budgets, **gates; /* of check; in the arena */
	size_t n_budgets, n_gates;
	const char *baseline; /* of check: a folder */
	unsigned runs;
	struct build *builds; /* of compare, in the arena, with room for builds_capacity */
	size_t n_builds, builds_capacity;
	bool many_builds;         /* the profile may have samples of other builds */
	unsigned layouts;         /* bits 1 << enum layout_part: what differs from run to run */
	struct run_layout layout; /* of the run that is being made */
	enum method method;       /* of compare and diff */
	enum code_sameness same_code;
	double precision;           /* of compare */
	double until_precise;       /* of run and attach; 0: not asked for */
	const char *debuginfo_path; /* as in struct catalogue_request */
	double seconds;             /* --for; 0: no limit */
	bool follow_fork;
	struct causal_options {
		const char **progress, **scopes; /* in the arena */
		size_t n_progress, n_scopes;
		const char *latency, *arrival, *load, *at_load, *fixed, *attach; /* or NULL */
		bool lines, callers, hosts, end_to_end;
	} causal;
	struct watch_options {
		const char *name, *on_change, *state, *metrics_file; /* or NULL */
		double every;                                        /* seconds */
	} watch;
	bool watched; /* attach, for watch: patterns may match nothing, nobody may call */
	const char *plots, *html; /* folder, file; NULL: not requested */
	const char *timeline;     /* of export: file; NULL: not requested */
	bool otlp;                /* of export */
	const char *pictures;     /* of --markdown; NULL: beside it */
	const char *match;        /* of merge; NULL: by messages */
	const char *with, *serve; /* of run: server, and its functions; NULL: none */
	const char *annotations;  /* of stack and attach: file; NULL: none */
	bool hot;   /* functions are also chosen while the program runs: -f @hot, or no -f */
	bool adapt; /* and again and again */
	bool keeps; /* `output` is the default profile, begun anew */
	const char *unkept; /* why that cannot be; NULL: it can, or need not */
	bool features, branches, loops, sites, levels, dot, skeleton, changed, no_models, csv,
		spreadsheet, junit, github, markdown, json, quiet, verbose, explore, stuck, strict,
		fail_inconclusive;
	bool compose; /* of annotate: costs in terms of callees' */
	enum list_sort list_sort;
	enum smooth_kind curve;
	const char *over; /* of pictures: a feature, or the order of calls; NULL: the main one */
	enum document document; /* of document */
	enum color color;       /* of output for people */
	char **arguments;       /* remaining words, NULL-terminated */
	int n_arguments;
	char **program; /* command line behind `--`, NULL-terminated; or NULL */
	/* Private. */
	char **argument_list;
	size_t functions_capacity;
	struct required_feature *required_list;
	size_t required_capacity;
	struct arena *arena; /* of the patterns */
};

/*
 * Parse @argv, whose first word is the command. Prints and exits for --help and --version, and with
 * status 2 for a wrong option. The caller frees with options_deinit().
 */
void options_parse(const struct command_usage *usage, int argc, char **argv, struct options *ret);
void options_deinit(struct options *options);
