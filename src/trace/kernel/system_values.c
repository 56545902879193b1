/* Values of system features, cached for a while. */
#include "system_values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/mem.h"
#include "proc.h"
#include "system_files.h"

static const uint64_t CLOCK_NS = 100000000;
static const uint64_t STATE_NS = 10000000;

enum {
	THREADS_KEPT = 64,     /* with more, some share a place and are read more often */
	PROCESSORS_MAX = 8192, /* the kernel's limit */
};

struct thread_clock {
	pid_t tid; /* 0: none */
	int fd;    /* of its stat, kept open; -1: none */
	uint64_t read_ns;
	struct value mhz;
};

struct system_values {
	struct thread_clock clocks[THREADS_KEPT];
	double *mhz; /* of /proc/cpuinfo, by processor; 0: unknown */
	size_t n_mhz, mhz_capacity;
	uint64_t mhz_ns; /* when it was read; 0: never */
	FILE *cpuinfo;   /* kept open; NULL: not yet */
	bool no_cpufreq; /* no processor has the file */
	struct value load, free_memory;
	uint64_t state_ns; /* when they were read; 0: never */
	struct system_files files;
};

static const struct value unknown = {.absence = ABSENT_UNREADABLE};

struct system_values *system_values_create(void)
{
	return mem_alloc(sizeof(struct system_values));
}

static void clock_forget(struct thread_clock *clock)
{
	if (clock->tid && clock->fd >= 0)
		close(clock->fd);
	clock->tid = 0;
}

void system_values_destroy(struct system_values *machine)
{
	if (!machine)
		return;
	for (size_t i = 0; i < THREADS_KEPT; i++)
		clock_forget(&machine->clocks[i]);
	if (machine->cpuinfo)
		fclose(machine->cpuinfo);
	free(machine->mhz);
	free(machine);
}

static bool read_cpufreq(struct system_values *machine, int processor, double *ret_mhz)
{
	char path[96];
	double khz;
	FILE *file;
	bool ok;

	if (machine->no_cpufreq)
		return false;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
		 processor);
	file = fopen(path, "re");
	machine->no_cpufreq = !file;
	if (!file)
		return false;
	ok = fscanf(file, "%lf", &khz) == 1 && khz > 0;
	fclose(file);
	*ret_mhz = khz / 1000;
	return ok;
}

static void note_mhz(struct system_values *machine, unsigned processor, double mhz)
{
	if (processor >= PROCESSORS_MAX)
		return;
	machine->mhz = mem_grow(machine->mhz, &machine->mhz_capacity, processor + 1, sizeof(mhz));
	while (machine->n_mhz <= processor)
		machine->mhz[machine->n_mhz++] = 0;
	machine->mhz[processor] = mhz;
}

static void read_cpuinfo(struct system_values *machine)
{
	unsigned processor = PROCESSORS_MAX;
	char line[4096];
	double mhz;

	machine->n_mhz = 0;
	if (!machine->cpuinfo)
		machine->cpuinfo = fopen("/proc/cpuinfo", "re");
	if (!machine->cpuinfo)
		return;
	rewind(machine->cpuinfo);
	while (fgets(line, sizeof(line), machine->cpuinfo))
		if (sscanf(line, "processor : %u", &processor) != 1 &&
		    sscanf(line, "cpu MHz : %lf", &mhz) == 1 && mhz > 0)
			note_mhz(machine, processor, mhz);
}

static struct value read_clock(struct system_values *machine, int fd, uint64_t now_ns)
{
	const int processor = proc_processor_by(fd);
	double mhz;

	if (processor < 0)
		return unknown;
	if (read_cpufreq(machine, processor, &mhz))
		return (struct value){.number = mhz};
	if (!machine->mhz_ns || now_ns - machine->mhz_ns >= CLOCK_NS) {
		read_cpuinfo(machine);
		machine->mhz_ns = now_ns;
	}
	if ((size_t)processor >= machine->n_mhz || machine->mhz[processor] <= 0)
		return unknown;
	return (struct value){.number = machine->mhz[processor]};
}

static struct value clock_of(struct system_values *machine, pid_t tid, uint64_t now_ns)
{
	struct thread_clock *clock = &machine->clocks[tid % THREADS_KEPT];

	if (clock->tid == tid && now_ns - clock->read_ns < CLOCK_NS)
		return clock->mhz;
	if (clock->tid != tid || clock->mhz.absence) { /* another one may have its number */
		clock_forget(clock);
		*clock = (struct thread_clock){.tid = tid, .fd = proc_open_own(tid)};
	}
	clock->read_ns = now_ns;
	clock->mhz = read_clock(machine, clock->fd, now_ns);
	return clock->mhz;
}

static void read_state(struct system_values *machine, uint64_t now_ns)
{
	struct sysinfo info;

	if (machine->state_ns && now_ns - machine->state_ns < STATE_NS)
		return;
	machine->state_ns = now_ns;
	machine->load = machine->free_memory = unknown;
	if (sysinfo(&info))
		return;
	machine->load = (struct value){.number = info.loads[0] / (double)(1 << SI_LOAD_SHIFT)};
	machine->free_memory = (struct value){.number = (double)info.freeram * info.mem_unit};
}

struct value system_values_value(struct system_values *machine, pid_t tid, enum system_value which,
				 uint64_t now_ns)
{
	switch (which) {
	case SYSTEM_CPU_CLOCK:
		return clock_of(machine, tid, now_ns);
	case SYSTEM_LOAD:
		read_state(machine, now_ns);
		return machine->load;
	case SYSTEM_FREE_MEMORY:
		read_state(machine, now_ns);
		return machine->free_memory;
	case SYSTEM_MEMORY_LIMIT:
	case SYSTEM_MEMORY_LEFT:
	case SYSTEM_PRESSURE_CPU:
	case SYSTEM_PRESSURE_MEMORY:
	case SYSTEM_PRESSURE_IO:
	case SYSTEM_PROCESSORS:
	case SYSTEM_NETWORK:
		return system_files_value(&machine->files, "", tid, which, now_ns);
	case SYSTEM_THREADS:
	case SYSTEM_CALL:
	case SYSTEM_VALUE_COUNT:
		break;
	}
	return unknown;
}
