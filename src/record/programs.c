/*
 * The list of programs. dwarf/catalogue_build.h makes the catalogues; record/measure.c decides when
 * they are read.
 */
#include "programs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "dwarf/catalogue_build.h"
#include "cli/message.h"
#include "cli/process_files.h"
#include "select/selection.h"

/* Identity, as in struct stat: a replaced or changed file is another one. */
struct file {
	bool known;
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified;
};

struct known_program {
	struct program program;
	struct file file;
};

struct programs {
	const struct options *options;
	struct arena *arena;
	struct program **all;
	size_t n_all, all_capacity;
	struct program **measured;
	size_t n_measured, measured_capacity;
	struct catalogue **replaced;
	size_t n_replaced, replaced_capacity;
	bool *found;                /* [patterns] matched in any program */
	bool *here;                 /* [patterns] matched in the one being read */
	struct selection selection; /* of the first program; later ones are not selected from */
	bool is_selected;
};

struct programs *programs_create(const struct options *options)
{
	struct programs *programs = mem_alloc(sizeof(*programs));

	programs->options = options;
	programs->arena = arena_create();
	programs->found = arena_array(programs->arena, bool, options->n_functions + 1);
	programs->here = arena_array(programs->arena, bool, options->n_functions + 1);
	return programs;
}

void programs_destroy(struct programs *programs)
{
	if (!programs)
		return;
	for (size_t i = 0; i < programs->n_all; i++)
		catalogue_destroy(programs->all[i]->catalogue);
	for (size_t i = 0; i < programs->n_replaced; i++)
		catalogue_destroy(programs->replaced[i]);
	free(programs->replaced);
	free(programs->all);
	free(programs->measured);
	arena_destroy(programs->arena);
	free(programs);
}

static struct file program_identify(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return (struct file){.known = false};
	return (struct file){true, status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

static bool program_is_same(const struct file *a, const struct file *b)
{
	return a->known && b->known && a->device == b->device && a->inode == b->inode &&
	       a->size == b->size && a->modified.tv_sec == b->modified.tv_sec &&
	       a->modified.tv_nsec == b->modified.tv_nsec;
}

/* At least one function must be measurable; notes name the others. */
static bool check_measurable(const struct options *options, const struct catalogue *catalogue,
			     struct err *err)
{
	const struct function *reason = NULL;
	size_t measurable = 0;

	for (size_t i = 0; i < catalogue->n_functions; i++) {
		const struct function *function = &catalogue->functions[i];

		if (!function->unmeasurable) {
			measurable++;
			continue;
		}
		reason = function;
		if (options->verbose)
			message_note("%s is not measured: %s", function->name,
				     function->unmeasurable);
	}
	if (measurable)
		return true;
	if (reason && reason->is_left_out)
		return err_set(err, ERR_NOT_FOUND,
			       "--select=%s leaves out all that can be measured: fathom list -v "
			       "--select=%s PROG says why",
			       options->select, options->select);
	if (!reason)
		return err_set(err, ERR_NOT_FOUND, "%s has no functions",
			       catalogue->modules[0].path);
	return err_set(err, ERR_NOT_FOUND, "%s cannot be measured: %s", reason->name,
		       reason->unmeasurable);
}

static bool program_select(struct programs *programs, const char *path, struct err *err)
{
	if (!programs->is_selected &&
	    !selection_make(programs->options, path, programs->arena, &programs->selection, err))
		return false;
	programs->is_selected = true;
	return true;
}

static void say_left_out(const struct options *options, const struct catalogue *catalogue)
{
	size_t n = 0;

	for (size_t i = 0; i < catalogue->n_functions; i++)
		n += catalogue->functions[i].is_left_out;
	if (n && !options->quiet)
		message_note("--select leaves out %zu of %zu functions: fathom list -v --select=%s "
			     "says why",
			     n, catalogue->n_functions, options->select);
}

static bool program_build(struct programs *programs, const struct program_source *source,
			  bool is_first, struct catalogue **ret, struct err *err)
{
	const struct options *options = programs->options;
	struct catalogue_request request = {
		.patterns = options->functions,
		.n_patterns = options->n_functions,
		.nothing = options->n_functions == 0,
		.ambiguous = options->hot,
		.features = true,
		.max_depth = options->max_depth,
		.max_features = options->max_features,
		.containers = options->containers,
		.strings = options->strings,
		.loops = options->loops,
		.names_left_out = true,
		.globals = options->globals,
		.required = options->required,
		.n_required = options->n_required,
		.debuginfo_path = options->debuginfo_path,
		.metrics = options->metrics,
		.mappings = options->mappings,
		.preload = source->process ? process_files_environment(
						     programs->arena, source->process, "LD_PRELOAD")
					   : getenv("LD_PRELOAD"),
		.found = source->whole ? NULL : programs->here,
	};

	if (source->process)
		request.root = process_files_root(programs->arena, source->process);
	if (source->running)
		request.n_libraries = process_files_libraries(programs->arena, source->process,
							      &request.libraries);
	if (is_first && !program_select(programs, source->path, err))
		return false;
	request.left_out = programs->selection.list;
	request.n_left_out = is_first ? programs->selection.n : 0;
	if (!catalogue_build(source->path, &request, ret, err))
		return false;
	for (size_t i = 0; i < (*ret)->n_notes && !options->quiet; i++)
		message_note("%s", (*ret)->notes[i]);
	say_left_out(options, *ret);
	return true;
}

static bool read_catalogue(struct programs *programs, const struct program_source *source,
			   struct program *program, struct err *err)
{
	struct catalogue **ret = &program->catalogue;
	const struct options *options = programs->options;

	if (!program_build(programs, source, programs->n_all == 1, ret, err))
		return false;
	program->has_function = (*ret)->n_functions > 0;
	if (!options->n_functions || check_measurable(options, *ret, err))
		return true;
	catalogue_destroy(*ret);
	*ret = NULL;
	return false;
}

static bool has_measurable(const struct catalogue *catalogue, unsigned module)
{
	for (size_t i = 0; i < catalogue->n_functions; i++)
		if (catalogue->functions[i].module == module &&
		    !catalogue->functions[i].unmeasurable)
			return true;
	return false;
}

static void list_modules(struct programs *programs, struct program *program)
{
	const struct catalogue *catalogue = program->catalogue;

	program->modules = arena_array(programs->arena, const char *, catalogue->n_modules);
	program->libraries = arena_array(programs->arena, struct run_library, catalogue->n_modules);
	program->modules[0] = program->path;
	for (size_t i = 1; i < catalogue->n_modules; i++) {
		program->modules[i] =
			process_files_file_name(programs->arena, catalogue->modules[i].path);
		if (has_measurable(catalogue, i))
			program->libraries[program->n_libraries++] = (struct run_library){
				program->modules[i], catalogue->modules[i].build_id};
	}
}

static void note_found(struct programs *programs, bool whole)
{
	for (size_t i = 0; i < programs->options->n_functions; i++)
		programs->found[i] |= whole || programs->here[i];
}

/* Replace a path in /proc, which vanishes with the process, by the program's. */
static const char *program_name_file(struct programs *programs, const struct program *program,
				     const char *path, const char *text)
{
	size_t n = strlen(path);
	struct text named = {0};
	const char *ret, *at;

	if (strncmp(path, "/proc/", 6))
		return text;
	for (; (at = strstr(text, path)); text = at + n) {
		text_add(&named, text, at - text);
		text_add_string(&named, program->path);
	}
	text_add_string(&named, text);
	ret = arena_strdup(programs->arena, named.bytes);
	text_deinit(&named);
	return ret;
}

static void program_set_reason(struct programs *programs, struct program *program, const char *path,
			       const struct err *why)
{
	const char *text = program_name_file(programs, program, path, why->text);
	const char *name = strncmp(path, "/proc/", 6) ? path : program->path;
	size_t n = strlen(name);
	bool named = !strncmp(text, name, n) && !strncmp(text + n, ": ", 2);

	err_set(&program->why, why->code, "%s", text);
	program->reason = arena_strdup(programs->arena, named ? text + n + 2 : text);
}

static struct program *read_program(struct programs *programs, const struct program_source *source,
				    const struct file *file)
{
	struct known_program *known = arena_new(programs->arena, struct known_program);
	struct program *program = &known->program;
	struct err why;

	known->file = *file;
	program->path = process_files_file_name(programs->arena, source->path);
	programs->all = mem_grow(programs->all, &programs->all_capacity, programs->n_all + 1,
				 sizeof(struct program *));
	programs->all[programs->n_all++] = program;
	if (!read_catalogue(programs, source, program, &why)) {
		program_set_reason(programs, program, source->path, &why);
		return program;
	}
	note_found(programs, source->whole);
	list_modules(programs, program);
	return program;
}

struct program *programs_find(struct programs *programs, const struct program_source *source)
{
	const struct file file = program_identify(source->path);
	struct program_source named = *source;

	for (size_t i = 0; i < programs->n_all; i++) {
		const struct known_program *known = (struct known_program *)programs->all[i];

		if (program_is_same(&known->file, &file))
			return programs->all[i];
	}
	if (source->process)
		named.path = process_files_program(programs->arena, source->process, source->path);
	return read_program(programs, &named, &file);
}

bool programs_read_again(struct programs *programs, const struct program_source *source,
			 struct catalogue **ret, struct err *err)
{
	const size_t n = programs->options->n_functions;
	struct program_source named = *source;

	programs->found = arena_array(programs->arena, bool, n + 1);
	programs->here = arena_array(programs->arena, bool, n + 1);
	if (source->process)
		named.path = process_files_program(programs->arena, source->process, source->path);
	return program_build(programs, &named, true, ret, err);
}

void programs_replace(struct programs *programs, struct program *program,
		      struct catalogue *catalogue)
{
	const bool own = program->modules && !program->modules[0];

	programs->replaced = mem_grow(programs->replaced, &programs->replaced_capacity,
				      programs->n_replaced + 1, sizeof(*programs->replaced));
	programs->replaced[programs->n_replaced++] = program->catalogue;
	program->catalogue = catalogue;
	program->n_libraries = 0;
	note_found(programs, false);
	list_modules(programs, program);
	if (own)
		program->modules[0] = NULL;
}

void programs_keep_code(const struct programs *programs, struct profile *profile)
{
	if (programs->n_all && programs->all[0]->catalogue)
		selection_keep(programs->options, programs->all[0]->catalogue->modules[0].path,
			       &programs->selection, profile);
}

void programs_measure(struct programs *programs, struct program *program, unsigned image, bool own)
{
	if (own)
		program->modules[0] = NULL;
	program->is_measured = true;
	program->image = image;
	programs->measured = mem_grow(programs->measured, &programs->measured_capacity, image + 1,
				      sizeof(struct program *));
	programs->measured[image] = program;
	if (programs->n_measured <= image)
		programs->n_measured = image + 1;
}

bool programs_may_start_others(const struct programs *programs, const struct program *program,
			       const char *path)
{
	switch (program->why.code) {
	case ERR_NOT_FOUND:
	case ERR_UNSUPPORTED:
		return programs->options->follow_fork;
	case ERR_IO:
		return programs->options->follow_fork && access(path, X_OK) == 0;
	case ERR_NONE:
	case ERR_USAGE:
	case ERR_FORMAT:
	case ERR_TARGET:
		break;
	}
	return false;
}

bool programs_is_ordinary(const struct err *why)
{
	switch (why->code) {
	case ERR_NONE:
	case ERR_NOT_FOUND:
	case ERR_UNSUPPORTED:
	case ERR_TARGET:
		return true;
	case ERR_USAGE:
	case ERR_IO:
	case ERR_FORMAT:
		break;
	}
	return false;
}

void programs_give_up(struct programs *programs, struct program *program, const struct err *why)
{
	catalogue_destroy(program->catalogue);
	program->catalogue = NULL;
	program_set_reason(programs, program, program->path, why);
}

size_t programs_measured(const struct programs *programs, struct program *const **ret)
{
	*ret = programs->measured;
	return programs->n_measured;
}

size_t programs_all(const struct programs *programs, struct program *const **ret)
{
	*ret = programs->all;
	return programs->n_all;
}

const char *programs_unfound(const struct programs *programs, size_t *at)
{
	const struct options *options = programs->options;

	while (*at < options->n_functions) {
		size_t i = (*at)++;

		if (!programs->found[i])
			return options->functions[i];
	}
	return NULL;
}

static bool program_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Old profiles do not say which functions are a library's. */
static bool program_is_in(const struct samples *samples, const struct program *program,
			  unsigned module)
{
	return program_same_text(samples->module, program->modules[module]) ||
	       (!samples->module && module);
}

/* n_functions: it has none that @samples are of. */
static unsigned program_find_function(const struct program *program, const struct samples *samples)
{
	const struct catalogue *catalogue = program->catalogue;
	unsigned i;

	for (i = 0; i < catalogue->n_functions; i++) {
		const struct function *function = &catalogue->functions[i];

		if (program_same_text(function->linkage, samples->linkage) &&
		    program_same_text(function->file, samples->file) &&
		    function->line == samples->line &&
		    program_is_in(samples, program, function->module))
			break;
	}
	return i;
}

bool programs_find_function(const struct programs *programs, const struct samples *samples,
			    const struct program **ret_program, unsigned *ret)
{
	for (size_t i = 0; i < programs->n_measured; i++) {
		*ret_program = programs->measured[i];
		*ret = program_find_function(programs->measured[i], samples);
		if (*ret < programs->measured[i]->catalogue->n_functions)
			return true;
	}
	return false;
}

bool programs_have(const struct programs *programs, const struct samples *samples)
{
	const struct program *program;
	unsigned function;

	return programs_find_function(programs, samples, &program, &function);
}
