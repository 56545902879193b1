/*
 * All instructions of a function are outlined first, so that jumps within it can be written as the
 * number of the instruction that they lead to: how long jumps are, and what fills up to aligned
 * addresses, is no change.
 */
#include "code_body.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "core/catalogue/code_colour.h"
#include "core/catalogue/insn_outline.h"

/* The last: instructions of a function; and, of a file, bytes of texts and tables. */
enum { RANGES_MAX = 16, TEXT_MAX = 4096, TABLE_MAX = 65536, INSNS_MAX = 1 << 22 };
#define CONSTANTS_MAX   ((size_t)1 << 30)
#define HASH_OF_NOTHING 0xcbf29ce484222325

struct body_insn {
	struct insn_outline outline;
	uint64_t addr;
	const uint8_t *bytes;
	bool is_led_to; /* by a jump of the function */
};

struct body_range {
	uint64_t addr, size;
	size_t first, end; /* instructions */
};

struct code_body {
	const struct elf_file *image;
	struct insn_decoder *decoder;
	struct code_places *places;
	struct code_graph *graph;
	enum code_sameness sameness;
	struct code_part *parts;
	size_t n_parts;
	size_t n_constants;
	struct colour_item *items, *item; /* CODE_COLOUR: of each instruction, of this one */
	size_t items_capacity;
	/* Of the function. */
	size_t node;
	struct body_insn *insns;
	size_t n, capacity;
	struct body_range ranges[RANGES_MAX];
	size_t n_ranges;
	uint64_t hash;
	size_t n_tables, n_table_jumps;
	bool loops, unknown;
};

struct code_body *code_body_create(const struct elf_file *image, struct insn_decoder *decoder,
				   struct code_places *places, struct code_graph *graph,
				   enum code_sameness sameness)
{
	struct code_body *body = mem_alloc(sizeof(*body));

	*body = (struct code_body){image, decoder, places, graph, sameness};
	return body;
}

void code_body_take_parts(struct code_body *body, struct code_part *parts, size_t n)
{
	body->parts = parts;
	body->n_parts = n;
}

void code_body_destroy(struct code_body *body)
{
	free(body->insns);
	free(body->items);
	free(body);
}

/* FNV-1a, 64 bits. */
static void hash_bytes(struct code_body *body, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		body->hash = (body->hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
}

static void hash_number(struct code_body *body, uint64_t number)
{
	hash_bytes(body, &number, sizeof(number));
}

/* As far as two functions may differ in it. @masked: where it has an address; 0: it has none. */
static void hash_insn(struct code_body *body, const struct body_insn *insn, size_t masked)
{
	const uint8_t *bytes = insn->bytes;
	const size_t size = insn->outline.size;
	struct insn_shape shape;

	if (body->sameness == CODE_STRICT ||
	    !insn_shape(body->decoder, bytes, size, insn->addr, &shape)) {
		hash_bytes(body, bytes, masked ? masked : size);
		if (masked)
			hash_bytes(body, bytes + masked + 4, size - masked - 4);
		return;
	}
	hash_number(body, shape.mnemonic);
	if (body->sameness == CODE_SEMISTRICT)
		return;
	/* A fixed address is among the constants; what lies there stands for it. */
	hash_number(body, masked && !body->image->relocatable ? 0 : shape.operands);
	memcpy(body->item->uses, shape.uses, sizeof(shape.uses));
	body->item->n_uses = shape.n_uses;
}

static void part_take(struct code_body *body, uint64_t addr)
{
	const size_t at = BISECT_FIRST(i, body->n_parts,
				       addr >= body->parts[i].addr &&
					       addr - body->parts[i].addr >= body->parts[i].size);
	struct code_part *part = body->parts + at;

	if (at == body->n_parts || addr < part->addr)
		return;
	if (!part->is_taken && body->n_ranges < RANGES_MAX)
		body->ranges[body->n_ranges++] = (struct body_range){part->addr, part->size, 0, 0};
	part->is_taken = true;
}

static void range_outline(struct code_body *body, struct body_range *range)
{
	size_t size = 0;
	const uint8_t *bytes = elf_file_code(body->image, range->addr, &size);
	uint64_t addr = range->addr;

	size = bytes && range->size < size ? range->size : size;
	range->first = body->n;
	body->unknown |= size && body->n >= INSNS_MAX;
	while (bytes && size && body->n < INSNS_MAX) {
		struct body_insn insn = {.addr = addr, .bytes = bytes};

		if (!insn_outline(body->decoder, bytes, size, addr, &insn.outline)) {
			insn.outline = (struct insn_outline){.size = 1, .kind = INSN_PLAIN};
			body->unknown = true;
		}
		if (insn.outline.kind != INSN_NOP) {
			body->insns =
				mem_grow(body->insns, &body->capacity, body->n + 1, sizeof(insn));
			body->insns[body->n++] = insn;
		}
		if (insn.outline.target)
			part_take(body, insn.outline.target);
		bytes += insn.outline.size;
		size -= insn.outline.size;
		addr += insn.outline.size;
	}
	range->end = body->n;
}

/*
 * The number of the instruction at @addr, or the next one, which is led to; false: it is not in the
 * function.
 */
static bool body_index(struct code_body *body, uint64_t addr, size_t *ret)
{
	for (size_t i = 0; i < body->n_ranges; i++) {
		const struct body_range *range = &body->ranges[i];

		if (addr - range->addr >= range->size)
			continue;
		*ret = range->first + BISECT_FIRST(k, range->end - range->first,
						   body->insns[range->first + k].addr < addr);
		if (*ret < body->n)
			body->insns[*ret].is_led_to = true;
		return true;
	}
	return false;
}

static void body_link(struct code_body *body, size_t to, enum code_edge_kind kind)
{
	if (to != body->node || kind == CODE_CALL)
		code_graph_link(body->graph, body->node, to, kind);
}

static void hash_place(struct code_body *body, const struct place *place)
{
	const struct code_node *node = &body->graph->nodes[place->node];

	hash_number(body, place->kind);
	if (place->kind != PLACE_NODE && place->kind != PLACE_WORD)
		return;
	if (place->node == body->node)
		hash_bytes(body, "self", 4); /* whatever its name */
	else
		hash_bytes(body, node->linkage, strlen(node->linkage) + 1);
	hash_number(body, place->offset);
	if (node->kind == CODE_OBJECT)
		hash_number(body, node->hash);
}

/*
 * A jump table: entries lead into the function, as distances from the table or, in files with fixed
 * addresses, as addresses. False: it is none.
 */
static bool body_table_read(struct code_body *body, uint64_t addr, const struct place *place,
			    size_t at)
{
	const size_t size = body->image->relocatable ? 4 : 8;
	size_t n = 0, index;

	for (; n < TABLE_MAX && (n + 1) * size <= place->n_bytes; n++) {
		uint64_t word = 0;
		int32_t distance;

		if (size == 8) {
			memcpy(&word, place->bytes + n * size, sizeof(word));
		} else {
			memcpy(&distance, place->bytes + n * size, sizeof(distance));
			word = addr + (uint64_t)(int64_t)distance;
		}
		if (!body_index(body, word, &index))
			break;
		hash_number(body, index);
		body->loops |= index <= at;
	}
	body->n_constants += (n + 1) * size;
	body->n_tables += n > 0;
	return n;
}

/* @size: bytes that are used there; 0: only the address is. */
static void address_see(struct code_body *body, uint64_t addr, size_t size, size_t at)
{
	struct place place;
	size_t index, n;

	if (body_index(body, addr, &index)) {
		hash_number(body, index);
		body->n_tables++; /* of labels, perhaps */
		return;
	}
	place = code_places_at(body->places, addr);
	hash_place(body, &place);
	if (place.kind == PLACE_NODE || place.kind == PLACE_WORD)
		body_link(body, place.node, CODE_REFERENCE);
	if (place.kind != PLACE_BYTES || body->n_constants > CONSTANTS_MAX ||
	    body_table_read(body, addr, &place, at))
		return;
	n = size ? size : TEXT_MAX;
	n = n < place.n_bytes ? n : place.n_bytes;
	n = size ? n : strnlen((const char *)place.bytes, n);
	body->n_constants += n;
	hash_bytes(body, place.bytes, n);
}

/* Where @insn, of a file with fixed addresses, has one; 0: nowhere. */
static size_t fixed_address(const struct code_body *body, const struct body_insn *insn,
			    uint64_t *ret)
{
	static const size_t behind[] = {0, 1, 4};
	uint32_t word;

	if (body->image->relocatable || insn->outline.kind != INSN_PLAIN)
		return 0;
	for (size_t i = 0; i < sizeof(behind) / sizeof(*behind); i++) {
		const size_t from = insn->outline.size - behind[i] - 4;

		if (insn->outline.size < insn->outline.opcode + 1u + behind[i] + 4)
			continue;
		memcpy(&word, insn->bytes + from, sizeof(word));
		*ret = word;
		if (word && code_places_has(body->places, word))
			return from;
	}
	return 0;
}

static void body_plain_see(struct code_body *body, size_t at)
{
	const struct body_insn *insn = &body->insns[at];
	const uint8_t opcode = insn->bytes[insn->outline.opcode];
	size_t masked = 0, used = 0;
	uint64_t addr = 0, hash;
	struct insn full;

	if (insn->outline.may_use_rip &&
	    insn_decode(body->decoder, insn->bytes, insn->outline.size, insn->addr, &full) &&
	    full.rip_offset && full.rip_offset + 4u <= full.size) {
		int32_t distance;

		masked = full.rip_offset;
		memcpy(&distance, insn->bytes + masked, sizeof(distance));
		addr = insn->addr + full.size + (uint64_t)(int64_t)distance;
		used = full.memory.size;
	} else {
		masked = fixed_address(body, insn, &addr);
	}
	body->loops |= insn->outline.opcode &&
		       ((opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf)) &&
		       (insn->bytes[0] == 0xf2 || insn->bytes[0] == 0xf3);
	hash_insn(body, insn, masked);
	hash = body->hash;
	if (masked)
		address_see(body, addr, used, at);
	if (body->sameness == CODE_SEMISTRICT)
		body->hash = hash;
}

static void body_direct_see(struct code_body *body, size_t at)
{
	const struct body_insn *insn = &body->insns[at];
	const struct insn_outline *outline = &insn->outline;
	const uint8_t *opcode = insn->bytes + outline->opcode;
	struct place place;
	size_t index;

	hash_number(body, outline->kind);
	if (outline->kind == INSN_JUMP_IF || outline->kind == INSN_LOOP)
		hash_number(body, (*opcode == 0x0f ? opcode[1] : *opcode) & 15);
	if (outline->kind != INSN_CALL && body_index(body, outline->target, &index)) {
		hash_number(body, index);
		body->loops |= index <= at;
		return;
	}
	place = code_places_at(body->places, outline->target);
	hash_place(body, &place);
	if (place.kind == PLACE_NODE)
		body_link(body, place.node, outline->kind == INSN_CALL ? CODE_CALL : CODE_JUMP);
	else
		body->unknown = true;
}

static void body_indirect_see(struct code_body *body, size_t at)
{
	const struct body_insn *insn = &body->insns[at];
	const bool is_call = insn->outline.kind == INSN_CALL_INDIRECT;
	struct place place = {.kind = PLACE_NOWHERE};
	int32_t distance;
	struct insn full;

	if (insn_decode(body->decoder, insn->bytes, insn->outline.size, insn->addr, &full) &&
	    full.rip_offset && full.rip_offset + 4u <= full.size) {
		memcpy(&distance, insn->bytes + full.rip_offset, sizeof(distance));
		place = code_places_at(body->places,
				       insn->addr + full.size + (uint64_t)(int64_t)distance);
		hash_number(body, insn->outline.kind);
		hash_place(body, &place);
	} else if (!body->image->relocatable && full.table_address) {
		hash_number(body, insn->outline.kind);
		address_see(body, full.table_address, 0, at);
	} else {
		hash_insn(body, insn, 0);
	}
	if (place.kind == PLACE_WORD && body->graph->nodes[place.node].kind != CODE_OBJECT) {
		body_link(body, place.node, is_call ? CODE_CALL : CODE_JUMP);
		return;
	}
	if (place.kind == PLACE_NODE)
		body_link(body, place.node, CODE_REFERENCE);
	body->n_table_jumps += !is_call;
	body->unknown |= is_call;
}

static void body_insn_see(struct code_body *body, size_t at)
{
	switch (body->insns[at].outline.kind) {
	case INSN_CALL:
	case INSN_JUMP:
	case INSN_JUMP_IF:
	case INSN_LOOP:
		body_direct_see(body, at);
		break;
	case INSN_CALL_INDIRECT:
	case INSN_JUMP_INDIRECT:
		body_indirect_see(body, at);
		break;
	case INSN_PLAIN:
	case INSN_NOP:
	case INSN_RETURN:
	case INSN_TRAP:
	case INSN_UNMOVABLE:
		body_plain_see(body, at);
		break;
	}
}

static void body_see(struct code_body *body)
{
	size_t i, block = 0;

	if (body->sameness != CODE_COLOUR) {
		for (i = 0; i < body->n; i++)
			body_insn_see(body, i);
		return;
	}
	body->items =
		mem_grow(body->items, &body->items_capacity, body->n + 1, sizeof(*body->items));
	for (i = 0; i < body->n; i++) {
		body->item = &body->items[i];
		*body->item = (struct colour_item){.hash = 0};
		body->hash = HASH_OF_NOTHING;
		body_insn_see(body, i);
		body->item->hash = body->hash;
	}
	/* Where jumps lead to is known only now. Calls end blocks, too: they may do anything. */
	for (i = 0; i < body->n; i++) {
		block += body->insns[i].is_led_to ||
			 (i && body->insns[i - 1].outline.kind != INSN_PLAIN);
		body->items[i].block = block;
	}
	body->hash = code_colour_hash(body->items, body->n);
}

void code_body_read(struct code_body *body, size_t node)
{
	const struct code_node function = body->graph->nodes[node];

	body->node = node;
	body->n = body->n_tables = body->n_table_jumps = 0;
	body->loops = body->unknown = false;
	body->hash = HASH_OF_NOTHING;
	body->ranges[0] = (struct body_range){function.addr, function.size, 0, 0};
	body->n_ranges = 1;
	for (size_t i = 0; i < body->n_ranges; i++)
		range_outline(body, &body->ranges[i]);
	body_see(body);
	body->graph->nodes[node].hash = body->hash;
	body->graph->nodes[node].loops = body->loops;
	/* A jump that no table is seen for may leave the function. */
	body->graph->nodes[node].calls_unknown =
		body->unknown || body->n_table_jumps > body->n_tables;
}
