/* Building catalogues of files that may hold anything, and checking that they are in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "dwarf/catalogue_build.h"
#include "dwarf/graph/code_graph_build.h"
#include "fuzz.h"

enum { DEPTH = 3, FEATURES = 512 };

/* What users may write of the seeds' functions, and of any. */
static const struct required_feature written[] = {
	{NULL, "((struct node *)node)->next->inner.bits + depth"},
	{NULL, "node->table[depth & 3] / (depth - 1)"},
	{NULL, "((Square *)&one)->count"},
	{NULL, "*(int *)node + counter % 3"},
	{NULL, "((enum colour)old.colour == BLUE) << old.more"},
	{NULL, "strlen(node->name)"},
	{NULL, "((Shape *)this)->id"},
	{NULL, "return - 1"},
};

static void function_check(const struct catalogue *catalogue, const struct function *function)
{
	const struct read_plan **plans = mem_alloc((function->n_features + 1) * sizeof(*plans));
	size_t n = 0;
	struct err err;

	FUZZ_EXPECT(function->name && function->linkage);
	FUZZ_EXPECT(function->module < catalogue->n_modules);
	FUZZ_EXPECT(function->n_features <= FEATURES + 512 + sizeof(written) / sizeof(*written));
	if (!function->unmeasurable) {
		FUZZ_EXPECT(read_plan_verify(&function->cfa, &err));
		plans[n++] = &function->cfa;
	}
	for (size_t i = 0; i < function->n_features; i++) {
		const struct feature *feature = &function->features[i];

		FUZZ_EXPECT(feature->expression && feature->explanation);
		if (feature->plan.n_steps == 0)
			continue;
		FUZZ_EXPECT(feature->absence == PRESENT);
		FUZZ_EXPECT(read_plan_verify(&feature->plan, &err));
		plans[n++] = &feature->plan;
	}
	fuzz_run_plans(plans, n);
	free(plans);
}

static void catalogue_check(const struct catalogue *catalogue)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	catalogue_print(catalogue, true, out);
	fclose(out);
	free(text);
	for (size_t i = 0; i < catalogue->n_functions; i++)
		function_check(catalogue, &catalogue->functions[i]);
	for (size_t i = 0; i < catalogue->n_cost_functions; i++) {
		const struct cost_function *cost = &catalogue->cost_functions[i];

		FUZZ_EXPECT(cost->module < catalogue->n_modules && cost->name[0]);
		FUZZ_EXPECT(cost_call_kind(cost->name) == cost->kind);
		for (size_t j = 0; j < cost->n_exits; j++)
			FUZZ_EXPECT(cost->exits[j] >= cost->entry_addr);
	}
}

/* Of any file: a graph that is in order, or a line that says why not. */
static void graph_check(const char *path)
{
	struct code_graph *graph = NULL;
	struct err err = {0};

	if (!code_graph_build(path, NULL, CODE_COLOUR, &graph, &err)) {
		FUZZ_EXPECT(!graph && err.code != ERR_NONE && strstr(err.text, path));
		return;
	}
	for (size_t i = 0; i < graph->n_edges; i++)
		FUZZ_EXPECT(graph->callees[i].from < graph->n && graph->callees[i].to < graph->n);
	for (size_t i = 0; i < graph->n_functions; i++)
		FUZZ_EXPECT(graph->nodes[i].kind == CODE_FUNCTION && graph->nodes[i].name &&
			    code_graph_at(graph, graph->nodes[i].addr) == i);
	code_graph_destroy(graph);
}

void fuzz_catalogue(const char *path, const char *pattern, unsigned parts)
{
	bool found = false;
	const struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = pattern ? 1 : 0,
		.ambiguous = true,
		.features = true,
		.max_depth = parts & FUZZ_DEEP ? DEPTH : 1,
		.max_features = FEATURES,
		.globals = GLOBALS_ALL,
		.inlined = true,
		.metrics = ~0u,
		.mappings = true,
		.preload = parts & FUZZ_LIBRARIES ? "libm.so.6 :/nowhere/none.so" : NULL,
		.required = written,
		.n_required = parts & FUZZ_WRITTEN ? sizeof(written) / sizeof(*written) : 0,
		.found = &found,
	};
	struct catalogue *catalogue = NULL;
	struct err err = {0};

	if (parts & FUZZ_GRAPH)
		graph_check(path);
	if (catalogue_build(path, &request, &catalogue, &err)) {
		catalogue_check(catalogue);
		catalogue_destroy(catalogue);
		return;
	}
	FUZZ_EXPECT(!catalogue && err.code != ERR_NONE && err.text[0]);
	FUZZ_EXPECT(!strchr(err.text, '\n'));
	FUZZ_EXPECT(err.code == ERR_NOT_FOUND || strstr(err.text, path) ||
		    (pattern && strstr(err.text, pattern)));
}

/* One file in memory has input after input: making and removing one takes longer than to fill it. */
void fuzz_catalogue_bytes(const uint8_t *bytes, size_t n, const char *pattern)
{
	static int fd = -1;
	static char path[32];

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	FUZZ_EXPECT(fd >= 0 && ftruncate(fd, (off_t)n) == 0 &&
		    pwrite(fd, bytes, n, 0) == (ssize_t)n);
	fuzz_catalogue(path, pattern, fuzz_parts(bytes, n));
}
