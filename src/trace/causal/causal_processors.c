/* Reads /proc/stat, whose times are hundredths of a second. Source: proc(5). */
#include "causal_processors.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* All but idle and waiting for disks: user, nice, system, irq, softirq, steal. */
static uint64_t line_busy(const char *line, const cpu_set_t *set)
{
	unsigned long long t[8];
	unsigned cpu;

	if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &t[0], &t[1], &t[2],
		   &t[3], &t[4], &t[5], &t[6], &t[7]) != 9 ||
	    cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, set))
		return 0;
	return t[0] + t[1] + t[2] + t[5] + t[6] + t[7];
}

static uint64_t read_busy_ns(const cpu_set_t *set)
{
	FILE *file = fopen("/proc/stat", "re");
	uint64_t ticks = 0;
	char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0)
		ticks += line_busy(line, set);
	free(line);
	if (file)
		fclose(file);
	return ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void find_processors(pid_t tid, cpu_set_t *ret)
{
	CPU_ZERO(ret);
	if (sched_getaffinity(tid, sizeof(*ret), ret) != 0)
		CPU_SET(0, ret);
}

static uint64_t own_ns(void)
{
	struct timespec own = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
	return (uint64_t)own.tv_sec * 1000000000 + (uint64_t)own.tv_nsec;
}

void causal_processors_begin(struct causal_processors *processors, pid_t tid)
{
	cpu_set_t set;

	find_processors(tid, &set);
	*processors = (struct causal_processors){tid, clock_now_ns(), read_busy_ns(&set), own_ns()};
}

double causal_processors_free(const struct causal_processors *processors, uint64_t ran_ns)
{
	const double elapsed_ns = (double)(clock_now_ns() - processors->began_ns);
	double others_ns;
	cpu_set_t set;

	find_processors(processors->tid, &set);
	others_ns = (double)(read_busy_ns(&set) - processors->busy_ns) -
		    (double)(own_ns() - processors->own_ns) - (double)ran_ns;
	return CPU_COUNT(&set) - fmax(others_ns, 0) / fmax(elapsed_ns, 1);
}
