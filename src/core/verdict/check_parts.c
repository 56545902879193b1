/* References are looked up among what was checked. */
#include "check_parts.h"

#include <string.h>

#include "core/annotation/expectation.h"

enum { PARTS_MAX = 16 };

struct parts {
	const char *names[PARTS_MAX];
	size_t n;
};

static void take_reference(struct parts *parts, const char *name)
{
	size_t i = 0;

	while (i < parts->n && strcmp(parts->names[i], name))
		i++;
	if (i == parts->n && i < PARTS_MAX)
		parts->names[parts->n++] = name;
}

static void take_references(struct parts *parts, const struct formula *formula)
{
	for (size_t i = 0; i < formula->n_terms; i++)
		for (unsigned j = 0; j < formula->terms[i].n_factors; j++)
			if (formula->terms[i].factors[j].kind == FACTOR_REFERENCE)
				take_reference(parts,
					       formula->terms[i].factors[j].reference->function);
}

static void find_check_parts(const struct annotation *annotation, struct parts *ret)
{
	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_models; j++)
			take_references(ret, &annotation->cases[i].models[j].mean);
}

/* CHECK_UNTESTED also if it was not looked at. */
static enum check_verdict part_verdict(const struct check *check, const char *name,
				       enum metric metric)
{
	size_t n, violated;

	for (size_t i = 0; i < check->n_subjects; i++) {
		struct annotation *one = (struct annotation *)check->subjects[i].annotation;
		const struct annotation_list alone = {&one, 1, 1};

		if (expectation_annotation(&alone, name, metric))
			return check_verdict(check, &check->subjects[i], &n, &violated);
	}
	return CHECK_UNTESTED;
}

static bool has_changed(enum check_verdict verdict)
{
	return verdict != CHECK_CONFORMS && verdict != CHECK_UNTESTED;
}

void check_parts_print(const struct check *check, const struct check_subject *subject, FILE *out)
{
	size_t n, violated, n_changed = 0, n_conform = 0;
	enum check_verdict verdicts[PARTS_MAX];
	const char *before = "";
	struct parts parts = {.n = 0};

	if (!has_changed(check_verdict(check, subject, &n, &violated)))
		return;
	find_check_parts(subject->annotation, &parts);
	for (size_t i = 0; i < parts.n; i++) {
		verdicts[i] = part_verdict(check, parts.names[i], subject->annotation->metric);
		n_changed += has_changed(verdicts[i]);
		n_conform += verdicts[i] == CHECK_CONFORMS;
	}
	if (!n_changed && !n_conform)
		return;
	fputs(n_changed ? "  of its parts changed: " : "  not by its parts, which conform: ", out);
	for (size_t i = 0; i < parts.n; i++)
		if (n_changed ? has_changed(verdicts[i]) : verdicts[i] == CHECK_CONFORMS) {
			fprintf(out, "%s%s", before, parts.names[i]);
			before = ", ";
		}
	fputc('\n', out);
}
