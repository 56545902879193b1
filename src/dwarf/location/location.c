/*
 * Locations as data: of members and pointer targets, and in words. location_compile.c compiles
 * expressions, die_location.c reads DIEs.
 */
#include "location.h"

#include <inttypes.h>
#include <string.h>

void location_push(struct steps *steps, enum plan_op op, int64_t arg)
{
	struct plan_step *last = steps->n ? &steps->step[steps->n - 1] : NULL;

	if (op == PLAN_ADD && arg == 0)
		return;
	if (op == PLAN_ADD && last && last->op == PLAN_ADD) {
		last->arg = (int64_t)((uint64_t)last->arg + (uint64_t)arg);
		if (last->arg == 0)
			steps->n--;
	} else if (steps->n == PLAN_STEPS_MAX) {
		steps->overflow = true;
	} else {
		steps->step[steps->n++] = (struct plan_step){op, arg};
	}
}

void location_append_steps(struct steps *to, const struct steps *from)
{
	for (unsigned i = 0; i < from->n; i++)
		location_push(to, from->step[i].op, from->step[i].arg);
	to->overflow |= from->overflow;
}

const char *location_register_name(unsigned reg)
{
	static const char *const names[PLAN_REGISTERS] = {
		"rax",   "rdx",   "rcx",   "rbx",   "rsi",   "rdi",   "rbp",  "rsp",  "r8",
		"r9",    "r10",   "r11",   "r12",   "r13",   "r14",   "r15",  "rip",  "xmm0",
		"xmm1",  "xmm2",  "xmm3",  "xmm4",  "xmm5",  "xmm6",  "xmm7", "xmm8", "xmm9",
		"xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
	};

	return reg < PLAN_REGISTERS ? names[reg] : NULL;
}

void location_absent(struct location *at, enum absence absence, const char *why)
{
	*at = (struct location){.kind = LOCATION_ABSENT, .absence = absence, .where = why};
}

bool location_is_list(Dwarf_Attribute *attribute)
{
	switch (dwarf_whatform(attribute)) {
	case DW_FORM_sec_offset:
	case DW_FORM_loclistx:
	case DW_FORM_data4: /* before DWARF 4 */
	case DW_FORM_data8:
		return true;
	}
	return false;
}

bool location_is_by_argument(const Dwarf_Op *op)
{
	static const unsigned arguments = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9;

	return op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg15 &&
	       arguments >> (op->atom - DW_OP_breg0) & 1;
}

bool location_is_own_register(const Dwarf_Op *op)
{
	const Dwarf_Op memory = {.atom = op->atom - DW_OP_reg0 + DW_OP_breg0};

	return op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg15 &&
	       !location_is_by_argument(&memory);
}

void location_add(struct location *at, int64_t offset)
{
	if (at->kind != LOCATION_MEMORY)
		return;
	location_push(&at->steps, PLAN_ADD, offset);
	at->offset = (int64_t)((uint64_t)at->offset + (uint64_t)offset);
}

static const char *address_text(const struct location *at, struct arena *arena)
{
	return at->offset ? arena_printf(arena, "%s%+" PRId64, at->where, at->offset) : at->where;
}

/* Shift the word's content down by @offset bytes, and adapt its phrase. */
static void shift_down(struct location *at, uint64_t offset, struct arena *arena)
{
	struct plan_step *first = &at->steps.step[0];

	if (at->kind == LOCATION_REGISTER)
		location_push(&at->steps, PLAN_REG, at->reg);
	at->kind = LOCATION_VALUE;
	if (at->steps.n == 1 && first->op == PLAN_CONST) {
		first->arg = (int64_t)((uint64_t)first->arg >> 8 * offset);
		return;
	}
	location_push(&at->steps, PLAN_CONST, (int64_t)(8 * offset));
	location_push(&at->steps, PLAN_SHR, 0);
	at->where = arena_printf(arena, "%s>>%" PRIu64, address_text(at, arena), 8 * offset);
	at->offset = 0;
}

/* A part at offset 0 may be larger than the word: its own parts may still fit. */
static void word_part(struct location *at, uint64_t offset, uint64_t size, struct arena *arena)
{
	const bool vector = at->kind == LOCATION_REGISTER && at->reg >= PLAN_XMM0;

	if (offset == 0)
		return;
	if (size && offset < 8 && size <= 8 - offset)
		shift_down(at, offset, arena);
	else if (vector && offset >= 8)
		location_absent(at, ABSENT_UNSUPPORTED,
				arena_printf(arena, "in the upper part of %s, which is not read",
					     at->where));
	else
		location_absent(at, ABSENT_OPTIMIZED_OUT,
				arena_printf(arena, "its location is %s, which has not all of it",
					     at->where));
}

/* Keep the pieces that overlap the part, relative to its start. */
static void pieces_cut(struct location *at, uint64_t offset, uint64_t size, struct arena *arena)
{
	struct piece *pieces = arena_array(arena, struct piece, at->n_pieces);
	size_t n = 0, n_there = 0;

	for (size_t i = 0; i < at->n_pieces; i++) {
		struct piece piece = at->pieces[i];
		const uint64_t low = piece.offset > offset ? piece.offset : offset;
		const uint64_t end = piece.offset + piece.size;
		const uint64_t high = end < offset + size ? end : offset + size;

		if (low >= high)
			continue;
		location_part(&piece.at, low - piece.offset, high - low, arena);
		piece.offset = low - offset;
		piece.size = high - low;
		n_there += piece.at.kind != LOCATION_ABSENT;
		pieces[n++] = piece;
	}
	if (!n_there) {
		location_absent(at, ABSENT_OPTIMIZED_OUT, "optimised out here");
		return;
	}
	at->pieces = pieces;
	at->n_pieces = n;
}

static void pieces_part(struct location *at, uint64_t offset, uint64_t size, struct arena *arena)
{
	for (size_t i = 0; i < at->n_pieces; i++) {
		const struct piece *piece = &at->pieces[i];
		const struct location found = piece->at;

		if (offset < piece->offset || offset - piece->offset >= piece->size)
			continue;
		if (size ? size > piece->size - (offset - piece->offset) : offset != piece->offset)
			break;
		offset -= piece->offset;
		*at = found;
		location_part(at, offset, size, arena);
		return;
	}
	if (size)
		pieces_cut(at, offset, size, arena);
	else if (offset)
		location_absent(at, ABSENT_UNSUPPORTED, "in pieces, and its size is not known");
}

void location_part(struct location *at, uint64_t offset, uint64_t size, struct arena *arena)
{
	switch (at->kind) {
	case LOCATION_ABSENT:
		break;
	case LOCATION_MEMORY:
		location_add(at, (int64_t)offset);
		break;
	case LOCATION_REGISTER:
	case LOCATION_VALUE:
		word_part(at, offset, size, arena);
		break;
	case LOCATION_PIECES:
		if (size > UINT64_MAX - offset)
			location_absent(at, ABSENT_UNSUPPORTED, "larger than any object");
		else
			pieces_part(at, offset, size, arena);
		break;
	}
}

/* Append the low @size bytes of @piece's word, moved to their position in the joined one. */
static void piece_join(struct steps *to, const struct piece *piece, unsigned size)
{
	location_append_steps(to, &piece->at.steps);
	if (size < 8) {
		location_push(to, PLAN_CONST, (int64_t)((UINT64_C(1) << 8 * size) - 1));
		location_push(to, PLAN_AND, 0);
	}
	if (piece->offset) {
		location_push(to, PLAN_CONST, (int64_t)(8 * piece->offset));
		location_push(to, PLAN_SHL, 0);
	}
}

static bool location_is_word_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void pieces_join(struct location *at, unsigned size)
{
	struct location word = {.kind = LOCATION_VALUE, .where = "several pieces"};
	uint64_t end = 0; /* of the joined bytes; pieces are in order, without gaps */

	for (size_t i = 0; i < at->n_pieces && end < size; i++) {
		struct piece piece = at->pieces[i];
		const uint64_t n = piece.size < size - end ? piece.size : size - end;

		if (piece.at.kind != LOCATION_ABSENT &&
		    (piece.offset != end ||
		     (piece.at.kind == LOCATION_MEMORY && !location_is_word_size(n))))
			location_absent(&piece.at, ABSENT_UNSUPPORTED, "in pieces of odd sizes");
		location_load(&piece.at, (unsigned)n);
		if (piece.at.kind == LOCATION_ABSENT) {
			*at = piece.at;
			return;
		}
		piece_join(&word.steps, &piece, (unsigned)n);
		if (end)
			location_push(&word.steps, PLAN_OR, 0);
		end += n;
	}
	if (end < size)
		location_absent(&word, ABSENT_OPTIMIZED_OUT, "optimised out here: a part of it");
	*at = word;
}

void location_load(struct location *at, unsigned size)
{
	if (at->kind == LOCATION_REGISTER)
		location_push(&at->steps, PLAN_REG, at->reg);
	else if (at->kind == LOCATION_MEMORY)
		location_push(&at->steps, PLAN_LOAD, size);
	else if (at->kind == LOCATION_PIECES)
		pieces_join(at, size);
}

void location_dereference(struct location *at, struct arena *arena)
{
	const char *text = address_text(at, arena);

	location_load(at, 8);
	if (at->kind == LOCATION_ABSENT)
		return;
	location_push(&at->steps, PLAN_NONNULL, 0);
	at->where = at->kind == LOCATION_MEMORY ? arena_printf(arena, "*(%s)", text) : text;
	at->offset = 0;
	at->kind = LOCATION_MEMORY;
}

const char *location_phrase(const struct location *at, struct arena *arena)
{
	switch (at->kind) {
	case LOCATION_ABSENT:
		return at->where;
	case LOCATION_MEMORY:
		return arena_printf(arena, "at %s", address_text(at, arena));
	case LOCATION_REGISTER:
		return arena_printf(arena, "in %s", at->where);
	case LOCATION_PIECES:
		return !strcmp(at->where, "a constant") ? at->where : "in several pieces";
	case LOCATION_VALUE:
		break;
	}
	if (!strcmp(at->where, "a constant") || !strcmp(at->where, LOCATION_COMPUTED))
		return at->where;
	return arena_printf(arena, "computed from %s", address_text(at, arena));
}
