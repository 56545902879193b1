/* The list of probes. Private to prompt*.c. */
#pragma once

#include "prompt_state.h"

/* The enabled probes that name the function: bit i is prompt->probes[i]. */
uint64_t prompt_probes_of(struct prompt *prompt, unsigned image, unsigned function);
/* After a launch or a change of probes: functions with stopping probes see every call. */
void prompt_apply_probes(struct prompt *prompt);
void prompt_remove_probe(struct prompt *prompt, struct prompt_probe *probe);
void prompt_destroy_probes(struct prompt *prompt);
