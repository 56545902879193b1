/* Composites: objects whose parts are in several places. location_compile.c locates each part. */
#include "expression.h"

enum { PIECES_MAX = 64, PIECE_SIZE_MAX = 1 << 24 };

bool pieces_is_piece(const Dwarf_Op *op)
{
	return op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece;
}

/*
 * The piece's size in bytes, and the first byte that it takes of its place. False: a piece of bits.
 */
static bool piece_extent(const Dwarf_Op *op, uint64_t *ret_size, uint64_t *ret_skip)
{
	const bool bits = op->atom == DW_OP_bit_piece;

	if (bits && (op->number % 8 || op->number2 % 8))
		return false;
	*ret_size = bits ? op->number / 8 : op->number;
	*ret_skip = bits ? op->number2 / 8 : 0;
	return *ret_size <= PIECE_SIZE_MAX && *ret_skip <= PIECE_SIZE_MAX;
}

/* Compile @ops, the last of which ends the piece, and append it. */
static bool compile_piece(const struct expression *whole, const Dwarf_Op *ops, size_t n,
			  struct piece *pieces, size_t *n_pieces, uint64_t *offset)
{
	struct expression e = *whole;
	struct piece *piece = &pieces[*n_pieces];
	uint64_t size, skip;

	if (*n_pieces == PIECES_MAX || !piece_extent(&ops[n - 1], &size, &skip))
		return false;
	if (size == 0)
		return true;
	e.at = &piece->at;
	location_compile_expression(&e, ops, n - 1, NULL);
	if (skip)
		location_part(&piece->at, skip, size, whole->arena);
	piece->offset = *offset;
	piece->size = size;
	*offset += size;
	++*n_pieces;
	return true;
}

void pieces_compile(struct expression *e, const Dwarf_Op *ops, size_t n)
{
	struct piece *pieces = arena_array(e->arena, struct piece, PIECES_MAX);
	size_t n_pieces = 0, n_there = 0, first = 0;
	uint64_t offset = 0;

	for (size_t i = 0; i < n; i++) {
		if (!pieces_is_piece(&ops[i]))
			continue;
		if (!compile_piece(e, &ops[first], i + 1 - first, pieces, &n_pieces, &offset)) {
			location_absent(e->at, ABSENT_UNSUPPORTED,
					"in pieces that are not whole bytes, or too many of them");
			return;
		}
		first = i + 1;
	}
	for (size_t i = 0; i < n_pieces; i++)
		n_there += pieces[i].at.kind != LOCATION_ABSENT;
	if (first < n)
		expression_broken(e);
	else if (!n_there && n_pieces)
		*e->at = pieces[0].at;
	else if (!n_there)
		location_absent(e->at, ABSENT_OPTIMIZED_OUT, "optimised out here");
	else
		*e->at = (struct location){.kind = LOCATION_PIECES,
					   .where = "several pieces",
					   .pieces = pieces,
					   .n_pieces = n_pieces};
}
