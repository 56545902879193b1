/* Findings are the text of checks and diffs, cut into a head and the rest. */
#include "findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_parts.h"
#include "core/annotation/quote_head.h"
#include "gate.h"

static struct findings *findings_create(const char *what, size_t n)
{
	struct arena *arena = arena_create();
	struct findings *findings = arena_new(arena, struct findings);

	findings->arena = arena;
	findings->what = what;
	findings->list = arena_array(arena, struct finding, n + 1);
	return findings;
}

void findings_destroy(struct findings *findings)
{
	if (findings)
		arena_destroy(findings->arena);
}

static const char *make_name(struct findings *findings, const char *function, enum metric metric,
			     const char *part)
{
	return arena_printf(findings->arena, "%s%s%s",
			    quote_head(findings->arena, function, metric), part ? " " : "",
			    part ? part : "");
}

/* Takes @text. */
static const char *finding_word(const struct findings *findings, enum check_verdict verdict)
{
	return verdict == CHECK_CONFORMS && strcmp(findings->what, "check") != 0
		       ? "unchanged"
		       : check_verdict_name(verdict);
}

static void take_text(struct findings *findings, struct finding *finding, char *text)
{
	char *rest = strchr(text, '\n');

	finding->text = rest ? arena_strdup(findings->arena, rest + 1) : "";
	if (rest)
		*rest = '\0';
	finding->head = arena_strdup(findings->arena, text);
	finding->word = finding_word(findings, finding->verdict);
	free(text);
}

static void findings_add_check(struct findings *findings, const struct check *check,
			       const struct check_subject *subject, bool open_fails)
{
	const struct annotation *annotation = subject->annotation;
	struct finding *finding = &findings->list[findings->n++];
	size_t size, n, violated;
	char *text = NULL;
	FILE *memory = open_memstream(&text, &size);

	check_print_subject(check, subject, false, memory);
	check_parts_print(check, subject, memory);
	fclose(memory);
	*finding = (struct finding){
		.name = make_name(findings, annotation->function, annotation->metric, NULL),
		.metric = annotation->metric,
		.file = subject->file,
		.line = subject->line,
		.verdict = check_verdict(check, subject, &n, &violated),
		.mean = subject->mean,
		.old = annotation,
		.now = subject->now};
	finding->fails =
		!check->gates_decide && (finding->verdict == CHECK_WORSE ||
					 (open_fails && finding->verdict == CHECK_INCONCLUSIVE));
	take_text(findings, finding, text);
}

static void findings_add_gate(struct findings *findings, const struct gate *gate, bool open_fails)
{
	struct finding *finding = &findings->list[findings->n];
	const char *subject = make_name(findings, gate->function, gate->metric, NULL);
	size_t size, i;
	char *text = NULL;
	FILE *memory = open_memstream(&text, &size);

	gate_print(gate, memory);
	fclose(memory);
	*finding = (struct finding){
		.name = strncmp(gate->text, subject, strlen(subject)) != 0
				? make_name(findings, gate->function, gate->metric, gate->text)
				: gate->text,
		.metric = gate->metric,
		.verdict = gate->verdict,
		.fails = gate->verdict == CHECK_WORSE ||
			 (open_fails && gate->verdict == CHECK_INCONCLUSIVE),
		.mean = NAN};
	/* It is where its function is. */
	for (i = 0; i < findings->n; i++)
		if (findings->list[i].old &&
		    !strcmp(findings->list[i].old->function, gate->function)) {
			finding->file = findings->list[i].file;
			finding->line = findings->list[i].line;
		}
	findings->n++;
	take_text(findings, finding, text);
}

struct findings *findings_of_check(const struct check *check, bool open_fails)
{
	struct findings *findings = findings_create("check", check->n_subjects + check->n_gates);

	for (size_t i = 0; i < check->n_subjects; i++)
		findings_add_check(findings, check, &check->subjects[i], open_fails);
	for (size_t i = 0; i < check->n_gates; i++)
		findings_add_gate(findings, &check->gates[i], open_fails);
	if (check->is_of_itself) {
		findings->list += check->n_subjects;
		findings->n -= check->n_subjects;
	}
	return findings;
}

static enum check_verdict verdict_of(const struct diff_subject *subject)
{
	switch (subject->verdict) {
	case DIFF_WORSE:
		return CHECK_WORSE;
	case DIFF_BETTER:
		return CHECK_BETTER;
	case DIFF_CONFORMS:
		return CHECK_CONFORMS;
	case DIFF_INCONCLUSIVE:
		break;
	}
	return subject->reason ? CHECK_UNTESTED : CHECK_INCONCLUSIVE;
}

static void findings_add_result(struct findings *findings, const struct method_result *result,
				enum method method)
{
	const bool is_worse = method_is_worse(result);
	struct finding *finding = &findings->list[findings->n++];

	*finding = (struct finding){
		.name = make_name(findings, result->function, result->metric, result->side),
		.metric = result->metric,
		.file = result->now ? result->now->file : NULL,
		.line = result->now ? result->now->line : 0,
		.verdict = result->reason                  ? CHECK_UNTESTED
			   : is_worse                      ? CHECK_WORSE
			   : result->grade >= GRADE_CHANGE ? CHECK_BETTER
			   : result->grade == GRADE_MAYBE  ? CHECK_INCONCLUSIVE
							   : CHECK_CONFORMS,
		.fails = is_worse,
		.head = method_text(result, method, findings->arena),
		.text = "",
		.mean = NAN,
		.old = result->old,
		.now = result->now};
	finding->word = finding_word(findings, finding->verdict);
}

struct findings *findings_of_diff(const char *what, const struct diff *diff, enum method method,
				  bool open_fails)
{
	struct findings *findings = findings_create(what, diff->n_subjects + diff->n_results);

	for (size_t i = 0; i < diff->n_results; i++)
		findings_add_result(findings, &diff->results[i], method);

	for (size_t i = 0; i < diff->n_subjects; i++) {
		const struct diff_subject *subject = &diff->subjects[i];
		struct finding *finding = &findings->list[findings->n++];
		size_t size;
		char *text = NULL;
		FILE *memory = open_memstream(&text, &size);

		diff_print(subject, false, memory);
		fclose(memory);
		*finding = (struct finding){.name = make_name(findings, subject->function,
							      subject->metric, subject->side),
					    .metric = subject->metric,
					    .file = subject->new ? subject->new->file : NULL,
					    .line = subject->new ? subject->new->line : 0,
					    .verdict = verdict_of(subject),
					    .mean = subject->mean_new,
					    .old = subject->old,
					    .now = subject->new};
		finding->fails = finding->verdict == CHECK_WORSE ||
				 (open_fails && finding->verdict == CHECK_INCONCLUSIVE);
		take_text(findings, finding, text);
	}
	return findings;
}

size_t findings_count(const struct findings *findings, enum check_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < findings->n; i++)
		n += findings->list[i].verdict == verdict;
	return n;
}

const char *findings_summary(const struct findings *findings)
{
	static const struct {
		enum check_verdict verdict;
		const char *word;
	} words[] = {{CHECK_WORSE, "worse"},
		     {CHECK_INCONCLUSIVE, "inconclusive"},
		     {CHECK_BETTER, "better"},
		     {CHECK_CONFORMS, "unchanged"},
		     {CHECK_UNTESTED, "not compared"}};
	const char *text = "";

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const size_t n = findings_count(findings, words[i].verdict);

		if (n)
			text = arena_printf(findings->arena, "%s%s%zu %s", text, *text ? ", " : "",
					    n, words[i].word);
	}
	return *text ? text : "nothing was compared";
}
