/* Calls of the same function in the same loops are one term. */
#include "skeleton.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "quote.h"

static bool same_term(const struct skeleton_call *a, const struct skeleton_call *b)
{
	return !strcmp(a->function, b->function) && a->n_loops == b->n_loops &&
	       !memcmp(a->loops, b->loops, a->n_loops * sizeof(*a->loops));
}

static bool is_before(const struct skeleton *skeleton, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (same_term(&skeleton->calls[i], &skeleton->calls[at]))
			return true;
	return false;
}

static void print_call_term(const struct skeleton *skeleton, size_t at, FILE *out)
{
	const struct skeleton_call *call = &skeleton->calls[at];
	size_t times = 0;

	for (size_t i = at; i < skeleton->n_calls; i++)
		times += same_term(&skeleton->calls[i], call);
	fputs(" + ", out);
	if (times > 1)
		fprintf(out, "%zu*", times);
	for (size_t i = 0; i < call->n_loops; i++)
		fprintf(out, "turns%u*", call->loops[i] + 1);
	fputc('@', out);
	quote_print(call->function, QUOTE_REFERENCE, out);
}

static bool loop_has_calls(const struct skeleton *skeleton, unsigned loop)
{
	for (size_t i = 0; i < skeleton->n_calls; i++)
		for (size_t j = 0; j < skeleton->calls[i].n_loops; j++)
			if (skeleton->calls[i].loops[j] == loop)
				return true;
	return false;
}

/* Compilers make several of one. */
static bool loop_is_told(const struct skeleton *skeleton, unsigned at)
{
	const struct skeleton_loop *loops = skeleton->loops;

	for (unsigned i = 0; i < at && !loop_has_calls(skeleton, at); i++)
		if (!loop_has_calls(skeleton, i) && loops[i].line == loops[at].line &&
		    loops[i].file && loops[at].file && !strcmp(loops[i].file, loops[at].file))
			return true;
	return false;
}

static void print_loop_place(const struct skeleton *skeleton, unsigned at, FILE *out)
{
	const struct skeleton_loop *loop = &skeleton->loops[at];
	struct arena *arena = arena_create();
	const char *base = loop->file ? strrchr(loop->file, '/') : NULL;
	const char *place =
		loop->file ? arena_printf(arena, "%s:%u", base ? base + 1 : loop->file, loop->line)
			   : arena_printf(arena, "+%" PRIu64 " bytes", loop->offset);

	fputs("  // ", out);
	quote_print(
		loop_has_calls(skeleton, at)
			? arena_printf(arena,
				       "turns%u: of the loop at %s, in a turn of those around "
				       "it.",
				       at + 1, place)
			: arena_printf(arena, "The loop at %s calls nothing: it is in own.", place),
		QUOTE_COMMENT, out);
	fputc('\n', out);
	arena_destroy(arena);
}

void skeleton_print(const struct skeleton *skeleton, FILE *out)
{
	quote_print_head(skeleton->function, METRIC_TIME, out);
	fputs(" {\nfeatures:\n  float own = own;\n", out);
	for (unsigned i = 0; i < skeleton->n_loops; i++)
		if (loop_has_calls(skeleton, i))
			fprintf(out, "  float turns%u = turns%u;\n", i + 1, i + 1);
	fputs("annotations:\n  Norm(own", out);
	for (size_t i = 0; i < skeleton->n_calls; i++)
		if (!is_before(skeleton, i))
			print_call_term(skeleton, i, out);
	fputs(", 0);\n"
	      "  // Not observed: what its code says, each call made; own: without callees.\n",
	      out);
	for (unsigned i = 0; i < skeleton->n_loops; i++)
		if (!loop_is_told(skeleton, i))
			print_loop_place(skeleton, i, out);
	if (skeleton->calls_unknown)
		fputs("  // Calls through pointers and of libraries are in own.\n", out);
	if (skeleton->is_recursive)
		fputs("  // It calls itself, which is in own.\n", out);
	fputs("}\n", out);
}
