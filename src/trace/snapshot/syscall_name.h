/*
 * The names of system calls on x86-64. The table is made at build, by system_call_names, of
 * <asm/unistd_64.h>.
 */
#pragma once

#include <stdint.h>

/* "futex"; NULL: there is none with that number. */
const char *syscall_name(uint64_t number);
