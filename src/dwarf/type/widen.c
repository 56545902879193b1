/* Sign- or zero-extends narrow integers: registers have extra bits, and memory loads no sign. */
#include "widen.h"

void widen_load(const struct type *type, const struct member_bits *bits, struct location *at)
{
	if (bits && bits->n_bits) {
		members_load_bits(bits, type->is_signed, at);
		return;
	}
	location_load(at, type->size);
	if (type->size == 8 || at->kind == LOCATION_ABSENT)
		return;
	if (type->is_signed) {
		location_push(&at->steps, PLAN_SEXT, type->size);
	} else {
		location_push(&at->steps, PLAN_CONST,
			      (int64_t)(UINT64_MAX >> (64 - 8 * type->size)));
		location_push(&at->steps, PLAN_AND, 0);
	}
}
