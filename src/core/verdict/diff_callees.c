/* Callees are subjects of their own, of the same metric and comparison. */
#include "diff_callees.h"

#include <string.h>

#include "base/mem.h"

static bool same_side(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

void diff_callees_add(struct diff *diff, const char *caller, const char *callee)
{
	if (!strcmp(caller, callee))
		return;
	diff->calls = mem_grow(diff->calls, &diff->calls_capacity, diff->n_calls + 1,
			       sizeof(*diff->calls));
	diff->calls[diff->n_calls++] = (struct diff_call){
		diff->side, arena_strdup(diff->arena, caller), arena_strdup(diff->arena, callee)};
}

static bool has_moved(const struct diff_subject *subject)
{
	return subject->verdict == DIFF_WORSE || subject->verdict == DIFF_BETTER;
}

/* The callee of @call as it was compared like @caller, with a verdict; NULL: it was not. */
static const struct diff_subject *callee_subject(const struct diff *diff,
						 const struct diff_subject *caller,
						 const struct diff_call *call)
{
	if (!same_side(call->side, caller->side) || strcmp(call->caller, caller->function))
		return NULL;
	for (size_t i = 0; i < diff->n_subjects; i++) {
		const struct diff_subject *callee = &diff->subjects[i];

		if (callee->metric == caller->metric && same_side(callee->side, caller->side) &&
		    !strcmp(callee->function, call->callee) &&
		    (has_moved(callee) || callee->verdict == DIFF_CONFORMS))
			return callee;
	}
	return NULL;
}

static void callees_take(const struct diff *diff, struct diff_subject *caller)
{
	for (size_t i = 0; i < diff->n_calls && caller->n_callees < DIFF_CALLEES; i++) {
		const struct diff_subject *callee = callee_subject(diff, caller, &diff->calls[i]);

		if (callee)
			caller->callees[caller->n_callees++] = (struct diff_callee){
				callee->function, callee->verdict == caller->verdict};
	}
}

void diff_callees_find(struct diff *diff)
{
	for (size_t i = 0; i < diff->n_subjects; i++)
		if (has_moved(&diff->subjects[i]))
			callees_take(diff, &diff->subjects[i]);
}

void diff_callees_print(const struct diff_subject *subject, FILE *out)
{
	bool any = false;
	const char *before = "";

	for (size_t i = 0; i < subject->n_callees; i++)
		any |= subject->callees[i].changed_alike;
	if (!subject->n_callees)
		return;
	fprintf(out, "  %s: ",
		!any                             ? "not by what it calls, which did not"
		: subject->verdict == DIFF_WORSE ? "of what it calls got worse, too"
						 : "of what it calls got better, too");
	for (size_t i = 0; i < subject->n_callees; i++)
		if (subject->callees[i].changed_alike == any) {
			fprintf(out, "%s%s", before, subject->callees[i].function);
			before = ", ";
		}
	fputc('\n', out);
}
