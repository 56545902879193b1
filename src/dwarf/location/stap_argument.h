/* Arguments of USDT probes, as the assembler wrote them, to locations. */
#pragma once

#include "location.h"

struct stap_argument {
	struct location at; /* LOCATION_VALUE: its steps leave the value; or LOCATION_ABSENT */
	unsigned size;      /* bytes */
	bool is_signed;
};

/* The next of *@text, which moves on: "-4@%eax", "8@$5", "8@-16(%rbp,%rcx,8)". False: the end. */
bool stap_argument_next(const char **text, struct stap_argument *ret);
