/* Where the threads of a process that run are at work: lines, by samples of a moment. */
#pragma once

#include <stdio.h>
#include <sys/types.h>

#include "core/verdict/stack.h"

/*
 * If a thread of @stack runs in a call of the program itself: sample the process, which is not
 * stopped, for a fifth of a second, and print a sentence. Without the right to, or if it no longer
 * runs, nothing is printed. @debuginfo_path: as in struct catalogue_request.
 */
void loop_look_print(const struct stack *stack, const char *debuginfo_path, FILE *out);
