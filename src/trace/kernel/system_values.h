/*
 * The machine: values of system features that do not depend on the inferior's memory.
 *
 * They are cached, so that they cost next to nothing at a stop: the clock of a thread's processor
 * for 100 ms, load and free memory for 10 ms.
 *
 * SYSTEM_CPU_CLOCK: MHz; cpufreq's scaling_cur_freq, else "cpu MHz" of /proc/cpuinfo.
 * SYSTEM_LOAD: over one minute, as in uptime(1). SYSTEM_FREE_MEMORY: MemFree, bytes not even used
 * by caches; both from sysinfo(2). The others: system_files.h.
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
 * @which for the thread @tid, at @now_ns of a monotonic clock. SYSTEM_THREADS and SYSTEM_CALL,
 * which are not the machine's, are ABSENT_UNREADABLE.
 */
struct value system_values_value(struct system_values *machine, pid_t tid, enum system_value which,
				 uint64_t now_ns);
