/* The catalogue as JSON: functions, their probes and features. */
#include "json.h"

#include <errno.h>

#include "json_value.h"

static json_t *make_range(const struct address_range *range)
{
	json_t *object = json_object();

	json_object_set_new(object, "low", json_value_address(range->low_addr));
	json_object_set_new(object, "high", json_value_address(range->high_addr));
	return object;
}

static json_t *make_ranges(const struct function *function)
{
	json_t *array = json_array();

	for (size_t i = 0; i < function->n_ranges; i++)
		json_array_append_new(array, make_range(&function->ranges[i]));
	return array;
}

static json_t *make_gap(const struct jump_site *site)
{
	json_t *object = json_object();

	json_object_set_new(object, "address", json_value_address(site->gap_addr));
	json_object_set_new(object, "lender",
			    site->lender_size ? json_value_address(site->lender_addr)
					      : json_null());
	json_object_set_new(object, "lender_size", json_integer(site->lender_size));
	return object;
}

/* What a jump may replace; or why nothing. */
static json_t *make_site(const struct jump_site *site)
{
	json_t *object = json_object();

	json_object_set_new(object, "address",
			    site->size ? json_value_address(site->addr) : json_null());
	json_object_set_new(object, "size", json_integer(site->size));
	json_object_set_new(object, "gap", site->gap_addr ? make_gap(site) : json_null());
	json_object_set_new(object, "why", json_value_text(site->why));
	return object;
}

static json_t *make_exit(const struct exit_site *site)
{
	static const char *const kinds[] = {
		[EXIT_RETURN] = "return",
		[EXIT_TAIL_JUMP] = "tail-jump",
		[EXIT_INDIRECT_JUMP] = "indirect-jump",
		[EXIT_BLOCK] = "end",
	};
	json_t *object = json_object();

	json_object_set_new(object, "address", json_value_address(site->addr));
	json_object_set_new(object, "kind", json_value_text(kinds[site->kind]));
	json_object_set_new(object, "site", make_site(&site->site));
	return object;
}

static json_t *make_exits(const struct function *function)
{
	json_t *array = json_array();

	for (size_t i = 0; i < function->n_exits; i++)
		json_array_append_new(array, make_exit(&function->exits[i]));
	return array;
}

static json_t *make_place(const char *file, unsigned line)
{
	json_t *object = json_object();

	json_object_set_new(object, "file", json_value_text(file));
	json_object_set_new(object, "line", line ? json_integer(line) : json_null());
	return object;
}

static json_t *make_branch(const struct branch_site *branch)
{
	static const char *const kinds[] = {
		[BRANCH_CONDITIONAL] = "conditional",
		[BRANCH_LOOP] = "loop",
		[BRANCH_SWITCH] = "switch",
		[BRANCH_TURNS] = "turns",
	};
	json_t *object = make_place(branch->file, branch->line);

	json_object_set_new(object, "name", json_value_text(branch->name));
	json_object_set_new(object, "kind", json_value_text(kinds[branch->kind]));
	json_object_set_new(object, "address", json_value_address(branch->addr));
	json_object_set_new(object, "site", make_site(&branch->site));
	json_object_set_new(object, "target",
			    branch->kind == BRANCH_SWITCH
				    ? json_null()
				    : json_value_address(branch->target_addr));
	return object;
}

static json_t *make_branches(const struct function *function)
{
	json_t *array = json_array();

	for (size_t i = 0; i < function->n_branches; i++)
		json_array_append_new(array, make_branch(&function->branches[i]));
	return array;
}

static json_t *make_inlined(const struct function *function)
{
	json_t *array = json_array();

	for (size_t i = 0; i < function->n_inlined; i++)
		json_array_append_new(
			array, make_place(function->inlined[i].file, function->inlined[i].line));
	return array;
}

static json_t *make_labels(const struct feature *feature)
{
	json_t *array = json_array();

	for (size_t i = 0; i < feature->n_labels; i++) {
		json_t *object = json_object();

		json_object_set_new(object, "name", json_value_text(feature->labels[i].name));
		json_object_set_new(object, "value", json_value_number(feature->labels[i].number));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *catalogue_make_feature(const struct feature *feature)
{
	json_t *object = json_object();

	json_object_set_new(object, "expression", json_value_text(feature->expression));
	json_object_set_new(object, "type", json_value_text(feature_type_name(feature->type)));
	json_object_set_new(object, "provenance",
			    json_value_text(feature_provenance_name(feature->provenance)));
	json_object_set_new(object, "depth", json_integer(feature->depth));
	json_object_set_new(object, "explanation", json_value_text(feature->explanation));
	json_object_set_new(object, "readable", json_boolean(feature->absence == PRESENT));
	json_object_set_new(object, "absence",
			    feature->absence == PRESENT
				    ? json_null()
				    : json_value_text(value_absence_name(feature->absence)));
	if (feature->type == FEATURE_ENUM)
		json_object_set_new(object, "labels", make_labels(feature));
	return object;
}

static void set_features(json_t *object, const struct function *function)
{
	json_t *array = json_array();

	for (size_t i = 0; i < function->n_features; i++)
		json_array_append_new(array, catalogue_make_feature(&function->features[i]));
	json_object_set_new(object, "features", array);
	json_object_set_new(object, "features_cut", json_integer(function->features_cut));
	json_object_set_new(object, "features_deep", json_integer(function->features_deep));
	json_object_set_new(object, "locals", json_integer(function->n_locals));
}

static json_t *make_module(const struct catalogue *catalogue, const struct function *function)
{
	if (function->module >= catalogue->n_modules)
		return json_null();
	return json_value_text(catalogue->modules[function->module].path);
}

/* A function that cannot be measured may have no addresses. */
static json_t *make_address(const struct function *function, uint64_t address)
{
	return function->unmeasurable && !address ? json_null() : json_value_address(address);
}

static json_t *make_function(const struct catalogue *catalogue, const struct function *function)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_value_text(function->name));
	json_object_set_new(object, "linkage", json_value_text(function->linkage));
	json_object_set_new(object, "file", json_value_text(function->file));
	json_object_set_new(object, "line",
			    function->line ? json_integer(function->line) : json_null());
	json_object_set_new(object, "module", make_module(catalogue, function));
	json_object_set_new(object, "entry", make_address(function, function->entry_addr));
	json_object_set_new(object, "probe", make_address(function, function->probe_addr));
	json_object_set_new(object, "site", make_site(&function->site));
	json_object_set_new(object, "exits", make_exits(function));
	json_object_set_new(object, "ranges", make_ranges(function));
	json_object_set_new(object, "branches", make_branches(function));
	json_object_set_new(object, "switches_cut", json_integer(function->switches_cut));
	json_object_set_new(object, "inlined", make_inlined(function));
	json_object_set_new(object, "symbol_only", json_boolean(function->symbol_only));
	json_object_set_new(object, "unmeasurable", json_value_text(function->unmeasurable));
	return object;
}

static void set_code(json_t *object, const struct code_graph *graph,
		     const struct function *function)
{
	const size_t at = code_graph_of(graph, function);
	const struct code_node *node = &graph->nodes[at == CODE_NONE ? 0 : at];
	json_t *callees = json_array();

	if (at == CODE_NONE) {
		json_decref(callees);
		return;
	}
	for (size_t i = graph->first_callee[at]; i < graph->first_callee[at + 1]; i++)
		if (graph->callees[i].kind != CODE_REFERENCE)
			json_array_append_new(
				callees,
				json_value_text(graph->nodes[graph->callees[i].to].linkage));
	json_object_set_new(object, "level",
			    node->level == CODE_NO_LEVEL ? json_null() : json_integer(node->level));
	json_object_set_new(object, "loops", json_boolean(node->loops));
	json_object_set_new(object, "calls_unknown", json_boolean(node->calls_unknown));
	json_object_set_new(object, "code", json_value_address(node->hash));
	json_object_set_new(object, "callees", callees);
}

/* One function at a time: JSON values take many times their text's memory. */
static bool write_functions(const struct catalogue *catalogue, bool features,
			    const struct code_graph *graph, FILE *out)
{
	bool ok = fputs("{\n  \"fathom\": 1,\n  \"functions\": [", out) >= 0;

	for (size_t i = 0; ok && i < catalogue->n_functions; i++) {
		json_t *object = make_function(catalogue, &catalogue->functions[i]);

		if (features)
			set_features(object, &catalogue->functions[i]);
		if (graph)
			set_code(object, graph, &catalogue->functions[i]);
		fputs(i ? ",\n    " : "\n    ", out);
		ok = json_value_write_within(object, 4, out);
	}
	return ok && fputs(catalogue->n_functions ? "\n  ]" : "]", out) >= 0;
}

bool json_catalogue(const struct catalogue *catalogue, bool features,
		    const struct code_graph *graph, FILE *out, struct err *err)
{
	bool ok;

	errno = 0;
	ok = write_functions(catalogue, features, graph, out) &&
	     fputs(",\n  \"notes\": ", out) >= 0 &&
	     json_value_write_within(json_value_texts(catalogue->notes, catalogue->n_notes), 2,
				     out) &&
	     fputs("\n}\n", out) >= 0 && !fflush(out);
	return ok || err_set_errno(err, ERR_IO, errno ? errno : EIO, "cannot write JSON");
}
