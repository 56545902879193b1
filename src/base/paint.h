/* Colour for people: on a terminal, unless NO_COLOR is set or TERM is dumb; elsewhere nothing. */
#pragma once

#include <stdio.h>

enum paint { PAINT_NONE, PAINT_STRONG, PAINT_FAINT, PAINT_GOOD, PAINT_BAD };

/* What follows on @out is in @how, until the next. Colour alone says nothing. */
void paint(FILE *out, enum paint how);
