/* What is known in the middle of functions: names, rows of call frame information, values. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/call_sites.h"
#include "dwarf_fixture.h"

enum { RAX = 0, RBX = 3 };

static struct call_sites *open_sites(const char *path)
{
	const struct catalogue_request request = {
		.max_depth = 2, .max_features = 16, .globals = GLOBALS_NONE};
	struct call_sites *sites;
	struct err err;

	if (!call_sites_open(path, &request, &sites, &err))
		fail_msg("%s", err.text);
	return sites;
}

/*
 * Every function of a program is found by every address of its code, and has a way to its caller.
 */
static void functions_are_found_by_their_addresses(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", NULL);
	struct call_sites *sites = open_sites(fixture(state, "c-O2"));
	size_t n = 0;

	for (size_t i = 0; i < catalogue->n_functions; i++) {
		const struct function *function = &catalogue->functions[i];
		const struct call_site *site;
		const struct call_place *outer;

		if (!function->n_ranges || function->symbol_only)
			continue;
		site = call_sites_find(sites, function->entry_addr);
		outer = &site->places[site->n_places - 1];
		assert_false(outer->is_inlined);
		assert_string_equal(outer->function, function->name);
		assert_null(site->row.why_not);
		assert_true(call_sites_known(sites, function->entry_addr) == site);
		n++;
	}
	assert_true(n > 3);
	call_sites_close(sites);
	catalogue_destroy(catalogue);
}

/* At the entry nothing was saved: rbx is the caller's, and rax nobody's. */
static void functions_keep_rbx_and_not_rax(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "main");
	struct call_sites *sites = open_sites(fixture(state, "c-O2"));
	const struct unwind_row *row = call_sites_row(sites, only_function(catalogue)->entry_addr);

	assert_null(row->why_not);
	assert_true(row->same >> RBX & 1);
	assert_false(row->same >> RAX & 1);
	assert_int_equal(row->rules[UNWIND_PC].n_steps, 2);
	assert_false(row->is_outermost);
	call_sites_close(sites);
	catalogue_destroy(catalogue);
}

static void where_there_is_no_code_there_is_no_way(void **state)
{
	struct call_sites *sites = open_sites(fixture(state, "c-O2"));
	const struct call_site *site = call_sites_find(sites, 0x7fffffff);

	assert_non_null(site->row.why_not);
	assert_int_equal(site->n_places, 1);
	assert_null(site->places[0].function);
	assert_null(call_sites_known(sites, 0x7ffffffe));
	call_sites_close(sites);
}

static bool has(const struct call_place *place, const char *expression)
{
	for (size_t i = 0; i < place->n_features; i++)
		if (!strcmp(place->features[i].expression, expression))
			return place->features[i].absence == PRESENT;
	return false;
}

/* The sites at the probe address of @function, with @required features beyond tight limits. */
static struct call_sites *sites_with_required(void **state, const char *function,
					      const struct required_feature *required, size_t n,
					      const struct call_place **ret)
{
	const struct catalogue_request request = {.max_depth = 1,
						  .max_features = 2,
						  .globals = GLOBALS_NONE,
						  .required = required,
						  .n_required = n};
	struct catalogue *catalogue = must_build(state, "c-O0", function);
	const uint64_t addr = only_function(catalogue)->probe_addr;
	struct call_sites *sites;
	struct err err;

	if (!call_sites_open(fixture(state, "c-O0"), &request, &sites, &err))
		fail_msg("%s", err.text);
	*ret = &call_sites_find(sites, addr)->places[0];
	catalogue_destroy(catalogue);
	return sites;
}

static void required_features_are_found_beyond_the_limits_and_nothing_else(void **state)
{
	static const struct required_feature required[] = {
		{"by_value", "shape.next->next->inner.weight"},
		{"by_value", "strlen(shape.inner.label)"},
		{"by_value", "sink"},
		{"by_value", "no_such_thing"},
		{"address_taken", "m"},
	};
	const struct call_place *place;
	struct call_sites *sites = sites_with_required(state, "by_value", required, 5, &place);
	size_t n = 0;

	assert_string_equal(place->function, "by_value");
	assert_string_equal(place->linkage, "by_value");
	assert_non_null(strstr(place->declared_file, "shapes.c"));
	assert_true(place->declared_line > 0);
	assert_true(has(place, "shape.next->next->inner.weight"));
	assert_true(has(place, "strlen(shape.inner.label)"));
	assert_true(has(place, "sink"));
	for (size_t i = 0; i < place->n_features; i++)
		n += place->features[i].absence == PRESENT;
	assert_int_equal(n, 2 + 3);
	call_sites_close(sites);
}

static void required_features_of_other_functions_change_nothing(void **state)
{
	static const struct required_feature required[] = {{"by_value", "sink"}};
	const struct call_place *with, *without;
	struct call_sites *a = sites_with_required(state, "address_taken", required, 1, &with);
	struct call_sites *b = sites_with_required(state, "address_taken", NULL, 0, &without);

	assert_int_equal(with->n_features, without->n_features);
	assert_int_equal(with->features_cut, without->features_cut);
	assert_false(has(with, "sink"));
	call_sites_close(a);
	call_sites_close(b);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_by_their_addresses),
		cmocka_unit_test(functions_keep_rbx_and_not_rax),
		cmocka_unit_test(where_there_is_no_code_there_is_no_way),
		cmocka_unit_test(required_features_are_found_beyond_the_limits_and_nothing_else),
		cmocka_unit_test(required_features_of_other_functions_change_nothing),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
