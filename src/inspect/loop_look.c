/* Prints what hot_functions.c counts. */
#include "loop_look.h"

#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "hot_functions.h"
#include "trace/sampler.h"

enum { PERIOD_US = 1000, LOOK_MS = 200, EVERY_MS = 20, SAMPLES_LEAST = 10, LINES_MOST = 3 };

static bool loop_is_due(const struct stack *stack)
{
	for (size_t i = 0; i < stack->n_threads; i++)
		for (size_t j = 0; j < stack->threads[i].n_frames; j++)
			if (stack->threads[i].activity == STACK_RUNS &&
			    stack_is_own(stack, &stack->threads[i].frames[j]))
				return true;
	return false;
}

static void loop_print(struct hot_functions *hot, FILE *out)
{
	const struct hot_line *lines;
	const size_t all = hot_functions_samples(hot), n = hot_functions_lines(hot, &lines);

	if (all < SAMPLES_LEAST || !n)
		return;
	fputs("it is at work at ", out);
	for (size_t i = 0; i < n && i < LINES_MOST; i++) {
		const char *base = strrchr(lines[i].file, '/');

		fputs(i ? ", " : "", out);
		text_print_safe(out, base ? base + 1 : lines[i].file);
		fprintf(out, ":%u in ", lines[i].line);
		text_print_safe(out, lines[i].function);
		fprintf(out, " (%.0f %%)", 100.0 * (double)lines[i].samples / (double)all);
	}
	fprintf(out, ", by %zu samples\n", all);
}

void loop_look_print(const struct stack *stack, const char *debuginfo_path, FILE *out)
{
	struct hot_functions *hot;
	struct sampler *sampler;
	struct err ignored;
	int64_t until_ms;

	if (!loop_is_due(stack) || !sampler_open(stack->pid, PERIOD_US, &sampler, &ignored))
		return;
	hot = hot_functions_create(stack->pid, debuginfo_path);
	for (until_ms = clock_now_ms() + LOOK_MS; clock_now_ms() < until_ms;) {
		poll(NULL, 0, EVERY_MS);
		hot_functions_take(hot, sampler);
	}
	loop_print(hot, out);
	sampler_close(sampler);
	hot_functions_destroy(hot);
}
