/* Walks samples' stacks to what is in scope. What an address alone decides is found once. */
#include "causal_units.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/mem.h"
#include "core/catalogue/catalogue.h"
#include "inspect/stack_walk.h"

/* What is at an address of a process. */
struct known_address {
	struct known_key {
		uint64_t pc;
		int64_t process;
	} key;
	const struct call_place *place; /* in scope; NULL: none */
	const struct call_place *host;  /* that is inlined in, in scope; NULL: none */
	int unit;                       /* without callers */
	UT_hash_handle hh;
};

struct known_process {
	pid_t pid;
	struct mapped_modules modules;
	UT_hash_handle hh;
};

struct causal_units {
	struct catalogue_request request;
	struct causal_scope scope;
	struct experiments *experiments;
	struct arena *arena;
	struct plan_runner *runner;
	struct opened_files opened;
	struct known_process *processes;
	struct known_address *known;
};

struct causal_units *causal_units_create(const struct catalogue_request *request,
					 const struct causal_scope *scope,
					 struct experiments *experiments)
{
	struct causal_units *units = mem_alloc(sizeof(*units));

	*units = (struct causal_units){.request = *request,
				       .scope = *scope,
				       .experiments = experiments,
				       .arena = arena_create(),
				       .runner = plan_runner_create()};
	units->opened = (struct opened_files){.request = &units->request, .arena = units->arena};
	return units;
}

void causal_units_destroy(struct causal_units *units)
{
	struct known_process *process, *next_process;
	struct known_address *each, *next;

	if (!units)
		return;
	HASH_ITER (hh, units->known, each, next) {
		HASH_DEL(units->known, each);
		free(each);
	}
	HASH_ITER (hh, units->processes, process, next_process) {
		HASH_DEL(units->processes, process);
		mapped_modules_deinit(&process->modules);
		free(process);
	}
	opened_files_deinit(&units->opened);
	plan_runner_destroy(units->runner);
	arena_destroy(units->arena);
	free(units);
}

/* The module that has @pc. What is mapped is read again if the address is new. */
static const struct mapped_module *unit_module(struct causal_units *units, pid_t pid, uint64_t pc)
{
	const struct mapped_module *module;
	struct known_process *process;

	HASH_FIND(hh, units->processes, &pid, sizeof(pid), process);
	if (!process) {
		process = mem_alloc(sizeof(*process));
		process->pid = pid;
		process->modules.vdso_fd = -1;
		HASH_ADD(hh, units->processes, pid, sizeof(process->pid), process);
	}
	module = mapped_modules_find(&process->modules, pc);
	if (module)
		return module;
	mapped_modules_deinit(&process->modules);
	mapped_modules_read(pid, units->arena, &process->modules);
	return mapped_modules_find(&process->modules, pc);
}

static struct opened_file *unit_file(struct causal_units *units, const struct mapped_module *module)
{
	struct opened_file *opened = module ? opened_files_find(&units->opened, module) : NULL;

	if (module && !opened)
		opened = opened_files_open(&units->opened, module);
	return opened && opened->sites ? opened : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static bool is_like(const char *pattern, const char *path)
{
	return path &&
	       (fnmatch(pattern, path, 0) == 0 || fnmatch(pattern, base_name(path), 0) == 0);
}

static bool is_in_scope(const struct causal_scope *scope, const struct mapped_module *module,
			const struct call_place *place)
{
	size_t i;

	if (!place->function)
		return false;
	for (i = 0; i < scope->n_patterns; i++)
		if (fnmatch(scope->patterns[i], place->function, 0) == 0 ||
		    is_like(scope->patterns[i], place->file) ||
		    is_like(scope->patterns[i], place->declared_file) ||
		    is_like(scope->patterns[i], module->path))
			return true;
	return !scope->n_patterns && catalogue_is_own(module->path, place->declared_file) &&
	       (!place->is_symbol || !strstr(module->path, ".so"));
}

/* The innermost in scope from the place @from on, outwards. */
static const struct call_place *place_of_site(const struct causal_units *units,
					      const struct mapped_module *module,
					      const struct call_site *site, size_t from)
{
	size_t i;

	for (i = from; i < site->n_places; i++)
		if (is_in_scope(&units->scope, module, &site->places[i]))
			return &site->places[i];
	return NULL;
}

/* With hosts: the function that all others there are inlined in. */
static void know_places(const struct causal_units *units, const struct mapped_module *module,
			const struct call_site *site, struct known_address *known)
{
	known->place = place_of_site(units, module, site,
				     units->scope.hosts && site->n_places ? site->n_places - 1 : 0);
	if (known->place)
		known->host = place_of_site(units, module, site,
					    (size_t)(known->place - site->places) + 1);
}

/* By name: a unit may be at many addresses, and a function inlined in many others. */
static int unit_find(struct experiments *experiments, const char *name, const char *file,
		     unsigned line)
{
	size_t i;

	for (i = 0; i < experiments->n_units; i++) {
		const struct causal_unit *unit = &experiments->units[i];

		if (!strcmp(unit->name, name) && unit->line == line &&
		    !strcmp(unit->file ? unit->file : "", file ? file : ""))
			return (int)i;
	}
	return (int)experiment_table_add_unit(experiments, name, file, line);
}

/* @caller: NULL: unknown, or it does not matter. */
static int unit_of_place(struct causal_units *units, const struct call_place *place,
			 const char *caller)
{
	const bool at_line = units->scope.lines && place->file && place->line;
	char name[CAUSAL_NAME_MOST + 1];

	snprintf(name, sizeof(name), caller ? "%s called by %s" : "%s", place->function, caller);
	return unit_find(units->experiments, name,
			 base_name(at_line ? place->file : place->declared_file),
			 at_line ? place->line : place->declared_line);
}

static const struct known_address *look_up(struct causal_units *units, pid_t process, uint64_t pc)
{
	const struct known_key key = {pc, process};
	const struct mapped_module *module;
	struct known_address *known;
	struct opened_file *opened;

	HASH_FIND(hh, units->known, &key, sizeof(key), known);
	if (known)
		return known;
	known = mem_alloc(sizeof(*known));
	known->key = key;
	known->unit = CAUSAL_NO_UNIT;
	module = unit_module(units, process, pc);
	opened = unit_file(units, module);
	if (opened)
		know_places(units, module, call_sites_find(opened->sites, pc - opened->load_bias),
			    known);
	if (known->place && !units->scope.callers)
		known->unit = unit_of_place(units, known->place, NULL);
	HASH_ADD(hh, units->known, key, sizeof(known->key), known);
	return known;
}

/* To the caller's frame. */
static bool unit_walk_out(struct causal_units *units, pid_t process, struct stack_walk *walk)
{
	struct opened_file *opened =
		unit_file(units, unit_module(units, process, stack_walk_pc(walk)));

	return stack_walk_out(walk, opened) == UNWIND_CALLER;
}

static int unit_by_caller(struct causal_units *units, pid_t process, struct stack_walk *walk,
			  const struct known_address *known)
{
	const struct call_place *caller = known->host;

	while (!caller && unit_walk_out(units, process, walk))
		caller = look_up(units, process, stack_walk_pc(walk))->place;
	return unit_of_place(units, known->place, caller ? caller->function : NULL);
}

int causal_units_of(struct causal_units *units, const struct causal_sample *sample)
{
	struct sampled_stack sampled = {sample->registers, sample->stack, sample->stack_size};
	const struct known_address *known = look_up(units, sample->process, sample->pc);
	struct stack_walk walk;

	if (known->place && !units->scope.callers)
		return known->unit;
	if (!sample->registers)
		return known->place ? unit_of_place(units, known->place, NULL) : CAUSAL_NO_UNIT;
	walk = stack_walk_sampled(units->runner, &sampled);
	while (!known->place) {
		if (!unit_walk_out(units, sample->process, &walk))
			return CAUSAL_NO_UNIT;
		known = look_up(units, sample->process, stack_walk_pc(&walk));
	}
	if (!units->scope.callers)
		return known->unit;
	return unit_by_caller(units, sample->process, &walk, known);
}

bool causal_units_is_called(const struct causal_unit *unit, const char *name)
{
	char place[1024];

	snprintf(place, sizeof(place), "%s:%u", unit->file ? unit->file : "", unit->line);
	return !strcmp(unit->name, name) || !strcmp(place, name);
}

bool causal_units_is_wanted(const struct causal_units *units, unsigned unit)
{
	const char *only = units->scope.only;

	return !only || causal_units_is_called(&units->experiments->units[unit], only);
}
