/* Measuring the empty function. */
#include "trace/calibrate.h"

#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>

#include "core/catalogue.h"
#include "trace/session.h"

/*
 * On a busy machine, where each stop waits for a processor, fewer calls must do: whoever attaches to a
 * busy program wants to begin.
 */
enum { CALLS = 200, CALLS_MIN = 25, LAUNCHES = 3 };

static const uint64_t LAUNCH_NS = 200000000;

/* `ret` alone, so that its entry and its exit are known without debug information. */
__asm__(".pushsection .text\n"
	".type calibrate_empty, @function\n"
	".local calibrate_empty\n"
	"calibrate_empty:\n"
	"	nop\n"
	"calibrate_empty_exit:\n"
	"	ret\n"
	".size calibrate_empty, . - calibrate_empty\n"
	".popsection\n");

void calibrate_empty(void);
void calibrate_empty_exit(void);

int calibrate_inferior(void)
{
	int i;

	for (i = 0; i < CALLS; i++)
		calibrate_empty();
	return 0;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *numbers, size_t n)
{
	qsort(numbers, n, sizeof(*numbers), by_size);
	return n ? numbers[n / 2] : 0;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

static bool collect(struct session *session, double *durations_us, size_t *ret_n, struct err *err)
{
	const uint64_t until_ns = now_ns() + LAUNCH_NS;
	struct session_event event;
	size_t n = 0;

	do {
		if (!session_next(session, &event, err))
			return false;
		if (event.kind == SESSION_CALL && n < CALLS)
			durations_us[n++] = event.call.metrics[METRIC_TIME].number;
	} while (event.kind != SESSION_ENDED && (n < CALLS_MIN || now_ns() < until_ns));
	*ret_n = n;
	return true;
}

/*
 * One launch, its median. The functions' run-time addresses in this process serve as link-time
 * addresses, and AT_ENTRY as the entry: the copy has the same layout apart from its load bias.
 */
static bool calibrate_once(double *ret_ns, struct err *err)
{
	static const struct plan_step cfa[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
	const uint64_t entry = (uint64_t)calibrate_empty;
	const struct address_range range = {entry, entry + 2};
	const struct exit_site exit = {(uint64_t)calibrate_empty_exit, EXIT_RETURN};
	const struct function function = {.name = "calibrate_empty",
					  .linkage = "calibrate_empty",
					  .ranges = &range,
					  .n_ranges = 1,
					  .entry_addr = entry,
					  .probe_addr = entry,
					  .cfa = {cfa, 2, PLAN_UNSIGNED, 8},
					  .exits = &exit,
					  .n_exits = 1};
	const struct module module = {
		.path = "/proc/self/exe", .relocatable = true, .entry_addr = getauxval(AT_ENTRY)};
	const struct catalogue catalogue = {
		.modules = &module, .n_modules = 1, .functions = &function, .n_functions = 1};
	const struct session_options options = {.follow_fork = false};
	char *argv[] = {"fathom", CALIBRATE_ARGUMENT, NULL};
	double durations_us[CALLS];
	struct session *session;
	size_t n = 0;
	bool done;

	if (!session_launch(&catalogue, module.path, argv, &options, &session, err))
		return false;
	done = collect(session, durations_us, &n, err);
	session_destroy(session);
	if (!done)
		return false;
	if (n < CALLS_MIN)
		return err_set(err, ERR_TARGET, "the cost of a stop could not be calibrated");
	*ret_ns = 1000 * median(durations_us, n);
	return true;
}

/*
 * Where the scheduler puts tracer and tracee on different processors, a stop costs ten times more.
 * The least of several launches is taken, so that no more is subtracted than a stop surely costs.
 */
bool calibrate(unsigned metrics, struct calibration *ret, struct err *err)
{
	const uint64_t until_ns = now_ns() + LAUNCH_NS;
	double least = INFINITY;
	double ns;
	int i;

	for (i = 0; i < LAUNCHES && (!i || now_ns() < until_ns); i++) {
		if (!calibrate_once(&ns, err))
			return err_add(err, "calibration");
		least = ns < least ? ns : least;
	}
	(void)metrics;
	*ret = (struct calibration){.pair[METRIC_TIME] = least / 1000,
				    .stop[METRIC_TIME] = least / 1000};
	return true;
}
