/*
 * Which modules of the catalogue are mapped, and where: load biases and vtables. They come at the
 * start and when the loader (loader.c) reports them, and may go again. inferior_plant.c and
 * breakpoint.c plant.
 *
 * A module mapped several times (dlmopen) is measured in one place.
 */
#include "inferior_modules.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/probe/breakpoint.h"
#include "trace/call/calls_abandon.h"
#include "trace/cost/cost_calls.h"
#include "trace/cost/cost_probes.h"
#include "trace/state/event_queue.h"
#include "trace/probe/loader.h"
#include "trace/call/inferior_plant.h"
#include "trace/ring/pads.h"
#include "trace/call/non_local_exits.h"

static bool stat_file(const char *path, struct file_identity *ret)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return false;
	*ret = (struct file_identity){.device = status.st_dev,
				      .inode = status.st_ino,
				      .size = status.st_size,
				      .seconds = status.st_mtim.tv_sec,
				      .nanoseconds = status.st_mtim.tv_nsec};
	return true;
}

static void module_identify(struct inferior *inferior, const struct module *module,
			    struct inferior_module *ret)
{
	char *path = realpath(module->path, NULL);
	struct file_identity file;

	ret->known = stat_file(module->path, &ret->file);
	/* /proc/PID/root may show another file of that name. */
	if (path && !(stat_file(path, &file) && file.inode == ret->file.inode &&
		      file.device == ret->file.device)) {
		free(path);
		path = NULL;
	}
	ret->path = arena_strdup(inferior->session->arena, path ? path : module->path);
	free(path);
}

/* Is the file the catalogue's? Programs may rebuild their plugins. */
static bool is_unchanged(struct inferior *inferior, struct inferior_module *module)
{
	struct file_identity now;

	if (stat_file(module->path, &now) && now.device == module->file.device &&
	    now.inode == module->file.inode && now.size == module->file.size &&
	    now.seconds == module->file.seconds && now.nanoseconds == module->file.nanoseconds)
		return true;
	if (!module->said_changed)
		event_queue_note(
			inferior->session,
			"%s was changed while the program ran; from there on its functions "
			"are not measured",
			module->path);
	module->said_changed = true;
	return false;
}

void inferior_modules_init(struct inferior *inferior)
{
	const struct catalogue *catalogue = inferior->image->catalogue;
	size_t i;

	inferior->modules =
		arena_array(inferior->arena, struct inferior_module, catalogue->n_modules);
	for (i = 1; i < catalogue->n_modules; i++)
		module_identify(inferior, &catalogue->modules[i], &inferior->modules[i]);
	inferior->class_map = (struct class_map){
		.classes = catalogue->classes,
		.casts = catalogue->casts,
		.n_casts = catalogue->n_casts,
		.texts = catalogue->texts,
	};
}

/* On overlays and the like, device numbers in maps and stat differ; then compare paths. */
static bool module_is_of(const struct inferior_module *module, const struct mapped_file *file)
{
	return module->known && file->inode == module->file.inode &&
	       (file->device == module->file.device || !strcmp(file->path, module->path));
}

/*
 * From its first byte to the end of its code; a file mapped only for reading has none. Of several
 * mappings the previous one, else the lowest.
 */
static bool module_locate(const struct inferior_module *module, const struct mapped_file *files,
			  size_t n, uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t base = 0;
	bool has_base = false;
	bool found = false;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct mapped_file *file = &files[i];

		if (!module_is_of(module, file))
			continue;
		if (!file->offset) {
			base = file->low;
			has_base = true;
		}
		if (!has_base || !file->code)
			continue;
		if (found && base != *ret_low && !(module->mapped && base == module->low))
			continue;
		found = true;
		*ret_low = base;
		*ret_high = file->high;
	}
	return found;
}

/* Code may be unexecutable for a while but still holds our int3s. */
static bool is_still_there(const struct inferior_module *module, const struct mapped_file *files,
			   size_t n)
{
	size_t i;

	for (i = 0; module->mapped && i < n; i++)
		if (module_is_of(module, &files[i]) && !files[i].offset &&
		    files[i].low == module->low)
			return true;
	return false;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct class_map_range *left = a;
	const struct class_map_range *right = b;

	if (left->low != right->low)
		return left->low < right->low ? -1 : 1;
	return (left->class_type > right->class_type) - (left->class_type < right->class_type);
}

/* Vtables of mapped modules; of overlapping ones the first is kept. */
static void map_classes(struct inferior *inferior)
{
	const struct catalogue *catalogue = inferior->image->catalogue;
	struct class_map_range *ranges = inferior->class_ranges;
	size_t kept = 0;
	size_t n = 0;
	size_t i;

	if (!ranges)
		ranges = inferior->class_ranges =
			arena_array(inferior->arena, struct class_map_range, catalogue->n_vtables);
	for (i = 0; i < catalogue->n_vtables; i++) {
		const struct vtable *vtable = &catalogue->vtables[i];
		const struct inferior_module *module = &inferior->modules[vtable->module];

		if (module->mapped && vtable->low_addr < vtable->high_addr)
			ranges[n++] = (struct class_map_range){
				module_runtime(module->load_bias, vtable->low_addr),
				module_runtime(module->load_bias, vtable->high_addr),
				vtable->class_type};
	}
	qsort(ranges, n, sizeof(*ranges), compare_ranges);
	for (i = 0; i < n; i++)
		if (!kept || ranges[i].low >= ranges[kept - 1].high)
			ranges[kept++] = ranges[i];
	inferior->class_map.ranges = ranges;
	inferior->class_map.n_ranges = kept;
}

/* Is another file mapped from the path of the catalogue's? */
static bool is_replaced(const struct inferior_module *module, const struct mapped_file *files,
			size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(files[i].path, module->path) && !module_is_of(module, &files[i]))
			return true;
	return false;
}

/* Its memory may be reused already: leave it alone. Calls in it will not return. */
static void module_goes(struct inferior *inferior, unsigned index)
{
	struct inferior_module *module = &inferior->modules[index];

	breakpoint_table_unmapped(inferior->breakpoints, module->low, module->high);
	calls_abandon_module(inferior, index);
	pads_unmapped(inferior, module->low, module->high);
	cost_calls_module_goes(inferior, index);
	cost_probes_module_goes(inferior, module->low, module->high);
	breakpoint_table_forget(inferior->breakpoints, module->low, module->high);
	module->mapped = false;
}

static void module_comes(struct inferior *inferior, pid_t tid, unsigned index, uint64_t low,
			 uint64_t high)
{
	struct inferior_module *module = &inferior->modules[index];

	module->mapped = true;
	module->low = low;
	module->high = high;
	module->load_bias = low - inferior->image->catalogue->modules[index].base_addr;
	breakpoint_table_reopen(inferior->breakpoints, tid);
	inferior_plant(inferior, tid, index);
	cost_probes_module_comes(inferior, tid, index);
	pads_mapped(inferior);
	non_local_exits_plant(inferior, tid, index);
}

/* Returns whether anything changed. */
static bool compare_with_maps(struct inferior *inferior, pid_t tid, const struct mapped_file *files,
			      size_t n)
{
	bool changed = false;
	unsigned i;

	for (i = 1; i < inferior->image->catalogue->n_modules; i++) {
		struct inferior_module *module = &inferior->modules[i];
		uint64_t low = 0;
		uint64_t high = 0;
		bool found = module_locate(module, files, n, &low, &high);

		if (!found && is_still_there(module, files, n))
			continue;
		if (!found && is_replaced(module, files, n))
			is_unchanged(inferior, module);
		if (module->mapped == found && (!found || low == module->low))
			continue;
		changed = true;
		if (module->mapped)
			module_goes(inferior, i);
		if (found && is_unchanged(inferior, module))
			module_comes(inferior, tid, i, low, high);
	}
	return changed;
}

static void look_for_modules(struct inferior *inferior, pid_t tid)
{
	const struct target *target = &inferior->session->target;
	struct arena *arena = arena_create();
	struct mapped_file *files;
	size_t n = target->ops->files(target->self, tid, arena, &files);

	if (n && compare_with_maps(inferior, tid, files, n)) {
		breakpoint_table_complete(inferior->breakpoints, tid);
		map_classes(inferior);
	}
	arena_destroy(arena);
}

/* The first not mapped yet; NULL: all are. */
static const struct module *first_missing(const struct inferior *inferior)
{
	size_t i;

	for (i = 1; i < inferior->image->catalogue->n_modules; i++)
		if (!inferior->modules[i].mapped)
			return &inferior->image->catalogue->modules[i];
	return NULL;
}

static void watch_loader(struct inferior *inferior, pid_t tid)
{
	struct breakpoint *breakpoint;
	struct err err;

	if (inferior->session->options.probes == PROBES_HARDWARE) {
		if (first_missing(inferior))
			event_queue_note(inferior->session,
					 "libraries that the program loads later, like %s, are not "
					 "measured with --probes hardware",
					 first_missing(inferior)->path);
		return;
	}
	if (loader_find(&inferior->session->target, tid, inferior->modules[0].load_bias,
			&inferior->loader) &&
	    breakpoint_plant(inferior->breakpoints, tid, inferior->loader.brk, &breakpoint, &err))
		breakpoint->of_loader = true;
	else if (first_missing(inferior))
		event_queue_note(
			inferior->session,
			"libraries that the program loads later, like %s, are not measured: "
			"its loader does not tell when",
			first_missing(inferior)->path);
}

void inferior_modules_start(struct inferior *inferior, pid_t tid)
{
	const struct target *target = &inferior->session->target;

	/* As long as its memory is there it can be said which functions have lost their probes. */
	target->ops->tell_exits(target->self, tid);
	inferior->modules[0].mapped = true;
	inferior_plant(inferior, tid, 0);
	cost_probes_module_comes(inferior, tid, 0);
	non_local_exits_plant(inferior, tid, 0);
	map_classes(inferior);
	if (inferior->image->catalogue->n_modules > 1) {
		look_for_modules(inferior, tid);
		breakpoint_table_reopen(inferior->breakpoints, tid);
		watch_loader(inferior, tid);
	}
	breakpoint_table_complete(inferior->breakpoints, tid);
}

void inferior_modules_replace(struct inferior *inferior,
			      const struct inferior_module *const *before)
{
	size_t i;

	inferior_modules_init(inferior);
	for (i = 0; i < inferior->image->catalogue->n_modules; i++)
		if (before[i])
			inferior->modules[i] = *before[i];
	inferior->class_ranges = NULL;
}

void inferior_modules_find(struct inferior *inferior, pid_t tid)
{
	if (first_missing(inferior))
		look_for_modules(inferior, tid);
	if (inferior->image->catalogue->n_modules > 1 && !inferior->loader.brk)
		watch_loader(inferior, tid);
	map_classes(inferior);
}

void inferior_modules_changed(struct inferior *inferior, pid_t tid)
{
	if (!loader_is_busy(&inferior->loader, &inferior->session->target, tid))
		look_for_modules(inferior, tid);
}

/* Of functions whose code the program has replaced, our probes with it. */
struct replaced {
	const struct inferior *inferior;
	pid_t tid;
	const char *name; /* of one */
	size_t n;
};

static void look_for_replaced(void *self, struct breakpoint *breakpoint)
{
	struct replaced *replaced = self;
	const struct inferior *inferior = replaced->inferior;

	if (breakpoint->entry_of < 0 || breakpoint->for_blocks ||
	    !breakpoint_is_replaced(inferior->breakpoints, replaced->tid, breakpoint))
		return;
	replaced->name = inferior->image->catalogue->functions[breakpoint->entry_of].name;
	replaced->n++;
}

void inferior_modules_say_replaced(struct inferior *inferior, pid_t tid)
{
	struct replaced replaced = {.inferior = inferior, .tid = tid};

	if (!inferior->breakpoints || !inferior->image)
		return;
	breakpoint_table_each(inferior->breakpoints, look_for_replaced, &replaced);
	if (replaced.n == 1)
		event_queue_note(inferior->session,
				 "the program has changed the code of %s: no call was counted "
				 "after that",
				 replaced.name);
	else if (replaced.n)
		event_queue_note(inferior->session,
				 "the program has changed the code of %zu functions, one is %s: "
				 "none of their calls was counted after that",
				 replaced.n, replaced.name);
}
