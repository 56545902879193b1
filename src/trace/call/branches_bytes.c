/*
 * Branches as pads note them, and as open calls of pads have them while stops follow them; see
 * branches.h for the bytes.
 */
#include <string.h>

#include "base/mem.h"
#include "branches.h"
#include "branches_set.h"

enum { BYTE_AGAIN = 3, BYTE_SWITCH = 4, BYTE_UNKNOWN = 255 };
#define WORD_UNKNOWN UINT64_MAX

/* Those that pads follow. */
static size_t noted_count(const struct branch_set *set)
{
	return !set ? 0 : set->n < BRANCH_PROBES_MAX ? set->n : BRANCH_PROBES_MAX;
}

/* The first of its bytes, and which branch has it. */
static size_t byte_of(const struct branch_set *set, size_t number)
{
	return number < set->n_loops ? number * sizeof(uint64_t)
				     : set->n_loops * (sizeof(uint64_t) - 1) + number;
}

static size_t number_of(const struct branch_set *set, size_t byte)
{
	const size_t number = byte / sizeof(uint64_t);

	return number < set->n_loops ? number : byte - set->n_loops * (sizeof(uint64_t) - 1);
}

size_t branches_count(const struct measured_function *measured)
{
	const size_t n = noted_count(measured->branches);

	return n ? byte_of(measured->branches, n) : 0;
}

int branches_byte(const struct measured_function *measured, size_t branch)
{
	const size_t n = noted_count(measured->branches);

	for (size_t i = 0; i < n; i++)
		if (measured->branches->list[i].branch == branch &&
		    measured->branches->list[i].state == BRANCH_LIVE)
			return (int)byte_of(measured->branches, i);
	return -1;
}

bool branches_is_live(const struct measured_function *measured, unsigned byte)
{
	return measured->branches->list[number_of(measured->branches, byte)].state == BRANCH_LIVE;
}

static struct value byte_value(uint8_t byte)
{
	if (!byte)
		return (struct value){.absence = ABSENT_NOT_REACHED};
	if (byte == BYTE_AGAIN)
		return (struct value){.absence = ABSENT_LOOPED};
	if (byte == BYTE_UNKNOWN)
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	return (struct value){.number = byte < BYTE_AGAIN ? byte - 1 : byte - BYTE_SWITCH};
}

/* Of branch @number; ABSENT_NOT_REACHED: not at all. */
static struct value noted_value(const struct branch_set *set, size_t number, const uint8_t *bytes)
{
	uint64_t turns;

	if (number >= set->n_loops)
		return byte_value(bytes[byte_of(set, number)]);
	memcpy(&turns, bytes + byte_of(set, number), sizeof(turns));
	return turns == WORD_UNKNOWN ? (struct value){.absence = ABSENT_NOT_MEASURED}
				     : (struct value){.number = (double)turns};
}

struct value *branches_of_bytes(const struct measured_function *measured,
				const struct branches_noted *noted, bool *ret_looped)
{
	struct branch_set *set = measured->branches;
	const size_t n = noted_count(set);
	struct value *values;

	if (!set)
		return NULL;
	values = mem_alloc(measured->function->n_branches * sizeof(*values));
	for (size_t i = 0; i < measured->function->n_branches; i++)
		values[i].absence = ABSENT_NOT_MEASURED;
	for (size_t i = 0; i < n; i++) {
		struct branch_probe *probe = &set->list[i];
		const struct value value = noted_value(set, i, noted->bytes);

		if (probe->state == BRANCH_LIVE && value.absence == ABSENT_LOOPED) {
			probe->state = BRANCH_LOOPED;
			*ret_looped = true;
		}
		if (branches_is_unasked(probe, noted->rank, noted->start_ns))
			values[probe->branch].absence = ABSENT_NOT_ASKED;
		else if (probe->state == BRANCH_LIVE)
			values[probe->branch] = value;
		else if (probe->state == BRANCH_LOOPED)
			values[probe->branch].absence = ABSENT_LOOPED;
	}
	return values;
}

void branches_take_bytes(const struct measured_function *measured, const uint8_t *bytes,
			 struct open_call *call)
{
	const struct branch_set *set = measured->branches;
	const size_t n = noted_count(set);

	for (size_t i = 0; i < n; i++) {
		const struct value value = noted_value(set, i, bytes);

		if (value.absence != ABSENT_NOT_REACHED)
			branches_add_outcome(call, i, value);
	}
}

static uint8_t outcome_byte(const struct branch_probe *probe,
			    const struct measured_function *measured, const struct value *value)
{
	const bool is_switch = measured->function->branches[probe->branch].kind == BRANCH_SWITCH;

	if (value->absence == ABSENT_LOOPED)
		return BYTE_AGAIN;
	if (value->absence != PRESENT || value->number < 0 ||
	    value->number >= BYTE_UNKNOWN - BYTE_SWITCH)
		return BYTE_UNKNOWN;
	return (uint8_t)(is_switch ? BYTE_SWITCH + value->number : 1 + value->number);
}

static void noted_give(const struct branch_set *set, const struct measured_function *measured,
		       const struct branch_outcome *seen, uint8_t *bytes)
{
	const bool known = seen->value.absence == PRESENT;
	const uint64_t turns = known ? (uint64_t)seen->value.number : WORD_UNKNOWN;

	if (seen->number < set->n_loops)
		memcpy(bytes, &turns, sizeof(turns));
	else
		*bytes = outcome_byte(&set->list[seen->number], measured, &seen->value);
}

void branches_give_bytes(const struct measured_function *measured, const struct open_call *call,
			 uint8_t *bytes)
{
	const struct branch_set *set = measured->branches;
	const size_t n = noted_count(set);

	for (size_t i = 0; i < call->n_branches; i++) {
		const struct branch_outcome *seen = &call->branches[i];

		if (seen->number < n)
			noted_give(set, measured, seen, bytes + byte_of(set, seen->number));
	}
}
