/*
 * The list of probes. Private to prompt*.c.
 */
#pragma once

#include "prompt_state.h"

void prompt_print_probes(const struct prompt *prompt, FILE *out);
/* The probes of the function: bits are indices. */
uint64_t prompt_probes_of(struct prompt *prompt, unsigned image, unsigned function);
/* Who stops must see every call: after the process was launched, or probes changed. */
void prompt_apply_probes(struct prompt *prompt);
void prompt_remove_probe(struct prompt *prompt, struct prompt_probe *probe);
void prompt_destroy_probes(struct prompt *prompt);
