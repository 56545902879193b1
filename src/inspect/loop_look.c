/* Prints what hot_functions.c counts. */
#include "loop_look.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "hot_functions.h"
#include "trace/sampler.h"

enum { PERIOD_US = 1000, LOOK_MS = 200, EVERY_MS = 20, SAMPLES_LEAST = 10, LINES_MOST = 3 };
enum { MOMENTS_MOST = 256, SAME_FRAME_LEAST = 20, CHANGES_LEAST = 4, SP = 7 };

/* A loop does not turn more often; clocks and sums that are no counts may go faster. */
static const double RATE_MOST = 1e9, SAME_RATE = 0.02;

static bool loop_is_due(const struct stack *stack)
{
	for (size_t i = 0; i < stack->n_threads; i++)
		for (size_t j = 0; j < stack->threads[i].n_frames; j++)
			if (stack->threads[i].activity == STACK_RUNS &&
			    stack_is_own(stack, &stack->threads[i].frames[j]))
				return true;
	return false;
}

static bool is_same_frame(const struct loop_moment *a, const struct loop_moment *b)
{
	return a->thread == b->thread && a->registers[SP] == b->registers[SP];
}

/* One whose frame most have. */
static const struct loop_moment *most_common(const struct loop_moment *moments, size_t n)
{
	const struct loop_moment *ret = moments;
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		size_t same = 0;

		for (size_t j = i; j < n; j++)
			same += is_same_frame(&moments[i], &moments[j]);
		if (same > most) {
			most = same;
			ret = &moments[i];
		}
	}
	return most < SAME_FRAME_LEAST ? NULL : ret;
}

static uint64_t moment_value(const struct loop_moment *moment, unsigned place)
{
	return place < MOMENT_REGISTERS ? moment->registers[place]
					: moment->words[place - MOMENT_REGISTERS];
}

/* Steps a second at @place, in moments of @like's frame; NAN: it does not count. */
static double counter_rate(const struct loop_moment *moments, size_t n,
			   const struct loop_moment *like, unsigned place)
{
	const struct loop_moment *last = NULL;
	uint64_t step = 0, sum = 0, from_ns = like->when_ns;
	unsigned ups = 0, downs = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t now, before, rest;

		if (!is_same_frame(&moments[i], like))
			continue;
		now = moment_value(&moments[i], place);
		before = last ? moment_value(last, place) : now;
		ups += now > before;
		downs += now < before;
		rest = now > before ? now - before : before - now;
		sum += rest;
		while (rest) { /* the greatest common divisor */
			const uint64_t smaller = step ? step % rest : 0;

			step = rest;
			rest = smaller;
		}
		last = &moments[i];
	}
	if (!step || (ups && downs) || ups + downs < CHANGES_LEAST || last->when_ns <= from_ns)
		return NAN;
	return (double)(sum / step) * 1e9 / (double)(last->when_ns - from_ns);
}

static int counter_compare(const void *a, const void *b)
{
	const struct loop_counter *x = a, *y = b;

	return (x->rate > y->rate) - (x->rate < y->rate);
}

unsigned loop_look_counters(const struct loop_moment *moments, size_t n,
			    struct loop_counter ret[COUNTERS_MOST])
{
	const struct loop_moment *like = most_common(moments, n);
	struct loop_counter all[MOMENT_REGISTERS + MOMENT_WORDS];
	unsigned n_all = 0, kept = 0;

	for (unsigned place = 0; like && place < MOMENT_REGISTERS + MOMENT_WORDS; place++) {
		const double rate = counter_rate(moments, n, like, place);

		if (rate <= RATE_MOST)
			all[n_all++] = (struct loop_counter){place, rate};
	}
	qsort(all, n_all, sizeof(*all), counter_compare);
	for (unsigned i = 0; i < n_all && kept < COUNTERS_MOST; i++)
		if (!kept || all[i].rate > ret[kept - 1].rate * (1 + SAME_RATE))
			ret[kept++] = all[i];
	return kept;
}

static void turns_print(const struct loop_moment *moments, size_t n, FILE *out)
{
	static const char *const names[MOMENT_REGISTERS] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
		"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
	struct loop_counter counters[COUNTERS_MOST];
	const unsigned n_counters = loop_look_counters(moments, n, counters);

	for (unsigned i = 0; i < n_counters; i++) {
		const unsigned place = counters[i].place;

		const double digit = pow(10, fmax(0, floor(log10(counters[i].rate)) - 2));

		fprintf(out, "%s %.0f times a second (%%", i ? "," : "; loops there turn about",
			round(counters[i].rate / digit) * digit);
		if (place < MOMENT_REGISTERS)
			fprintf(out, "%s)", names[place]);
		else
			fprintf(out, "rsp+%u)", 4 * (place - MOMENT_REGISTERS));
	}
}

static void moment_of(const struct stack_sample *sample, struct loop_moment *ret)
{
	*ret = (struct loop_moment){.thread = sample->thread, .when_ns = sample->when_ns};
	memcpy(ret->registers, sample->registers, sizeof(ret->registers));
	memcpy(ret->words, sample->stack,
	       sample->stack_size < sizeof(ret->words) ? sample->stack_size : sizeof(ret->words));
}

static void loop_print(struct hot_functions *hot, const struct loop_moment *moments,
		       size_t n_moments, FILE *out)
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
	fprintf(out, ", by %zu samples", all);
	turns_print(moments, n_moments, out);
	fputc('\n', out);
}

void loop_look_print(const struct stack *stack, const char *debuginfo_path, FILE *out)
{
	struct hot_functions *hot;
	struct sampler *sampler;
	struct stack_sample sample;
	struct loop_moment *moments;
	size_t n = 0;
	struct err ignored;
	int64_t until_ms;

	if (!loop_is_due(stack) || !sampler_open(stack->pid, PERIOD_US, &sampler, &ignored))
		return;
	hot = hot_functions_create(stack->pid, debuginfo_path);
	moments = mem_alloc(MOMENTS_MOST * sizeof(*moments));
	for (until_ms = clock_now_ms() + LOOK_MS; clock_now_ms() < until_ms;) {
		poll(NULL, 0, EVERY_MS);
		while (sampler_take(sampler, &sample)) {
			hot_functions_sample(hot, &sample);
			if (n < MOMENTS_MOST)
				moment_of(&sample, &moments[n++]);
		}
		sampler_follow(sampler);
	}
	loop_print(hot, moments, n, out);
	free(moments);
	sampler_close(sampler);
	hot_functions_destroy(hot);
}
