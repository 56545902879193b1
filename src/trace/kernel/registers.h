/*
 * The registers of a stopped tracee by their DWARF numbers (System V x86-64 psABI, figure 3.36).
 */
#pragma once

#include <stdint.h>
#include <sys/user.h>

/* Fill @ret[0..16]; the rest is left alone. */
void registers_by_number(const struct user_regs_struct *registers, uint64_t *ret);
