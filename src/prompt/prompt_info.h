/* The overhead of measuring. Private to prompt*.c. */
#pragma once

#include "prompt_state.h"

/* Keep the overhead for `info overhead`; call it before the process is forgotten. */
void prompt_note_overhead(struct prompt *prompt);
