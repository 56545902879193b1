/* AT&T's operands: a constant, a register, or memory at displacement(base,index,scale). */
#include "stap_argument.h"

#include <stdlib.h>
#include <string.h>

/* By DWARF number, of 8, 4, 2 and 1 bytes. */
static const char *const registers[][4] = {
	{"rax", "eax", "ax", "al"},      {"rdx", "edx", "dx", "dl"},
	{"rcx", "ecx", "cx", "cl"},      {"rbx", "ebx", "bx", "bl"},
	{"rsi", "esi", "si", "sil"},     {"rdi", "edi", "di", "dil"},
	{"rbp", "ebp", "bp", "bpl"},     {"rsp", "esp", "sp", "spl"},
	{"r8", "r8d", "r8w", "r8b"},     {"r9", "r9d", "r9w", "r9b"},
	{"r10", "r10d", "r10w", "r10b"}, {"r11", "r11d", "r11w", "r11b"},
	{"r12", "r12d", "r12w", "r12b"}, {"r13", "r13d", "r13w", "r13b"},
	{"r14", "r14d", "r14w", "r14b"}, {"r15", "r15d", "r15w", "r15b"},
};

/* Pushes the register at *@text, which moves behind it. */
static bool register_take(const char **text, struct steps *ret)
{
	const size_t n =
		**text == '%' ? strspn(*text + 1, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;

	for (size_t i = 0; n && i < sizeof(registers) / sizeof(*registers); i++)
		for (size_t j = 0; j < 4; j++)
			if (strlen(registers[i][j]) == n &&
			    !strncmp(registers[i][j], *text + 1, n)) {
				location_push(ret, PLAN_REG, (int64_t)i);
				*text += 1 + n;
				return true;
			}
	return false;
}

static bool number_take(const char **text, int64_t *ret)
{
	char *end;

	*ret = strtoll(*text, &end, 0);
	if (end == *text)
		return false;
	*text = end;
	return true;
}

static bool char_take(const char **text, char wanted)
{
	if (**text != wanted)
		return false;
	(*text)++;
	return true;
}

static bool memory_take(const char **text, struct steps *ret)
{
	int64_t displacement, scale = 1;

	if (!number_take(text, &displacement))
		displacement = 0;
	if (!char_take(text, '(') || !register_take(text, ret))
		return false;
	if (char_take(text, ',')) {
		if (!register_take(text, ret) ||
		    (char_take(text, ',') && !number_take(text, &scale)))
			return false;
		location_push(ret, PLAN_CONST, scale);
		location_push(ret, PLAN_MUL, 0);
		location_push(ret, PLAN_PLUS, 0);
	}
	location_push(ret, PLAN_ADD, displacement);
	return char_take(text, ')');
}

static bool operand_take(const char **text, unsigned size, struct steps *ret)
{
	int64_t number;

	if (char_take(text, '$')) {
		if (!number_take(text, &number))
			return false;
		location_push(ret, PLAN_CONST, number);
		return true;
	}
	if (register_take(text, ret))
		return true;
	if (!memory_take(text, ret))
		return false;
	location_push(ret, PLAN_LOAD, size);
	return true;
}

static bool is_size(unsigned long size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

bool stap_argument_next(const char **text, struct stap_argument *ret)
{
	const char *at = *text + strspn(*text, " ");
	const char *end = at + strcspn(at, " ");
	char *after;
	unsigned long size;

	*ret = (struct stap_argument){.at = {.kind = LOCATION_VALUE}, .is_signed = *at == '-'};
	if (at == end)
		return false;
	size = strtoul(at + ret->is_signed, &after, 10);
	ret->size = (unsigned)size;
	at = after;
	if (!is_size(size) || !char_take(&at, '@') ||
	    !operand_take(&at, ret->size, &ret->at.steps) || at != end)
		location_absent(&ret->at, ABSENT_UNSUPPORTED, "its operand is of another form");
	*text = end;
	return true;
}
