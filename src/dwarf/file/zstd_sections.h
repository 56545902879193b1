/*
 * Debug sections that are compressed with zstd, which elfutils before 0.189 cannot read: a copy of
 * the file in memory has them as they were. Needs libzstd when it runs, not when it is built.
 */
#pragma once

/* A descriptor of such a copy of the ELF file @fd; -1: it has none, or they cannot be had. */
int zstd_sections_copy(int fd);
