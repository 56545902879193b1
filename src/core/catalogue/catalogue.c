/* Catalogues as data: lookups and the text form. Building them is left to dwarf/. */
#include "catalogue.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "site_text.h"

void catalogue_destroy(struct catalogue *catalogue)
{
	if (catalogue)
		arena_destroy(catalogue->arena); /* the catalogue itself lives there too */
}

struct catalogue *catalogue_copy(const struct catalogue *catalogue)
{
	struct arena *arena = arena_create();
	struct catalogue *copy = arena_copy(arena, catalogue, sizeof(*catalogue));

	copy->arena = arena;
	copy->functions = arena_copy(arena, catalogue->functions,
				     catalogue->n_functions * sizeof(*catalogue->functions));
	return copy;
}

struct feature *catalogue_own_features(struct catalogue *copy, size_t index)
{
	struct function *function = (struct function *)&copy->functions[index];
	struct feature *features = arena_copy(copy->arena, function->features,
					      function->n_features * sizeof(*features));

	function->features = features;
	return features;
}

struct branch_site *catalogue_own_branches(struct catalogue *copy, size_t index)
{
	struct function *function = (struct function *)&copy->functions[index];
	struct branch_site *branches = arena_copy(copy->arena, function->branches,
						  function->n_branches * sizeof(*branches));

	function->branches = branches;
	return branches;
}

bool catalogue_contains(const struct function *function, uint64_t addr)
{
	for (size_t i = 0; i < function->n_ranges; i++) {
		if (addr >= function->ranges[i].low_addr && addr < function->ranges[i].high_addr)
			return true;
	}
	return false;
}

size_t catalogue_find_same(const struct catalogue *catalogue, const struct catalogue *other,
			   size_t index)
{
	const struct function *function = &other->functions[index];
	const char *path = other->modules[function->module].path;
	size_t i;

	for (i = 0; i < catalogue->n_functions; i++) {
		const struct function *one = &catalogue->functions[i];

		if (one->entry_addr == function->entry_addr &&
		    !one->unmeasurable == !function->unmeasurable &&
		    !strcmp(one->name, function->name) &&
		    !strcmp(catalogue->modules[one->module].path, path))
			break;
	}
	return i;
}

enum { LISTED_MAX = 8 };

/* How many of the @n entries of a list to show. */
static size_t listed(size_t n, unsigned details)
{
	return n > LISTED_MAX && !(details & CATALOGUE_WHOLE) ? LISTED_MAX : n;
}

static void rest_print(size_t n, size_t shown, FILE *out)
{
	if (shown < n)
		fprintf(out, ", and %zu more", n - shown);
}

static void place_print(const char *file, unsigned line, FILE *out)
{
	text_print_safe(out, file ? file : "?");
	fprintf(out, ":%u", line);
}

static void labels_print(const struct feature *feature, unsigned details, FILE *out)
{
	const size_t n = listed(feature->n_labels, details);

	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "; ", out);
		text_print_safe(out, feature->labels[i].name);
		fprintf(out, " = %.0f", feature->labels[i].number);
	}
	rest_print(feature->n_labels, n, out);
}

static void feature_print(const struct feature *feature, unsigned details, FILE *out)
{
	fprintf(out, "    %-5s ", feature_type_name(feature->type));
	text_print_safe(out, feature->expression);
	fputs("  ", out);
	if (feature->absence != PRESENT)
		fprintf(out, "[%s] ", value_absence_name(feature->absence));
	if (feature->provenance == FROM_GLOBAL)
		fputs("global, ", out);
	text_print_safe(out, feature->explanation);
	labels_print(feature, details, out);
	fputc('\n', out);
}

static void count_print(size_t n, const char *one, FILE *out)
{
	fprintf(out, "  %zu %s%s", n, one, n == 1 ? "" : strcmp(one, "branch") ? "s" : "es");
}

static size_t count_readable(const struct function *function)
{
	size_t n = 0;

	for (size_t i = 0; i < function->n_features; i++)
		n += function->features[i].absence == PRESENT;
	return n;
}

static size_t loops_count(const struct function *function)
{
	size_t n = 0;

	for (size_t i = 0; i < function->n_branches; i++)
		n += function->branches[i].kind == BRANCH_TURNS;
	return n;
}

/* Count features only if they were looked for, branches and loops if they will be shown. */
static void measurable_print(const struct function *function, unsigned details, FILE *out)
{
	fprintf(out, "0x%" PRIx64, function->probe_addr);
	count_print(function->n_exits, "exit", out);
	if (details & CATALOGUE_BRANCHES)
		count_print(function->n_branches - loops_count(function), "branch", out);
	if (details & CATALOGUE_LOOPS)
		count_print(loops_count(function), "loop", out);
	if (details & CATALOGUE_FEATURES)
		count_print(count_readable(function), "feature", out);
}

static void function_line(const struct catalogue *catalogue, const struct function *function,
			  unsigned details, FILE *out)
{
	text_print_safe(out, function->name);
	fputs("  ", out);
	place_print(function->file, function->line, out);
	fputs("  ", out);
	if (function->unmeasurable) {
		fputs(function->is_left_out ? "left out: " : "not measurable: ", out);
		text_print_safe(out, function->unmeasurable);
	} else {
		measurable_print(function, details, out);
	}
	if (function->module) {
		fputs("  in ", out);
		text_print_safe(out, catalogue->modules[function->module].path);
	}
	fputc('\n', out);
}

static void loops_print(const struct function *function, FILE *out)
{
	for (size_t i = 0; i < function->n_branches; i++) {
		const struct branch_site *loop = &function->branches[i];

		if (loop->kind == BRANCH_TURNS)
			fprintf(out, "    %s  turns begin at 0x%" PRIx64 "%s\n", loop->name,
				loop->addr, loop->in_loop ? ", in another loop" : "");
	}
}

static void branches_print(const struct function *function, FILE *out)
{
	for (size_t i = 0; i < function->n_branches; i++) {
		const struct branch_site *branch = &function->branches[i];

		if (branch->kind == BRANCH_TURNS)
			continue;
		if (branch->kind == BRANCH_SWITCH)
			fprintf(out, "    switch 0x%" PRIx64 " by table  ", branch->addr);
		else
			fprintf(out, "    branch 0x%" PRIx64 " to 0x%" PRIx64 "  ", branch->addr,
				branch->target_addr);
		place_print(branch->file, branch->line, out);
		fputc('\n', out);
	}
	if (function->switches_cut)
		fprintf(out,
			"    %zu switch%s left out: which case is chosen cannot be told for "
			"certain\n",
			function->switches_cut, function->switches_cut == 1 ? " is" : "es are");
}

static void inlined_print(const struct function *function, unsigned details, FILE *out)
{
	const size_t n = listed(function->n_inlined, details);

	/* A function that only exists inlined already named its one place. */
	if (!function->n_inlined || (function->unmeasurable && function->n_inlined == 1))
		return;
	fputs(function->unmeasurable ? "    inlined at: "
				     : "    also inlined, which is not measured, at: ",
	      out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", out);
		place_print(function->inlined[i].file, function->inlined[i].line, out);
	}
	rest_print(function->n_inlined, n, out);
	fputc('\n', out);
}

/* The first of the @n features that are left out, for the number's or the depth's sake. */
static void left_out_names(const struct function *function, bool by_number, size_t n,
			   unsigned details, FILE *out)
{
	const size_t most = listed(n, details);
	size_t shown = 0;

	for (size_t i = 0; i < function->n_features && shown < most; i++)
		if (value_is_left_out(function->features[i].absence) &&
		    function->features[i].absence != ABSENT_INCOMPLETE &&
		    (function->features[i].absence == ABSENT_CUT) == by_number) {
			fputs(shown++ ? ", " : ": ", out);
			text_print_safe(out, function->features[i].expression);
		}
	if (shown)
		rest_print(n, shown, out);
	fputc('\n', out);
}

static bool has_lost_parameter(const struct function *function)
{
	for (size_t i = 0; i < function->n_features; i++)
		if (function->features[i].provenance == FROM_PARAMETER &&
		    !function->features[i].depth &&
		    function->features[i].absence == ABSENT_OPTIMIZED_OUT)
			return true;
	return false;
}

/* Print what is not among the features, and why. */
static void left_out_print(const struct function *function, unsigned details, FILE *out)
{
	if (function->features_cut) {
		fprintf(out, "    %zu more feature%s left out (see --max-features)",
			function->features_cut, function->features_cut == 1 ? " is" : "s are");
		left_out_names(function, true, function->features_cut, details, out);
	}
	if (function->features_deep) {
		fprintf(out, "    %zu place%s too deep to be looked into (see --max-depth)",
			function->features_deep, function->features_deep == 1 ? " lies" : "s lie");
		left_out_names(function, false, function->features_deep, details, out);
	}
	if (function->n_locals)
		fprintf(out,
			"    %zu local variable%s no feature%s: no value yet when a call begins\n",
			function->n_locals, function->n_locals == 1 ? " is" : "s are",
			function->n_locals == 1 ? "" : "s");
	/* Which one is not certain: compilers change what a function of their own is passed. */
	if (has_lost_parameter(function))
		fputs("    what is optimised out may still be passed in a register: --feature "
		      "'$rdi' reads one\n",
		      out);
}

static void function_print(const struct catalogue *catalogue, const struct function *function,
			   unsigned details, FILE *out)
{
	function_line(catalogue, function, details, out);
	if (function->symbol_only)
		fputs("    known from the symbol table alone: built without -g\n", out);
	inlined_print(function, details, out);
	if (details & CATALOGUE_SITES && !function->unmeasurable)
		site_text_print(function, details & CATALOGUE_BRANCHES, out);
	if (details & CATALOGUE_LOOPS)
		loops_print(function, out);
	if (details & CATALOGUE_BRANCHES)
		branches_print(function, out);
	if (!(details & CATALOGUE_FEATURES))
		return;
	for (size_t i = 0; i < function->n_features; i++)
		if (!value_is_left_out(function->features[i].absence))
			feature_print(&function->features[i], details, out);
	left_out_print(function, details, out);
}

static bool is_below(const char *path, const char *const *folders)
{
	for (; *folders; folders++)
		if (!strncmp(path, *folders, strlen(*folders)))
			return true;
	return false;
}

bool catalogue_is_own(const char *module, const char *file)
{
	static const char *const libraries[] = {"/lib", "/usr/lib", "[", NULL};
	static const char *const headers[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/",
					      NULL};

	return (!module || !is_below(module, libraries)) && (!file || !is_below(file, headers));
}

void catalogue_print_function(const struct catalogue *catalogue, size_t index, unsigned details,
			      FILE *out)
{
	function_print(catalogue, &catalogue->functions[index], details, out);
}

void catalogue_print(const struct catalogue *catalogue, unsigned details, FILE *out)
{
	for (size_t i = 0; i < catalogue->n_functions; i++)
		function_print(catalogue, &catalogue->functions[i], details, out);
}
