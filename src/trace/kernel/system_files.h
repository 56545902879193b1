/*
 * The machine as files of the kernel have it: limits of control groups, pressure, the network.
 *
 * SYSTEM_MEMORY_LIMIT, SYSTEM_MEMORY_LEFT: the least of the control group and of those that it is
 * in; of version 1 (memory.limit_in_bytes) where the process has a memory group of it, else of
 * version 2 (memory.max). Pressure: "some avg10" of /proc/pressure, of the whole machine.
 * SYSTEM_NETWORK: received and sent since the value before, by /proc/PID/net/dev.
 * Values are kept for 100 ms, also for other threads. What the kernel does not say, and a limit
 * that there is not, is ABSENT_UNREADABLE; the first of SYSTEM_NETWORK is ABSENT_NOT_MEASURED.
 * Sources: the kernel's cgroup-v1/memory.rst, cgroup-v2.rst, accounting/psi.rst; proc(5).
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "core/feature.h"
#include "core/value.h"

/* All zero at first. Fields are private. */
struct system_files {
	struct value values[SYSTEM_VALUE_COUNT];
	uint64_t read_ns[SYSTEM_VALUE_COUNT]; /* 0: never */
	double network_bytes;
};

/* @which for the thread @tid at @now_ns; paths begin with @root, "" but in tests. */
struct value system_files_value(struct system_files *files, const char *root, pid_t tid,
				enum system_value which, uint64_t now_ns);
