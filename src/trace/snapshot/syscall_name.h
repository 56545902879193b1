/*
 * Names of system calls on x86-64. The script syscall_names makes the table of <asm/unistd_64.h> at
 * build time.
 */
#pragma once

#include <stdint.h>

/* "futex"; NULL: no such number. */
const char *syscall_name(uint64_t number);
