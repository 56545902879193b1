/*
 * What measuring costs. Private to prompt*.c.
 */
#pragma once

#include "prompt_state.h"

/* The process is about to go: `info overhead` will still tell what measuring it cost. */
void prompt_note_overhead(struct prompt *prompt);
