/* Widening and converting numbers. */
#include "plan_number.h"

#include <math.h>
#include <string.h>

uint64_t plan_number_sign_extend(uint64_t word, unsigned size)
{
	unsigned unused = 64 - 8 * size;

	return size >= 8 ? word : (uint64_t)((int64_t)(word << unused) >> unused);
}

uint64_t plan_number_zero_extend(uint64_t word, unsigned size)
{
	return size >= 8 ? word : word & ((UINT64_C(1) << 8 * size) - 1);
}

uint64_t plan_number_bits(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

uint64_t plan_number_int128(uint64_t low, uint64_t high, bool is_signed)
{
	unsigned __int128 word = (unsigned __int128)high << 64 | low;

	return plan_number_bits(is_signed ? (double)(__int128)word : (double)word);
}

uint64_t plan_number_x87(uint64_t significand, uint64_t exponent)
{
	long double number = 0;

	memcpy(&number, &significand, 8);
	memcpy((char *)&number + 8, &exponent, 2);
	return plan_number_bits((double)number);
}

static uint64_t float_bits(double number)
{
	float single = (float)number;
	uint32_t bits;

	memcpy(&bits, &single, sizeof(bits));
	return bits;
}

double plan_number_float(uint64_t word, unsigned size)
{
	double number;
	float single;

	memcpy(&number, &word, sizeof(number));
	memcpy(&single, &word, sizeof(single));
	return size == 4 ? (double)single : number;
}

uint64_t plan_number_double(uint64_t a, uint64_t b, int64_t op)
{
	const double x = plan_number_float(a, 8), y = plan_number_float(b, 8);

	return plan_number_bits(op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x / y);
}

/*
 * The bounds are powers of two, which doubles hold exactly; C leaves conversion beyond them
 * undefined.
 */
static enum absence integer_of(double number, bool is_signed, uint64_t *ret)
{
	if (!isfinite(number))
		return ABSENT_NOT_FINITE;
	if (is_signed ? number < -0x1p63 || number >= 0x1p63 : number <= -1 || number >= 0x1p64)
		return ABSENT_UNSUPPORTED;
	*ret = is_signed ? (uint64_t)(int64_t)number : (uint64_t)number;
	return PRESENT;
}

/* Round an integer only once, to the target format. */
static uint64_t float_of(uint64_t word, bool is_signed, enum plan_format to)
{
	const float single = is_signed ? (float)(int64_t)word : (float)word;

	if (to == PLAN_FORMAT_FLOAT)
		return float_bits((double)single);
	return plan_number_bits(is_signed ? (double)(int64_t)word : (double)word);
}

enum absence plan_number_convert(int64_t arg, uint64_t *word)
{
	const enum plan_format from = (enum plan_format)(arg / PLAN_FORMAT_COUNT);
	const enum plan_format to = (enum plan_format)(arg % PLAN_FORMAT_COUNT);
	const double number = plan_number_float(*word, from == PLAN_FORMAT_FLOAT ? 4 : 8);

	if (from == PLAN_FORMAT_SIGNED || from == PLAN_FORMAT_UNSIGNED) {
		if (to == PLAN_FORMAT_FLOAT || to == PLAN_FORMAT_DOUBLE)
			*word = float_of(*word, from == PLAN_FORMAT_SIGNED, to);
	} else if (to == PLAN_FORMAT_FLOAT) {
		*word = float_bits(number);
	} else if (to == PLAN_FORMAT_DOUBLE) {
		*word = plan_number_bits(number);
	} else {
		return integer_of(number, to == PLAN_FORMAT_SIGNED, word);
	}
	return PRESENT;
}
