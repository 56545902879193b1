/*
 * Numbers in the 64-bit words of read plans: widening, conversion between formats. Private to
 * core/plan.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "read_plan.h"
#include "core/value.h"

/* The low @size bytes of @word, widened. */
uint64_t plan_number_sign_extend(uint64_t word, unsigned size);
uint64_t plan_number_zero_extend(uint64_t word, unsigned size);

/* The bits of a double. */
uint64_t plan_number_bits(double number);

/* The float of @size bytes (4, 8) in the low bytes of @word. */
double plan_number_float(uint64_t word, unsigned size);

/* Numbers wider than 64 bits, rounded to the bits of a double, as all numbers of samples are. */
uint64_t plan_number_int128(uint64_t low, uint64_t high, bool is_signed);
uint64_t plan_number_x87(uint64_t significand, uint64_t exponent);

/* @a and @b are the bits of doubles, and so is the result; @op is PLAN_DOUBLE's. */
uint64_t plan_number_double(uint64_t a, uint64_t b, int64_t op);

/* PLAN_CONVERT with @arg, in place; PRESENT, or why there is no result. */
enum absence plan_number_convert(int64_t arg, uint64_t *word);
