/* Private to json*.c: JSON values from ours, which may be unknown, not finite, or not UTF-8. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "core/annotation/run_spread.h"

/* Bytes that are not UTF-8 become U+FFFD; NULL becomes null. */
json_t *json_value_text(const char *text);
json_t *json_value_texts(const char *const *texts, size_t n);

/* Whole numbers have no point; not finite becomes null. */
json_t *json_value_number(double number);

json_t *json_value_address(uint64_t address);

/* @enough: runs a side that would tell a difference; 0: no number. */
json_t *json_value_runs(const struct run_spread *spread, size_t enough);

/* Write @value, which is taken, indented by @indent blanks. False: @out cannot be written. */
bool json_value_write_within(json_t *value, unsigned indent, FILE *out);

/* Write @root, which is taken, and a newline. ERR_IO if @out cannot be written. */
bool json_value_write(json_t *root, FILE *out, struct err *err);
