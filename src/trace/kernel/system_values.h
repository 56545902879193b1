/*
 * The machine: values of system features that do not depend on the inferior's memory.
 *
 * They are read again only after a while, so that they cost next to nothing at a stop: the clock of
 * the processor that a thread runs on after 100 ms, load and free memory after 10 ms.
 *
 * SYSTEM_CPU_CLOCK: MHz; cpufreq's scaling_cur_freq, else "cpu MHz" of /proc/cpuinfo.
 * SYSTEM_LOAD: of a minute, as uptime(1) shows it. SYSTEM_FREE_MEMORY: MemFree, the bytes that no
 * one uses, not even caches; both of sysinfo(2).
 * What the kernel does not say is ABSENT_UNREADABLE.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "core/feature.h"
#include "core/value.h"

struct system_values;

struct system_values *system_values_create(void);
void system_values_destroy(struct system_values *machine); /* NULL is fine */

/*
 * @which at @now_ns of a clock that never goes back, for the thread @tid. Values that are not the
 * machine's (SYSTEM_THREADS, SYSTEM_CALL) are ABSENT_UNREADABLE.
 */
struct value system_values_value(struct system_values *machine, pid_t tid, enum system_value which,
				 uint64_t now_ns);
