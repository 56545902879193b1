/*
 * Classes at run time, and definitions of types. The fixture prints which class its objects have
 * and where their bases are; the catalogue must say the same.
 */
#include "dwarf_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/class/classes.h"
#include "dwarf/type/type_definitions.h"
#include "dwarf/search/die_walk.h"

static const char *const builds[] = {"classes-O0", "classes-O2", "classes-units", "classes-clang",
				     "classes-split-units"};

enum { N_BUILDS = sizeof(builds) / sizeof(*builds) };

static struct elf_file *open_image(void **state, const char *name)
{
	struct elf_file *image;
	struct err err;

	if (!elf_file_open(fixture(state, name), &image, &err))
		fail_msg("%s", err.text);
	return image;
}

struct wanted {
	const char *scope, *name;
	bool declared;
	bool found;
	Dwarf_Die die;
};

static void look_at_type(void *self, Dwarf_Die *die, const char *scope, bool local)
{
	struct wanted *wanted = self;
	const char *name = dwarf_diename(die);

	(void)local;
	if (wanted->found || !name || strcmp(name, wanted->name) != 0 ||
	    strcmp(scope, wanted->scope) != 0 ||
	    dwarf_hasattr(die, DW_AT_declaration) != wanted->declared)
		return;
	wanted->found = true;
	wanted->die = *die;
}

static bool find_type(const struct elf_file *image, struct wanted *wanted)
{
	const struct walk_visitor visitor = {.type = look_at_type, .self = wanted};

	die_walk_units(image, NULL, &visitor);
	return wanted->found;
}

static Dwarf_Die type_die(const struct elf_file *image, const char *scope, const char *name)
{
	struct wanted wanted = {.scope = scope, .name = name};

	if (!find_type(image, &wanted))
		fail_msg("%s is not there", name);
	return wanted.die;
}

/* Everything about the fixture's classes, derived from Creature. */
struct zoo {
	struct elf_file *image;
	struct arena *arena;
	struct classes *classes;
	struct catalogue catalogue;
	const struct derived_class *derived;
	size_t n_derived;
	struct type_names *names;
};

static struct zoo open_zoo(void **state, const char *name)
{
	struct zoo zoo = {.image = open_image(state, name), .arena = arena_create()};
	Dwarf_Die creature = type_die(zoo.image, "", "Creature");

	zoo.catalogue.arena = zoo.arena;
	zoo.names = type_names_create();
	zoo.classes = classes_create(zoo.image, zoo.names, 0, 0, zoo.arena);
	assert_true(classes_is_dynamic(zoo.classes, &creature));
	zoo.n_derived = classes_derived(zoo.classes, &creature, &zoo.derived);
	classes_publish(zoo.classes, &zoo.catalogue);
	return zoo;
}

static void close_zoo(struct zoo *zoo)
{
	classes_destroy(zoo->classes);
	type_names_destroy(zoo->names);
	elf_file_close(zoo->image);
	arena_destroy(zoo->arena);
}

static const struct vtable *vtable_at(const struct catalogue *catalogue, uint64_t addr)
{
	for (size_t i = 0; i < catalogue->n_vtables; i++)
		if (addr >= catalogue->vtables[i].low_addr &&
		    addr < catalogue->vtables[i].high_addr)
			return &catalogue->vtables[i];
	return NULL;
}

static const struct class_cast_entry *entry_of(const struct catalogue *catalogue,
					       const char *target, unsigned class_type)
{
	const struct class_cast_entry *found = NULL;

	for (size_t i = 0; i < catalogue->n_casts; i++) {
		const struct class_cast *cast = &catalogue->casts[i];

		for (size_t k = 0; k < cast->n_entries && !strcmp(cast->target, target); k++)
			if (cast->entries[k].class_type == class_type)
				found = &cast->entries[k];
	}
	return found;
}

static void check_object(const struct zoo *zoo, const char *line, bool fixed)
{
	const struct class_cast_entry *entry;
	const struct vtable *vtable;
	uint64_t addr;
	long offset;
	int n;

	assert_int_equal(sscanf(line, "%" SCNx64 " %ld %n", &addr, &offset, &n), 2);
	vtable = vtable_at(&zoo->catalogue, addr);
	if (!vtable)
		fail_msg("no vtable at %s", line);
	assert_string_equal(zoo->catalogue.classes[vtable->class_type].name, line + n);
	entry = entry_of(&zoo->catalogue, "Animal", vtable->class_type);
	if (!fixed) {
		assert_null(entry);
		return;
	}
	if (!entry)
		fail_msg("no entry of %s", line);
	assert_int_equal(entry->offset, offset);
}

/* Compare with what the fixture says; returns how many objects it told of. */
static int check_objects(void **state, const char *name, const struct zoo *zoo)
{
	FILE *output = popen(fixture(state, name), "r");
	bool fixed = true;
	char line[256];
	int n = 0;

	while (fgets(line, sizeof(line), output)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, "-"))
			fixed = false;
		else
			check_object(zoo, line, fixed && !strstr(line, "::Hidden"));
		n++;
	}
	assert_int_equal(pclose(output), 0);
	return n;
}

static void vtables_say_the_class_and_where_its_bases_are(void **state)
{
	for (size_t i = 0; i < N_BUILDS; i++) {
		struct zoo zoo;

		if (!has_fixture(state, builds[i]))
			continue;
		zoo = open_zoo(state, builds[i]);
		assert_int_equal(check_objects(state, builds[i], &zoo), 13);
		close_zoo(&zoo);
	}
}

static int place_of(const struct zoo *zoo, const char *name)
{
	for (size_t i = 0; i < zoo->n_derived; i++)
		if (!strcmp(zoo->derived[i].name, name))
			return (int)i;
	fail_msg("%s is not among the derived", name);
	return -1;
}

static void derived_classes_of_all_units_are_found_nearest_first(void **state)
{
	for (size_t i = 0; i < N_BUILDS; i++) {
		struct zoo zoo;

		if (!has_fixture(state, builds[i]))
			continue;
		zoo = open_zoo(state, builds[i]);
		assert_int_equal(place_of(&zoo, "Animal"), 0);
		assert_true(place_of(&zoo, "(anonymous namespace)::Lone") < place_of(&zoo, "Left"));
		assert_true(place_of(&zoo, "Left") < place_of(&zoo, "Right"));
		assert_true(place_of(&zoo, "Shared") < place_of(&zoo, "zoo::Dog"));
		assert_true(place_of(&zoo, "zoo::Dog") < place_of(&zoo, "zoo::Puppy"));
		place_of(&zoo, "Both");
		place_of(&zoo, "zoo::Pet");
		close_zoo(&zoo);
	}
}

static void members_of_bases_and_of_derived_classes_are_covered(void **state)
{
	struct zoo zoo = open_zoo(state, "classes-O0");
	Dwarf_Die animal = type_die(zoo.image, "", "Animal");
	Dwarf_Die creature = type_die(zoo.image, "", "Creature");
	Dwarf_Die puppy = type_die(zoo.image, "zoo", "Puppy");
	Dwarf_Die named = type_die(zoo.image, "", "Named");

	assert_true(classes_covers(zoo.classes, &animal, &animal));
	assert_true(classes_covers(zoo.classes, &animal, &creature));
	assert_true(classes_covers(zoo.classes, &animal, &puppy));
	assert_false(classes_covers(zoo.classes, &animal, &named));
	assert_false(classes_covers(zoo.classes, &puppy, &named));
	close_zoo(&zoo);
}

static void only_classes_with_virtual_functions_or_bases_are_dynamic(void **state)
{
	static const char *const dynamic[] = {"Animal", "Shared", "Both", "Named"};
	struct zoo zoo = open_zoo(state, "classes-O0");
	Dwarf_Die plain = type_die(zoo.image, "", "Plain");

	for (size_t i = 0; i < sizeof(dynamic) / sizeof(*dynamic); i++) {
		Dwarf_Die die = type_die(zoo.image, "", dynamic[i]);

		assert_true(classes_is_dynamic(zoo.classes, &die));
	}
	assert_false(classes_is_dynamic(zoo.classes, &plain));
	close_zoo(&zoo);
}

static void without_a_dynamic_class_nothing_is_published(void **state)
{
	struct elf_file *image = open_image(state, "classes-O0");
	struct catalogue catalogue = {.arena = arena_create()};
	struct type_names *names = type_names_create();
	struct classes *classes = classes_create(image, names, 0, 0, catalogue.arena);
	Dwarf_Die plain = type_die(image, "", "Plain");

	assert_false(classes_is_dynamic(classes, &plain));
	classes_publish(classes, &catalogue);
	assert_int_equal(catalogue.n_classes, 0);
	assert_int_equal(catalogue.n_vtables, 0);
	classes_destroy(classes);
	type_names_destroy(names);
	elf_file_close(image);
	arena_destroy(catalogue.arena);
}

static const char *class_name(const struct catalogue *catalogue, size_t i)
{
	return catalogue->classes[i].name;
}

/* The class of a vtable of module @module at @addr. */
static const char *class_in(const struct catalogue *catalogue, unsigned module, uint64_t addr)
{
	for (size_t i = 0; i < catalogue->n_vtables; i++) {
		const struct vtable *vtable = &catalogue->vtables[i];

		if (vtable->module == module && vtable->low_addr == addr)
			return class_name(catalogue, vtable->class_type);
	}
	fail_msg("no vtable");
	return NULL;
}

static void modules_share_classes_and_keep_their_vtables(void **state)
{
	const struct class_type classes[] = {{"Animal", class_type_number("Animal")},
					     {"Bird", class_type_number("Bird")},
					     {"zoo::Dog", class_type_number("zoo::Dog")}};
	static const struct vtable vtables[] = {{16, 32, 0, 1}, {32, 48, 0, 2}};
	static const struct class_cast_entry entries[] = {{1, 8}, {2, 24}};
	static const struct class_cast casts[] = {{"Bird", entries, 2}};
	struct elf_file *image = open_image(state, "classes-O0");
	struct catalogue catalogue = {
		.arena = arena_create(),
		.classes = classes,
		.n_classes = 3,
		.vtables = vtables,
		.n_vtables = 2,
		.casts = casts,
		.n_casts = 1,
	};
	struct type_names *names = type_names_create();
	struct classes *found = classes_create(image, names, 1, 1, catalogue.arena);
	Dwarf_Die creature = type_die(image, "", "Creature");
	const struct derived_class *derived;

	assert_true(classes_is_dynamic(found, &creature));
	assert_true(classes_derived(found, &creature, &derived) > 0);
	assert_int_equal(derived[0].cast, 1);
	classes_publish(found, &catalogue);
	for (size_t i = 0; i + 1 < catalogue.n_classes; i++)
		assert_true(strcmp(class_name(&catalogue, i), class_name(&catalogue, i + 1)) < 0);
	assert_string_equal(class_in(&catalogue, 0, 16), "Bird");
	assert_string_equal(class_in(&catalogue, 0, 32), "zoo::Dog");
	assert_string_equal(class_name(&catalogue, catalogue.casts[0].entries[0].class_type),
			    "Bird");
	assert_string_equal(class_name(&catalogue, catalogue.casts[0].entries[1].class_type),
			    "zoo::Dog");
	assert_string_equal(catalogue.casts[1].target, "Animal");
	classes_destroy(found);
	type_names_destroy(names);
	elf_file_close(image);
	arena_destroy(catalogue.arena);
}

static Dwarf_Die declared(const struct elf_file *image, const char *scope, const char *name)
{
	struct wanted wanted = {.scope = scope, .name = name, .declared = true};

	if (!find_type(image, &wanted))
		fail_msg("%s is not declared", name);
	return wanted.die;
}

static void check_size(const struct elf_file *image, const char *scope, const char *name, int size)
{
	struct type_names *names = type_names_create();
	struct type_definitions *definitions = type_definitions_create(image, names);
	Dwarf_Die declaration = declared(image, scope, name), found;

	for (int i = 0; i < 2; i++) { /* the second answer is remembered */
		if (size == 0) {
			assert_false(type_definitions_find(definitions, &declaration, &found));
			continue;
		}
		assert_true(type_definitions_find(definitions, &declaration, &found));
		assert_int_equal(dwarf_bytesize(&found), size);
	}
	type_definitions_destroy(definitions);
	type_names_destroy(names);
}

static void definitions_in_other_units_are_found(void **state)
{
	struct elf_file *c = open_image(state, "opaque-c");
	struct elf_file *cc = open_image(state, "opaque-cc");

	check_size(c, "", "hidden", 12);
	check_size(c, "", "box", 16);
	check_size(cc, "ns", "Hidden", 8);
	elf_file_close(c);
	elf_file_close(cc);
}

static void without_one_sure_definition_there_is_none(void **state)
{
	struct elf_file *c = open_image(state, "opaque-c");
	struct elf_file *cc = open_image(state, "opaque-cc");

	check_size(c, "", "nowhere", 0);
	check_size(c, "", "clash", 0);
	check_size(cc, "(anonymous namespace)", "Hidden", 0);
	elf_file_close(c);
	elf_file_close(cc);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(vtables_say_the_class_and_where_its_bases_are),
		cmocka_unit_test(derived_classes_of_all_units_are_found_nearest_first),
		cmocka_unit_test(members_of_bases_and_of_derived_classes_are_covered),
		cmocka_unit_test(only_classes_with_virtual_functions_or_bases_are_dynamic),
		cmocka_unit_test(without_a_dynamic_class_nothing_is_published),
		cmocka_unit_test(definitions_in_other_units_are_found),
		cmocka_unit_test(without_one_sure_definition_there_is_none),
		cmocka_unit_test(modules_share_classes_and_keep_their_vtables),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
