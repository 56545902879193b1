/* Counts the jump sites of a function, and names the probes without one. */
#include "site_text.h"

#include <inttypes.h>

struct site_kind {
	const char *one, *many;
};

static const struct site_kind kind_entry = {"entry", "entries"};
static const struct site_kind kind_branch = {"branch", "branches"};
static const struct site_kind kinds_exit[] = {
	[EXIT_RETURN] = {"return", "returns"},
	[EXIT_TAIL_JUMP] = {"tail jump", "tail jumps"},
	[EXIT_INDIRECT_JUMP] = {"indirect jump", "indirect jumps"},
	[EXIT_BLOCK] = {"end", "ends"},
};

static void count_print(size_t with, size_t n, const struct site_kind *kind, FILE *out)
{
	if (n)
		fprintf(out, ", %zu of %zu %s", with, n, n == 1 ? kind->one : kind->many);
}

static void short_print(size_t n, FILE *out)
{
	if (n)
		fprintf(out, " (%zu by a short jump)", n);
}

static void exits_count(const struct function *function, enum exit_kind kind, FILE *out)
{
	size_t with = 0, with_gap = 0, n = 0;

	for (size_t i = 0; i < function->n_exits; i++) {
		with_gap += function->exits[i].kind == kind && function->exits[i].site.gap_addr;
		n += function->exits[i].kind == kind;
		with += function->exits[i].kind == kind && function->exits[i].site.size;
	}
	count_print(with, n, &kinds_exit[kind], out);
	short_print(with_gap, out);
}

static void branches_count(const struct function *function, FILE *out)
{
	size_t with = 0, with_gap = 0;

	for (size_t i = 0; i < function->n_branches; i++) {
		with += function->branches[i].site.size != 0;
		with_gap += function->branches[i].site.gap_addr != 0;
	}
	count_print(with, function->n_branches, &kind_branch, out);
	short_print(with_gap, out);
}

static void reason_print(const struct function *function, const struct site_kind *kind,
			 uint64_t addr, const struct jump_site *site, FILE *out)
{
	const bool before = addr < function->entry_addr; /* in a cold part */

	if (site->size)
		return;
	fprintf(out, "; %s at %s0x%" PRIx64 ": int3, because %s", kind->one, before ? "-" : "+",
		before ? function->entry_addr - addr : addr - function->entry_addr,
		site->why ? site->why : "it is not known");
}

/* A tail call to code that is not measured ends where the caller goes on. */
static void landings_print(const struct function *function, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < function->n_exits; i++)
		any |= exit_is_jump(function->exits[i].kind);
	if (any)
		fprintf(out, " (and behind %zu of %zu direct calls)", function->n_landings,
			function->n_calls);
}

void site_text_print(const struct function *function, bool branches, FILE *out)
{
	fprintf(out, "    pads: %s", function->site.size ? "entry" : "no entry");
	short_print(function->site.gap_addr != 0, out);
	exits_count(function, EXIT_RETURN, out);
	exits_count(function, EXIT_TAIL_JUMP, out);
	exits_count(function, EXIT_INDIRECT_JUMP, out);
	landings_print(function, out);
	exits_count(function, EXIT_BLOCK, out);
	if (branches)
		branches_count(function, out);
	reason_print(function, &kind_entry, function->probe_addr, &function->site, out);
	for (size_t i = 0; i < function->n_exits; i++)
		reason_print(function, &kinds_exit[function->exits[i].kind],
			     function->exits[i].addr, &function->exits[i].site, out);
	for (size_t i = 0; branches && i < function->n_branches; i++)
		reason_print(function, &kind_branch, function->branches[i].addr,
			     &function->branches[i].site, out);
	fputc('\n', out);
}
