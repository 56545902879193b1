/* Unwinds samples and counts functions. What is worth measuring is decided in the end. */
#include "hot_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/catalogue/catalogue.h"
#include "stack_walk.h"
#include "trace/sampler.h"

/* A part below this is no reason to measure; nor is a single sample. */
static const double LEAST_PART = 0.01;
enum { LEAST_SAMPLES = 2, FEW_SAMPLES = 50 };

struct seen_function {
	struct hot_function public;
	size_t last;            /* number of the last sample that has it; from 1 */
	pid_t thread;           /* whose sample that was */
	size_t stretch;         /* samples of the one that goes on */
	double n, sum, squares; /* of those before */
};

/* What is known of one place, by the address of struct call_place, which is unique. */
struct hot_functions {
	pid_t pid;
	struct catalogue_request request;
	struct arena *arena;
	struct plan_runner *runner;
	struct opened_files opened;
	struct mapped_modules modules;
	struct seen_function **seen;
	size_t n, capacity;
	struct hot_function *list;
	struct hot_line *lines;
	size_t n_lines, lines_capacity;
	struct hot_address {
		struct opened_file *opened;
		uint64_t addr;
	} * noted; /* of samples whose lines were not looked up yet */
	size_t n_noted, noted_capacity;
	size_t n_samples;
};

struct hot_functions *hot_functions_create(pid_t pid, const char *debuginfo_path)
{
	struct hot_functions *hot = mem_alloc(sizeof(*hot));

	*hot = (struct hot_functions){
		.pid = pid,
		.request = {.debuginfo_path = debuginfo_path},
		.arena = arena_create(),
		.runner = plan_runner_create(),
		.modules = {.vdso_fd = -1},
	};
	hot->opened = (struct opened_files){.request = &hot->request, .arena = hot->arena};
	return hot;
}

static void hot_forget(struct hot_functions *hot)
{
	for (size_t i = 0; i < hot->n; i++)
		free(hot->seen[i]);
	hot->n = hot->n_lines = hot->n_noted = 0;
}

void hot_functions_restart(struct hot_functions *hot)
{
	hot_forget(hot);
	hot->n_samples = 0;
}

void hot_functions_destroy(struct hot_functions *hot)
{
	if (!hot)
		return;
	hot_forget(hot);
	free(hot->seen);
	free(hot->list);
	free(hot->lines);
	free(hot->noted);
	opened_files_deinit(&hot->opened);
	mapped_modules_deinit(&hot->modules);
	plan_runner_destroy(hot->runner);
	arena_destroy(hot->arena);
	free(hot);
}

/* The file of @pc; NULL: unknown. What is mapped is read again if the address is new. */
static struct opened_file *hot_file(struct hot_functions *hot, uint64_t pc,
				    const struct mapped_module **ret)
{
	struct opened_file *opened;

	*ret = mapped_modules_find(&hot->modules, pc);
	if (!*ret) {
		mapped_modules_deinit(&hot->modules);
		mapped_modules_read(hot->pid, hot->arena, &hot->modules);
		*ret = mapped_modules_find(&hot->modules, pc);
	}
	if (!*ret)
		return NULL;
	opened = opened_files_find(&hot->opened, *ret);
	return opened ? opened : opened_files_open(&hot->opened, *ret);
}

/* Of a program without debug information all but "_start" and the like. */
static bool is_own(const struct mapped_module *module, const struct call_place *place)
{
	return place->function && catalogue_is_own(module->path, place->declared_file) &&
	       (!place->is_symbol || (!strstr(module->path, ".so") && place->function[0] != '_'));
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static struct seen_function *hot_find(struct hot_functions *hot, const struct call_place *place)
{
	struct seen_function *seen;

	for (size_t i = 0; i < hot->n; i++) {
		const struct hot_function *known = &hot->seen[i]->public;

		if (!strcmp(known->name, place->function) &&
		    is_same_text(known->linkage, place->linkage) &&
		    is_same_text(known->file, place->declared_file) &&
		    known->line == place->declared_line)
			return hot->seen[i];
	}
	seen = mem_alloc(sizeof(*seen));
	*seen = (struct seen_function){.public = {.name = place->function,
						  .linkage = place->linkage,
						  .file = place->declared_file,
						  .line = place->declared_line}};
	hot->seen = mem_grow(hot->seen, &hot->capacity, hot->n + 1, sizeof(*hot->seen));
	hot->seen[hot->n++] = seen;
	return seen;
}

static void stretch_end(struct seen_function *seen)
{
	seen->n += seen->stretch > 0;
	seen->sum += (double)seen->stretch;
	seen->squares += (double)seen->stretch * (double)seen->stretch;
	seen->stretch = 0;
}

/* Once a sample, however often it is in the stack. */
static void hot_count(struct hot_functions *hot, struct seen_function *seen, pid_t thread)
{
	if (seen->last == hot->n_samples)
		return;
	if (seen->last + 1 != hot->n_samples || seen->thread != thread)
		stretch_end(seen);
	seen->stretch++;
	seen->last = hot->n_samples;
	seen->thread = thread;
	seen->public.samples++;
}

/* The function of the frame; NULL: none of the program's own. */
static struct seen_function *hot_visit(struct hot_functions *hot, uint64_t addr,
				       struct opened_file *opened,
				       const struct mapped_module *module)
{
	const struct call_place *place = call_sites_function(opened->sites, addr);

	return is_own(module, place) ? hot_find(hot, place) : NULL;
}

/* The innermost place there, inlined or not, that is the program's own. */
static void hot_count_line(struct hot_functions *hot, const struct hot_address *at)
{
	const struct call_site *site = call_sites_find(at->opened->sites, at->addr);
	const struct call_place *place = NULL;
	size_t i;

	for (i = 0; i < site->n_places && !place; i++)
		if (site->places[i].file && site->places[i].line && site->places[i].function &&
		    catalogue_is_own(at->opened->path, site->places[i].file))
			place = &site->places[i];
	if (!place)
		return;
	for (i = 0; i < hot->n_lines; i++)
		if (hot->lines[i].line == place->line && !strcmp(hot->lines[i].file, place->file) &&
		    !strcmp(hot->lines[i].function, place->function))
			break;
	if (i == hot->n_lines) {
		hot->lines = mem_grow(hot->lines, &hot->lines_capacity, i + 1, sizeof(*hot->lines));
		hot->lines[hot->n_lines++] = (struct hot_line){
			.function = place->function,
			.file = place->file,
			.line = place->line,
			.host = place->is_inlined ? site->places[site->n_places - 1].function
						  : NULL,
		};
	}
	hot->lines[i].samples++;
}

/* A function's last frames of the program's own, whose lines are looked up when they are wanted. */
static void hot_note_line(struct hot_functions *hot, struct opened_file *opened, uint64_t addr)
{
	hot->noted =
		mem_grow(hot->noted, &hot->noted_capacity, hot->n_noted + 1, sizeof(*hot->noted));
	hot->noted[hot->n_noted++] = (struct hot_address){opened, addr};
}

static void hot_add(struct hot_functions *hot, pid_t thread, struct stack_walk walk)
{
	struct seen_function *outermost = NULL;
	enum unwind_end end;

	hot->n_samples++;
	do {
		const uint64_t pc = stack_walk_pc(&walk);
		const struct mapped_module *module;
		struct opened_file *opened = hot_file(hot, pc, &module);
		struct seen_function *seen;

		if (!opened || !opened->sites)
			return;
		seen = hot_visit(hot, pc - opened->load_bias, opened, module);
		if (seen) {
			hot_count(hot, seen, thread);
			seen->public.self += walk.depth == 0;
			if (!outermost)
				hot_note_line(hot, opened, pc - opened->load_bias);
			outermost = seen;
		}
		if (seen && !strcmp(seen->public.name, "main")) { /* its callers tell nothing */
			seen->public.outermost++;
			return;
		}
		end = stack_walk_out(&walk, opened);
		if (end == UNWIND_OUTERMOST && outermost)
			outermost->public.outermost++;
	} while (end == UNWIND_CALLER);
}

void hot_functions_sample(struct hot_functions *hot, const struct stack_sample *sample)
{
	struct sampled_stack sampled = {sample->registers, sample->stack, sample->stack_size};

	hot_add(hot, sample->thread, stack_walk_sampled(hot->runner, &sampled));
}

void hot_functions_take(struct hot_functions *hot, struct sampler *sampler)
{
	struct stack_sample sample;

	while (sampler_take(sampler, &sample))
		hot_functions_sample(hot, &sample);
	sampler_follow(sampler);
}

void hot_functions_look(struct hot_functions *hot, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_threads; i++) {
		const struct stopped_thread *thread = &snapshot->threads[i];
		struct unwind_registers registers;

		if (!thread->is_held || thread->is_calling || thread->unknown >> UNWIND_PC & 1)
			continue;
		memcpy(registers.value, thread->registers, sizeof(registers.value));
		registers.unknown = thread->unknown & ((UINT64_C(1) << UNWIND_REGISTERS) - 1);
		hot_add(hot, thread->tid,
			stack_walk_begin(hot->runner, &snapshot->memory, &registers));
	}
}

static int hot_compare_lines(const void *a, const void *b)
{
	const struct hot_line *x = a, *y = b;
	const int order = strcmp(x->file, y->file);

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

size_t hot_functions_lines(struct hot_functions *hot, const struct hot_line **ret)
{
	for (size_t i = 0; i < hot->n_noted; i++)
		hot_count_line(hot, &hot->noted[i]);
	hot->n_noted = 0;
	if (hot->n_lines)
		qsort(hot->lines, hot->n_lines, sizeof(*hot->lines), hot_compare_lines);
	*ret = hot->lines;
	return hot->n_lines;
}

size_t hot_functions_samples(const struct hot_functions *hot)
{
	return hot->n_samples;
}

static double hot_variation(const struct seen_function *seen)
{
	const double n = seen->n + (seen->stretch > 0);
	const double mean = (seen->sum + (double)seen->stretch) / n;
	const double squares = (seen->squares + (double)seen->stretch * (double)seen->stretch) / n;

	return n > 1 ? sqrt(fmax(0, squares - mean * mean)) / mean : 0;
}

static int hot_compare_samples(const void *a, const void *b)
{
	const struct hot_function *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return strcmp(x->name, y->name);
}

size_t hot_functions_list(struct hot_functions *hot, const struct hot_function **ret)
{
	free(hot->list);
	hot->list = mem_alloc((hot->n + 1) * sizeof(*hot->list));
	for (size_t i = 0; i < hot->n; i++) {
		hot->list[i] = hot->seen[i]->public;
		hot->list[i].variation = hot_variation(hot->seen[i]);
	}
	qsort(hot->list, hot->n, sizeof(*hot->list), hot_compare_samples);
	*ret = hot->list;
	return hot->n;
}

/* main() is never seen to begin, nor is what a thread began with. */
static bool is_main_like(const struct hot_function *function)
{
	return !strcmp(function->name, "main") || !strncmp(function->name, "_GLOBAL__", 9) ||
	       2 * function->outermost > function->samples;
}

static int hot_compare_worth(const void *a, const void *b)
{
	const struct hot_function *x = a, *y = b;
	const double of_x = (double)x->samples * (1 + x->variation);
	const double of_y = (double)y->samples * (1 + y->variation);

	return of_x != of_y ? (of_x < of_y ? 1 : -1) : hot_compare_samples(a, b);
}

size_t hot_functions_choose(struct hot_functions *hot, size_t most, struct hot_function **ret)
{
	const struct hot_function *all;
	const size_t n_all = hot_functions_list(hot, &all);
	struct hot_function *chosen = mem_alloc((n_all + 1) * sizeof(*chosen));
	const size_t least = hot->n_samples < FEW_SAMPLES ? 1 : LEAST_SAMPLES;
	size_t n = 0;

	for (int main_like = 0; main_like < 2 && !n; main_like++)
		for (size_t i = 0; i < n_all; i++)
			if (is_main_like(&all[i]) == (main_like > 0) &&
			    strcmp(all[i].name, "main") != 0 && all[i].samples >= least &&
			    (double)all[i].samples >= LEAST_PART * (double)hot->n_samples)
				chosen[n++] = all[i];
	qsort(chosen, n, sizeof(*chosen), hot_compare_worth);
	*ret = chosen;
	return n < most ? n : most;
}

const char *hot_functions_pattern(const struct hot_function *function, struct arena *arena)
{
	const char *name = function->linkage ? function->linkage : function->name;
	const char *base = function->file ? strrchr(function->file, '/') : NULL;

	if (!function->file || !strncmp(name, "_Z", 2))
		return arena_strdup(arena, name);
	return arena_printf(arena, "%s:%s", base ? base + 1 : function->file, name);
}
