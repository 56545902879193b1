/* The layout of records is that of perf_event_open(2). */
#include "user_stack.h"

#include <linux/perf_event.h>
#include <string.h>

/* The DWARF numbers of the registers, in the order of the mask's bits. */
static const uint8_t DWARF_NUMBERS[USER_STACK_REGISTERS] = {0, 3, 2,  1,  4,  5,  6,  7, 16,
							    8, 9, 10, 11, 12, 13, 14, 15};

bool user_stack_parse(const char *record, size_t size, struct user_stack *ret)
{
	uint64_t words[2 + USER_STACK_REGISTERS]; /* ABI, registers, size of the stack */

	if (size < sizeof(words))
		return false;
	memcpy(words, record, sizeof(words));
	record += sizeof(words);
	size -= sizeof(words);
	if (words[0] != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (size_t i = 0; i < USER_STACK_REGISTERS; i++)
		ret->registers[DWARF_NUMBERS[i]] = words[1 + i];
	ret->bytes = record;
	ret->size = words[1 + USER_STACK_REGISTERS];
	if (ret->size > size || size - ret->size < sizeof(uint64_t))
		ret->size = 0;
	else /* the kernel says behind the bytes how many of them it could copy */
		memcpy(&ret->size, record + ret->size, sizeof(uint64_t));
	if (ret->size > size)
		ret->size = 0;
	return true;
}
