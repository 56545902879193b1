/* Read plans as data: checking, printing and parsing. plan_runner.c runs them. */
#include "read_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/value.h"

enum { STEP_TEXT_MAX = 64 };

struct op_info {
	const char *name;
	bool argument;
	unsigned pops, pushes;
};

static const struct op_info op_infos[PLAN_OP_COUNT] = {
	[PLAN_REG] = {"reg", true, 0, 1},         [PLAN_CONST] = {"const", true, 0, 1},
	[PLAN_ADDRESS] = {"address", true, 0, 1}, [PLAN_ADD] = {"add", true, 1, 1},
	[PLAN_LOAD] = {"load", true, 1, 1},       [PLAN_NONNULL] = {"nonnull", false, 1, 1},
	[PLAN_STRLEN] = {"strlen", false, 1, 1},  [PLAN_SEXT] = {"sext", true, 1, 1},
	[PLAN_STRNLEN] = {"strnlen", true, 1, 1}, [PLAN_SUM] = {"sum", true, 1, 1},
	[PLAN_BOUND] = {"bound", false, 2, 1},    [PLAN_INT128] = {"int128", true, 2, 1},
	[PLAN_X87] = {"x87", false, 2, 1},        [PLAN_CLASS] = {"class", false, 1, 1},
	[PLAN_TEXT] = {"text", false, 3, 1},      [PLAN_CAST] = {"cast", true, 1, 1},
	[PLAN_DUP] = {"dup", false, 1, 2},        [PLAN_DROP] = {"drop", false, 1, 0},
	[PLAN_SWAP] = {"swap", false, 2, 2},      [PLAN_PICK] = {"pick", true, 0, 1},
	[PLAN_PLUS] = {"plus", false, 2, 1},      [PLAN_MINUS] = {"minus", false, 2, 1},
	[PLAN_MUL] = {"mul", false, 2, 1},        [PLAN_DIV] = {"div", false, 2, 1},
	[PLAN_AND] = {"and", false, 2, 1},        [PLAN_OR] = {"or", false, 2, 1},
	[PLAN_XOR] = {"xor", false, 2, 1},        [PLAN_SHL] = {"shl", false, 2, 1},
	[PLAN_SHR] = {"shr", false, 2, 1},        [PLAN_SHRA] = {"shra", false, 2, 1},
	[PLAN_NEG] = {"neg", false, 1, 1},        [PLAN_NOT] = {"not", false, 1, 1},
	[PLAN_MOD] = {"mod", false, 2, 1},        [PLAN_EQUAL] = {"equal", false, 2, 1},
	[PLAN_LESS] = {"less", false, 2, 1},      [PLAN_BELOW] = {"below", false, 2, 1},
	[PLAN_ROT] = {"rot", false, 3, 3},        [PLAN_CONVERT] = {"convert", true, 1, 1},
	[PLAN_REQUIRE] = {"require", true, 1, 0}, [PLAN_DOUBLE] = {"double", true, 2, 1},
};

static const char *const result_names[PLAN_RESULT_COUNT] = {
	[PLAN_SIGNED] = "signed",
	[PLAN_UNSIGNED] = "unsigned",
	[PLAN_FLOAT] = "float",
	[PLAN_BOOL] = "bool",
};

static bool is_word_size(int64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

int64_t read_plan_pack_array(const struct plan_array *array)
{
	return (int64_t)((uint64_t)array->n | (uint64_t)array->size << 32 |
			 (uint64_t)array->element << 40);
}

struct plan_array read_plan_unpack_array(int64_t arg)
{
	const uint64_t bits = (uint64_t)arg;

	return (struct plan_array){(uint32_t)bits, (unsigned)(bits >> 32 & 0xff),
				   (enum plan_result)(bits >> 40 & 0xff)};
}

static bool array_valid(int64_t arg)
{
	const struct plan_array array = read_plan_unpack_array(arg);

	return (uint64_t)arg >> 48 == 0 && array.n && is_word_size(array.size) &&
	       (uint64_t)array.n * array.size <= PLAN_ARRAY_MAX &&
	       array.element < PLAN_RESULT_COUNT &&
	       (array.element != PLAN_FLOAT || array.size >= 4);
}

static bool argument_valid(const struct plan_step *step, unsigned depth)
{
	switch (step->op) {
	case PLAN_REG:
		return step->arg >= 0 && step->arg < PLAN_REGISTERS;
	case PLAN_LOAD:
		return is_word_size(step->arg);
	case PLAN_SEXT:
		return is_word_size(step->arg) && step->arg < 8;
	case PLAN_PICK:
		return step->arg >= 0 && step->arg < depth;
	case PLAN_STRNLEN:
		return step->arg > 0 && step->arg <= PLAN_STRING_MAX;
	case PLAN_SUM:
		return array_valid(step->arg);
	case PLAN_INT128:
		return step->arg == 0 || step->arg == 1;
	case PLAN_REQUIRE:
		return step->arg > PRESENT && step->arg < ABSENCE_COUNT;
	case PLAN_CAST:
		return step->arg >= 0 && step->arg <= INT32_MAX;
	case PLAN_CONVERT:
		return step->arg >= 0 && step->arg < PLAN_FORMAT_COUNT * PLAN_FORMAT_COUNT;
	case PLAN_DOUBLE:
		return step->arg == '+' || step->arg == '-' || step->arg == '*' || step->arg == '/';
	case PLAN_CONST:
	case PLAN_ADDRESS:
	case PLAN_ADD:
	case PLAN_NONNULL:
	case PLAN_STRLEN:
	case PLAN_BOUND:
	case PLAN_X87:
	case PLAN_CLASS:
	case PLAN_TEXT:
	case PLAN_DUP:
	case PLAN_DROP:
	case PLAN_SWAP:
	case PLAN_PLUS:
	case PLAN_MINUS:
	case PLAN_MUL:
	case PLAN_DIV:
	case PLAN_AND:
	case PLAN_OR:
	case PLAN_XOR:
	case PLAN_SHL:
	case PLAN_SHR:
	case PLAN_SHRA:
	case PLAN_NEG:
	case PLAN_NOT:
	case PLAN_MOD:
	case PLAN_EQUAL:
	case PLAN_LESS:
	case PLAN_BELOW:
	case PLAN_ROT:
	case PLAN_OP_COUNT:
		break;
	}
	return true;
}

/* Check one step on a stack of *@depth words, and update the depth. */
static bool step_verify(const struct plan_step *step, unsigned *depth, struct err *err)
{
	const struct op_info *info;

	if ((unsigned)step->op >= PLAN_OP_COUNT)
		return err_set(err, ERR_FORMAT, "a read plan has a step that does not exist");
	info = &op_infos[step->op];
	if (*depth < info->pops)
		return err_set(err, ERR_FORMAT, "step %s of a read plan lacks an operand",
			       info->name);
	if (!argument_valid(step, *depth))
		return err_set(err, ERR_FORMAT, "step %s of a read plan cannot have %" PRId64,
			       info->name, step->arg);
	*depth = *depth - info->pops + info->pushes;
	if (*depth > PLAN_STACK)
		return err_set(err, ERR_FORMAT, "a read plan needs more than %d words of stack",
			       PLAN_STACK);
	return true;
}

static bool result_verify(const struct read_plan *plan, struct err *err)
{
	if ((unsigned)plan->result >= PLAN_RESULT_COUNT)
		return err_set(err, ERR_FORMAT, "a read plan has a result that does not exist");
	if (!is_word_size(plan->size) || (plan->result == PLAN_FLOAT && plan->size < 4))
		return err_set(err, ERR_FORMAT, "a read plan cannot have a %s result of %u bytes",
			       result_names[plan->result], plan->size);
	return true;
}

bool read_plan_verify(const struct read_plan *plan, struct err *err)
{
	unsigned depth = 0;

	if (plan->n_steps == 0)
		return err_set(err, ERR_FORMAT, "a read plan has no steps");
	if (plan->n_steps > PLAN_STEPS_MAX)
		return err_set(err, ERR_FORMAT, "a read plan has more than %d steps",
			       PLAN_STEPS_MAX);
	for (unsigned i = 0; i < plan->n_steps; i++) {
		if (!step_verify(&plan->steps[i], &depth, err))
			return false;
	}
	if (depth != 1)
		return err_set(err, ERR_FORMAT, "a read plan leaves %u words instead of one",
			       depth);
	return result_verify(plan, err);
}

unsigned read_plan_depth(const struct read_plan *plan, unsigned n_steps)
{
	unsigned depth = 0;

	for (unsigned i = 0; i < n_steps; i++) {
		const struct op_info *info = &op_infos[plan->steps[i].op];

		depth += info->pushes - info->pops;
	}
	return depth;
}

bool read_plan_uses_xmm(const struct read_plan *plan)
{
	for (unsigned i = 0; i < plan->n_steps; i++) {
		if (plan->steps[i].op == PLAN_REG && plan->steps[i].arg >= PLAN_XMM0 &&
		    plan->steps[i].arg < PLAN_ENTRY)
			return true;
	}
	return false;
}

void read_plan_print(const struct read_plan *plan, FILE *out)
{
	for (unsigned i = 0; i < plan->n_steps; i++) {
		const struct plan_step *step = &plan->steps[i];

		fputs(op_infos[step->op].name, out);
		if (step->op == PLAN_ADDRESS)
			fprintf(out, " 0x%" PRIx64, (uint64_t)step->arg);
		else if (op_infos[step->op].argument)
			fprintf(out, " %" PRId64, step->arg);
		fputs("; ", out);
	}
	fprintf(out, "%s %u", result_names[plan->result], plan->size);
}

/* A word and perhaps a number: a step or the result. */
struct phrase {
	char word[STEP_TEXT_MAX];
	bool has_number;
	int64_t number;
};

/* The number at @text up to a blank or the end; all 64 bits are valid, as addresses need. */
static bool number_parse(const char *text, int64_t *ret)
{
	const bool negative = *text == '-';
	const char *digits = text + negative;
	unsigned long long magnitude;
	char *end;

	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	magnitude = strtoull(digits, &end, 0);
	if (errno || *end)
		return false;
	*ret = (int64_t)(negative ? -magnitude : magnitude);
	return true;
}

/* Parse up to the next semicolon of *@at, and move behind it. */
static bool phrase_parse(const char **at, struct phrase *ret, struct err *err)
{
	char text[STEP_TEXT_MAX], number[STEP_TEXT_MAX], extra;
	const size_t n = strcspn(*at, ";");
	int found;

	if (n >= sizeof(text))
		return err_set(err, ERR_FORMAT, "a step of a read plan is too long");
	memcpy(text, *at, n);
	text[n] = '\0';
	*at += n + ((*at)[n] == ';');
	found = sscanf(text, "%63s %63s %c", ret->word, number, &extra);
	ret->has_number = found == 2;
	if (found < 1 || found > 2 || (found == 2 && !number_parse(number, &ret->number)))
		return err_set(err, ERR_FORMAT, "\"%s\" is no step of a read plan", text);
	return true;
}

static bool phrase_is_step(const struct phrase *phrase, struct plan_step *ret)
{
	for (unsigned op = 0; op < PLAN_OP_COUNT; op++) {
		if (strcmp(phrase->word, op_infos[op].name) != 0 ||
		    phrase->has_number != op_infos[op].argument)
			continue;
		*ret = (struct plan_step){op, phrase->has_number ? phrase->number : 0};
		return true;
	}
	return false;
}

static bool phrase_is_result(const struct phrase *phrase, struct read_plan *plan)
{
	for (unsigned i = 0; i < PLAN_RESULT_COUNT; i++) {
		if (strcmp(phrase->word, result_names[i]) != 0 || !phrase->has_number ||
		    !is_word_size(phrase->number))
			continue;
		plan->result = i;
		plan->size = (unsigned)phrase->number;
		return true;
	}
	return false;
}

bool read_plan_parse(const char *text, struct arena *arena, struct read_plan *ret, struct err *err)
{
	struct plan_step steps[PLAN_STEPS_MAX];
	struct read_plan plan = {.steps = steps};
	struct phrase phrase;
	bool ended = false;

	while (!ended) {
		if (!phrase_parse(&text, &phrase, err))
			return false;
		ended = phrase_is_result(&phrase, &plan);
		if (ended)
			break;
		if (plan.n_steps == PLAN_STEPS_MAX)
			return err_set(err, ERR_FORMAT, "a read plan has more than %d steps",
				       PLAN_STEPS_MAX);
		if (!phrase_is_step(&phrase, &steps[plan.n_steps++]))
			return err_set(err, ERR_FORMAT, "\"%s\" is no step of a read plan",
				       phrase.word);
	}
	if (text[strspn(text, " \t\n")])
		return err_set(err, ERR_FORMAT, "a read plan goes on behind its result");
	if (!read_plan_verify(&plan, err))
		return false;
	plan.steps = arena_copy(arena, steps, plan.n_steps * sizeof(*steps));
	*ret = plan;
	return true;
}
