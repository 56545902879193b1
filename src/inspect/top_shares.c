/* A sampler for each process; functions of the same name and place are one. */
#include "top_shares.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"
#include "trace/descendants.h"
#include "trace/sampler.h"
#include "trace/snapshot.h"

enum { SEARCH_MS = 200, PROCESSES_MOST = 256 };

struct top_process {
	pid_t pid;
	struct hot_functions *hot;
	struct sampler *sampler; /* NULL: it is stopped for each sample */
	struct snapshot *before;
	bool is_over;
};

struct top_shares {
	struct arena *arena;
	const char *debuginfo_path, *why;
	struct top_process processes[PROCESSES_MOST];
	size_t n;
	int64_t searched_ms, looked_ms;
};

static bool top_is_there(pid_t pid)
{
	return kill(pid, 0) == 0 || errno == EPERM;
}

static void top_add(struct top_shares *top, pid_t pid)
{
	struct top_process *process = &top->processes[top->n];
	struct err err;

	for (size_t i = 0; i < top->n; i++)
		if (top->processes[i].pid == pid)
			return;
	if (top->n == PROCESSES_MOST)
		return;
	*process = (struct top_process){.pid = pid};
	process->hot = hot_functions_create(pid, top->debuginfo_path);
	if (!sampler_open(pid, TOP_SHARES_PERIOD_US, &process->sampler, &err)) {
		process->sampler = NULL;
		if (!top->why)
			top->why = arena_strdup(top->arena, err.text);
	}
	top->n++;
}

static void top_search(struct top_shares *top)
{
	for (size_t i = 0; i < top->n; i++) {
		pid_t *children;
		const size_t n = descendants_children(top->processes[i].pid, &children);

		for (size_t j = 0; j < n; j++)
			top_add(top, children[j]);
		free(children);
	}
}

bool top_shares_open(pid_t pid, const char *debuginfo_path, struct top_shares **ret,
		     const char **ret_why, struct err *err)
{
	struct top_shares *top;

	if (!top_is_there(pid))
		return err_set(err, ERR_NOT_FOUND, "there is no process %d", (int)pid);
	top = mem_alloc(sizeof(*top));
	top->arena = arena_create();
	top->debuginfo_path = debuginfo_path;
	top_add(top, pid);
	*ret = top;
	*ret_why = top->why;
	return true;
}

void top_shares_close(struct top_shares *top)
{
	if (!top)
		return;
	for (size_t i = 0; i < top->n; i++) {
		sampler_close(top->processes[i].sampler);
		hot_functions_destroy(top->processes[i].hot);
		snapshot_destroy(top->processes[i].before);
	}
	arena_destroy(top->arena);
	free(top);
}

static void top_look(struct top_process *process)
{
	struct snapshot *snapshot;
	struct err ignored;

	if (!snapshot_take(process->pid, process->before, NULL, NULL, &snapshot, &ignored))
		return;
	hot_functions_look(process->hot, snapshot);
	snapshot_destroy(process->before);
	process->before = snapshot;
}

bool top_shares_tend(struct top_shares *top)
{
	const int64_t now_ms = clock_now_ms();
	const bool looks = now_ms - top->looked_ms >= TOP_SHARES_LOOK_MS;
	bool any = false;

	if (now_ms - top->searched_ms >= SEARCH_MS) {
		top->searched_ms = now_ms;
		top_search(top);
	}
	top->looked_ms = looks ? now_ms : top->looked_ms;
	for (size_t i = 0; i < top->n; i++) {
		struct top_process *process = &top->processes[i];

		if (process->sampler)
			hot_functions_take(process->hot, process->sampler);
		else if (looks && !process->is_over)
			top_look(process);
		process->is_over = process->is_over || descendants_is_over(process->pid);
		any = any || !process->is_over;
	}
	return any;
}

size_t top_shares_samples(const struct top_shares *top)
{
	size_t n = 0;

	for (size_t i = 0; i < top->n; i++)
		n += hot_functions_samples(top->processes[i].hot);
	return n;
}

size_t top_shares_processes(const struct top_shares *top)
{
	return top->n;
}

static bool top_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static int top_compare_functions(const void *a, const void *b)
{
	const struct hot_function *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return x->self != y->self ? (x->self < y->self ? 1 : -1) : strcmp(x->name, y->name);
}

size_t top_shares_functions(struct top_shares *top, struct hot_function **ret)
{
	size_t n = 0, capacity = 0;

	*ret = NULL;
	for (size_t i = 0; i < top->n; i++) {
		const struct hot_function *list;
		const size_t n_list = hot_functions_list(top->processes[i].hot, &list);

		for (size_t j = 0; j < n_list; j++) {
			size_t at = 0;

			while (at < n && (strcmp((*ret)[at].name, list[j].name) != 0 ||
					  !top_same_text((*ret)[at].file, list[j].file) ||
					  (*ret)[at].line != list[j].line))
				at++;
			*ret = mem_grow(*ret, &capacity, n + 1, sizeof(**ret));
			if (at == n) {
				(*ret)[n++] = list[j];
				continue;
			}
			(*ret)[at].samples += list[j].samples;
			(*ret)[at].self += list[j].self;
		}
	}
	if (n)
		qsort(*ret, n, sizeof(**ret), top_compare_functions);
	return n;
}

static int top_compare_lines(const void *a, const void *b)
{
	const struct hot_line *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

size_t top_shares_lines(struct top_shares *top, struct hot_line **ret)
{
	size_t n = 0, capacity = 0;

	*ret = NULL;
	for (size_t i = 0; i < top->n; i++) {
		const struct hot_line *list;
		const size_t n_list = hot_functions_lines(top->processes[i].hot, &list);

		for (size_t j = 0; j < n_list; j++) {
			size_t at = 0;

			while (at < n && (strcmp((*ret)[at].file, list[j].file) != 0 ||
					  strcmp((*ret)[at].function, list[j].function) != 0 ||
					  (*ret)[at].line != list[j].line))
				at++;
			*ret = mem_grow(*ret, &capacity, n + 1, sizeof(**ret));
			if (at == n)
				(*ret)[n++] = list[j];
			else
				(*ret)[at].samples += list[j].samples;
		}
	}
	if (n)
		qsort(*ret, n, sizeof(**ret), top_compare_lines);
	return n;
}
