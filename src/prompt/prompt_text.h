/* Output of the session; amounts and times as text. Private to prompt*.c. */
#pragma once

#include <stdbool.h>
#include "base/err.h"
#include "core/metric.h"

/* Print a line on standard output; unprintable characters are escaped. */
void prompt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Amounts for people: "1.23 ms", "4.5 MiB", "17". */
enum { PROMPT_AMOUNT = 32 };
const char *prompt_amount(enum metric metric, double amount, char ret[PROMPT_AMOUNT]);
/* "500 ms" → seconds in @ret. ERR_USAGE. */
bool prompt_parse_time(const char *text, double *ret, struct err *err);
