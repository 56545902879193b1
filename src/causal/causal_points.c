/* Finds points in the debug information. trace/causal counts them. */
#include "causal_points.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "core/plan/plan_runner.h"
#include "dwarf/catalogue_build.h"
#include "dwarf/line_addresses.h"

enum { POINTS_MAX = 32 };

struct finding {
	const struct causal_points_request *request;
	struct arena *arena;
	struct causal_points *points;
	const char *functions[2 * POINTS_MAX]; /* whose returns or beginnings are counted */
	uint64_t entries[2 * POINTS_MAX];
	size_t n_functions;
};

/* FILE:LINE */
static bool point_read_line(struct arena *arena, const char *text, const char **ret_file,
			    unsigned *ret_line)
{
	const char *colon = strrchr(text, ':');
	char *end;
	unsigned long line;

	if (!colon || colon == text || colon[1] < '1' || colon[1] > '9')
		return false;
	line = strtoul(colon + 1, &end, 10);
	if (*end || line > INT32_MAX)
		return false;
	*ret_file = arena_printf(arena, "%.*s", (int)(colon - text), text);
	*ret_line = (unsigned)line;
	return true;
}

static bool add_addresses(struct finding *finding, const char *text, const uint64_t *addrs,
			  size_t n, struct causal_point *ret, struct err *err)
{
	struct causal_points *points = finding->points;
	size_t first = 0;

	/* An address is watched once, whatever it is a point of. */
	while (first + n <= points->n_addrs &&
	       memcmp(points->addrs + first, addrs, n * sizeof(*addrs)) != 0)
		first++;
	if (first + n > points->n_addrs)
		first = points->n_addrs;
	if (first + n > CAUSAL_ADDRESSES_MAX)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s is at %zu places of the code, and a processor watches %d in "
			       "all: choose a function, or another line",
			       text, n, CAUSAL_ADDRESSES_MAX);
	*ret = (struct causal_point){.kind = CAUSAL_PASSES, .first = first, .places = n};
	memcpy(points->addrs + first, addrs, n * sizeof(*addrs));
	points->n_addrs = first + n > points->n_addrs ? first + n : points->n_addrs;
	return true;
}

enum counted_by { BY_RETURNS, BY_ADDRESS, BY_PAD };

/* The one function called @name: where it begins. *@ret 0: none, see @err. */
static bool point_function(const struct finding *finding, const char *name, enum counted_by by,
			   uint64_t *ret, struct err *err)
{
	const struct catalogue_request request = {.patterns = &name,
						  .n_patterns = 1,
						  .without_sites = by != BY_PAD,
						  .debuginfo_path =
							  finding->request->debuginfo_path};
	const struct function *function;
	struct catalogue *catalogue;
	bool ok = true;

	*ret = 0;
	if (!catalogue_build(finding->request->path, &request, &catalogue, err))
		return false;
	function = &catalogue->functions[0];
	if (catalogue->n_functions != 1)
		ok = err_set(err, ERR_USAGE, "%s names %zu functions: name one", name,
			     catalogue->n_functions);
	else if (by != BY_ADDRESS && function->unmeasurable)
		ok = err_set(err, ERR_UNSUPPORTED, "returns of %s cannot be counted: %s",
			     function->name, function->unmeasurable);
	else if (by == BY_PAD && !function->site.size)
		ok = err_set(err, ERR_UNSUPPORTED, "%s has no pad: %s", function->name,
			     function->site.why);
	else if (by == BY_ADDRESS && function->module)
		ok = err_set(err, ERR_UNSUPPORTED,
			     "%s is in a library: calls are seen to begin in the program only",
			     function->name);
	*ret = ok ? function->entry_addr : 0;
	catalogue_destroy(catalogue);
	return ok;
}

/* Does the plan find the same from everywhere in the process? */
static bool plan_is_everywhere(const struct read_plan *plan)
{
	for (unsigned i = 0; i < plan->n_steps; i++)
		if (plan->steps[i].op == PLAN_REG || plan->steps[i].op == PLAN_CLASS ||
		    plan->steps[i].op == PLAN_CAST)
			return false;
	return plan->n_steps > 0;
}

static bool copy_plan(struct finding *finding, const struct catalogue *catalogue,
		      struct read_plan *ret)
{
	for (size_t i = 0; i < catalogue->n_functions; i++)
		for (size_t j = 0; j < catalogue->functions[i].n_features; j++) {
			const struct feature *feature = &catalogue->functions[i].features[j];

			if (feature->provenance != FROM_GLOBAL ||
			    !plan_is_everywhere(&feature->plan))
				continue;
			*ret = feature->plan;
			ret->steps = arena_copy(finding->arena, ret->steps,
						ret->n_steps * sizeof(*ret->steps));
			return true;
		}
	return false;
}

/* Read as if in main(), from where all globals are seen. */
static bool find_variable(struct finding *finding, const char *text, struct causal_point *ret,
			  struct err *err)
{
	static const char *const patterns[] = {"main"};
	const struct required_feature required = {.expression = text};
	const struct catalogue_request request = {.patterns = patterns,
						  .n_patterns = 1,
						  .features = true,
						  .required = &required,
						  .n_required = 1,
						  .without_sites = true,
						  .debuginfo_path =
							  finding->request->debuginfo_path};
	struct causal_points *points = finding->points;
	struct catalogue *catalogue;
	bool found;

	if (!catalogue_build(finding->request->path, &request, &catalogue, err))
		return false;
	found = copy_plan(finding, catalogue, &points->counters[points->n_counters]);
	catalogue_destroy(catalogue);
	*ret = (struct causal_point){.kind = CAUSAL_COUNTER,
				     .counter = (unsigned)points->n_counters};
	points->n_counters += found;
	return found ||
	       err_set(err, ERR_NOT_FOUND, "%s is no number that all of the program shares", text);
}

/* Its number until all are in one catalogue. */
static unsigned add_function(struct finding *finding, const char *text, uint64_t entry)
{
	size_t i;

	for (i = 0; i < finding->n_functions && finding->entries[i] != entry; i++)
		continue;
	finding->functions[i] = text;
	finding->entries[i] = entry;
	finding->n_functions += i == finding->n_functions;
	return (unsigned)i;
}

static bool find_returns(struct finding *finding, const char *text, struct causal_point *ret,
			 struct err *err)
{
	uint64_t entry;

	if (!point_function(finding, text, BY_RETURNS, &entry, err))
		return false;
	*ret = (struct causal_point){.kind = CAUSAL_RETURNS,
				     .function = add_function(finding, text, entry)};
	return true;
}

/* By pads, which need no debug registers; false: it has none. */
static bool find_begins(struct finding *finding, const char *text, struct causal_point *ret)
{
	struct causal_points *points = finding->points;
	struct err ignored;
	uint64_t entry;
	unsigned function;
	size_t i;

	if (!finding->request->pads || !point_function(finding, text, BY_PAD, &entry, &ignored))
		return false;
	function = add_function(finding, text, entry);
	for (i = 0; i < points->n_begins && points->begins[i] != function; i++)
		continue;
	if (i == CAUSAL_FUNCTIONS_MAX)
		return false;
	points->begins[i] = function;
	points->n_begins += i == points->n_begins;
	*ret = (struct causal_point){
		.kind = CAUSAL_PASSES, .first = CAUSAL_ADDRESSES_MAX + i, .places = 1};
	return true;
}

static bool find_passes(struct finding *finding, const char *text, const char *file, unsigned line,
			struct causal_point *ret, struct err *err)
{
	const struct causal_points_request *request = finding->request;
	const uint64_t *addrs;
	uint64_t entry;
	size_t n = 1;

	if (!file && find_begins(finding, text, ret))
		return true;
	if (!file && !point_function(finding, text, BY_ADDRESS, &entry, err))
		return false;
	addrs = &entry;
	return (!file || line_addresses_find(request->path, request->debuginfo_path, file, line,
					     finding->arena, &addrs, &n, err)) &&
	       add_addresses(finding, text, addrs, n, ret, err);
}

/*
 * @begins: work does, so that it counts when a function is entered, not when it returns; and where
 * it arrives it matters in which thread.
 */
static bool point_find(struct finding *finding, const char *text, bool begins,
		       struct causal_point *ret, struct err *err)
{
	const char *file = NULL;
	struct err other;
	unsigned line = 0;

	if (point_read_line(finding->arena, text, &file, &line))
		return find_passes(finding, text, file, line, ret, err);
	if (begins ? find_passes(finding, text, NULL, 0, ret, err)
		   : find_returns(finding, text, ret, err))
		return true;
	if (err->code != ERR_NOT_FOUND || find_variable(finding, text, ret, &other))
		return err->code == ERR_NOT_FOUND;
	return err_set(err, ERR_NOT_FOUND, "%s; nor is it FILE:LINE, or a variable of the program",
		       arena_strdup(finding->arena, err->text));
}

static bool add_aim(struct finding *finding, const char *begin, const char *end, bool begins,
		    struct err *err)
{
	struct causal_points *points = finding->points;
	struct causal_aim *aim = &points->aims[points->n];

	aim->latency = end != NULL;
	if (points->n == POINTS_MAX)
		return err_set(err, ERR_USAGE, "at most %d progress points", POINTS_MAX);
	if (!point_find(finding, begin, begins, &aim->begin, err) ||
	    (end && !point_find(finding, end, false, &aim->end, err)))
		return false;
	points->names[points->n++] = (struct causal_progress){
		.name = end ? arena_printf(finding->arena, "%s to %s", begin, end) : begin,
		.latency = end != NULL};
	return true;
}

static bool add_latency(struct finding *finding, struct err *err)
{
	const char *text = finding->request->latency;
	const char *comma = text ? strchr(text, ',') : NULL;

	if (!text)
		return true;
	if (!comma || comma == text || !comma[1])
		return err_set(err, ERR_USAGE,
			       "--latency has two points with a comma between: BEGIN,END");
	return add_aim(finding, arena_printf(finding->arena, "%.*s", (int)(comma - text), text),
		       comma + 1, true, err);
}

static int point_function_index(const struct catalogue *catalogue, uint64_t entry_addr)
{
	for (size_t i = 0; i < catalogue->n_functions; i++)
		if (catalogue->functions[i].entry_addr == entry_addr)
			return (int)i;
	return -1;
}

/* All functions in one catalogue, and their indices there. */
static bool build_catalogue(struct finding *finding, struct err *err)
{
	struct causal_points *points = finding->points;
	const struct catalogue_request request = {.patterns = finding->functions,
						  .n_patterns = finding->n_functions,
						  .nothing = finding->n_functions == 0,
						  .debuginfo_path =
							  finding->request->debuginfo_path};

	if (!catalogue_build(finding->request->path, &request, &points->catalogue, err))
		return false;
	for (size_t i = 0; i < points->n_begins; i++)
		points->begins[i] = (unsigned)point_function_index(
			points->catalogue, finding->entries[points->begins[i]]);
	for (size_t i = 0; i < points->n; i++) {
		struct causal_aim *aim = &points->aims[i];

		if (aim->begin.kind == CAUSAL_RETURNS)
			aim->begin.function = (unsigned)point_function_index(
				points->catalogue, finding->entries[aim->begin.function]);
		if (aim->latency && aim->end.kind == CAUSAL_RETURNS)
			aim->end.function = (unsigned)point_function_index(
				points->catalogue, finding->entries[aim->end.function]);
	}
	return true;
}

bool causal_points_find(const struct causal_points_request *request, struct arena *arena,
			struct causal_points *ret, struct err *err)
{
	struct finding finding = {.request = request, .arena = arena, .points = ret};

	*ret = (struct causal_points){.arrival = -1, .runner = plan_runner_create()};
	ret->names = arena_array(arena, struct causal_progress, POINTS_MAX + 1);
	ret->aims = arena_array(arena, struct causal_aim, POINTS_MAX + 1);
	ret->counters = arena_array(arena, struct read_plan, 2 * POINTS_MAX);
	for (size_t i = 0; i < request->n_progress; i++)
		if (!add_aim(&finding, request->progress[i], NULL, false, err))
			return false;
	if (!add_latency(&finding, err))
		return false;
	if (request->arrival) {
		ret->arrival = (int)ret->n;
		if (!add_aim(&finding, request->arrival, NULL, true, err))
			return false;
		if (ret->aims[ret->arrival].begin.kind != CAUSAL_PASSES)
			return err_set(err, ERR_USAGE,
				       "of the variable %s it is not known which thread changes "
				       "it: work arrives at a function or FILE:LINE",
				       request->arrival);
	}
	return build_catalogue(&finding, err);
}

void causal_points_deinit(struct causal_points *points)
{
	catalogue_destroy(points->catalogue);
	plan_runner_destroy(points->runner);
}

static void read_memory(void *self, struct memory_read *reads, size_t n)
{
	const pid_t pid = *(const pid_t *)self;

	for (size_t i = 0; i < n; i++) {
		const struct iovec local = {reads[i].to, reads[i].size};
		const struct iovec remote = {(void *)reads[i].address, reads[i].size};

		reads[i].ok =
			process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)reads[i].size;
	}
}

bool causal_points_read(const struct causal_points *points, unsigned counter, pid_t pid,
			uint64_t load_bias, double *ret)
{
	const struct read_plan *plan = &points->counters[counter];
	const struct plan_context context = {
		.load_bias = load_bias, .memory = {read_memory, &pid}, .unknown = UINT64_MAX};
	struct value value;

	plan_runner_run(points->runner, &plan, 1, &context, &value);
	*ret = value.number;
	return value.absence == PRESENT;
}
