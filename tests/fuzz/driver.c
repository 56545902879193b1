/*
 * Drives a fuzz target without a fuzzer, for a fixed number of inputs: the files that it is given,
 * as they are and with mutations that follow from a seed and the input's number alone. Any compiler
 * will do; clang's -fsanitize=fuzzer drives the same targets.
 *
 * Inputs are run in a child, which their failures end: a crash, a finding of a sanitizer, too much
 * time or memory. The parent saves the input and goes on behind it.
 */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

enum {
	FILES_MAX = 256,
	INPUT_SIZE_MAX = 1 << 20,
	MUTATIONS_MAX = 12,
	SECONDS = 5, /* of processor time for one input, if not said otherwise */
	MEMORY_MAX_MB = 1024,
	FAILURES_MAX = 20, /* after that it stops */
};

struct bytes {
	uint8_t *data;
	size_t n;
};

/* What the child is at, in memory that the parent shares. */
struct progress {
	uint64_t input; /* the number of the one that is run */
	size_t n;
	uint8_t bytes[INPUT_SIZE_MAX];
};

struct driver {
	struct bytes files[FILES_MAX];
	size_t n_files;
	uint64_t seed, first, n_inputs, seconds;
	struct progress *progress;
	const char *name;
};

#if defined(__SANITIZE_ADDRESS__)
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:max_allocation_size_mb=1024:quarantine_size_mb=64";
}
#endif

/* splitmix64 */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static void die(const char *what, const char *why)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, why);
	exit(2);
}

static void file_add(struct driver *driver, const char *path)
{
	struct bytes *file = &driver->files[driver->n_files];
	FILE *stream = fopen(path, "rb");

	if (!stream || driver->n_files == FILES_MAX)
		die(path, stream ? "too many files" : strerror(errno));
	file->data = malloc(INPUT_SIZE_MAX);
	file->n = file->data ? fread(file->data, 1, INPUT_SIZE_MAX, stream) : 0;
	fclose(stream);
	driver->n_files++;
}

static void folder_add(struct driver *driver, const char *path)
{
	struct dirent **entries;
	const int n = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			file_add(driver, file);
		free(entries[i]);
	}
	free(entries);
}

static void put_number(struct bytes *input, uint64_t *random)
{
	static const uint64_t numbers[] = {0,          1,          0x7f,       0x80,
					   0xff,       0x7fff,     0x8000,     0xffff,
					   0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff,
					   INT64_MAX,  1ull << 63, UINT64_MAX, 1u << 24};
	const uint64_t number = numbers[random_next(random) % 16];
	const size_t size = 1u << random_next(random) % 4;
	const size_t at = random_next(random) % input->n;

	memcpy(input->data + at, &number, size < input->n - at ? size : input->n - at);
}

/* Copy a piece of up to 64 bytes from anywhere to anywhere. */
static void copy_piece(struct bytes *input, uint64_t *random)
{
	const size_t from = random_next(random) % input->n, to = random_next(random) % input->n;
	const size_t left = input->n - (from > to ? from : to);
	const size_t size = 1 + random_next(random) % 64;

	memmove(input->data + to, input->data + from, size < left ? size : left);
}

static void mutate(struct bytes *input, uint64_t *random)
{
	uint8_t *byte;

	if (!input->n)
		return;
	byte = &input->data[random_next(random) % input->n];
	switch (random_next(random) % 16) {
	case 0:
	case 1:
	case 2:
	case 3:
		*byte ^= (uint8_t)(1u << random_next(random) % 8);
		break;
	case 4:
	case 5:
	case 6:
		*byte = (uint8_t)random_next(random);
		break;
	case 7:
	case 8:
		*byte = (uint8_t)(*byte + (random_next(random) % 2 ? 1 : -1));
		break;
	case 9:
	case 10:
	case 11:
	case 12:
		put_number(input, random);
		break;
	case 13:
	case 14:
		copy_piece(input, random);
		break;
	case 15:
		if (random_next(random) % 8 == 0)
			input->n = random_next(random) % (input->n + 1);
		break;
	}
}

/* Input @number: the files themselves come first. */
static void input_make(const struct driver *driver, uint64_t number, struct bytes *ret)
{
	uint64_t random = driver->seed * 0x2545f4914f6cdd1d + number;
	const bool plain = number < driver->n_files;
	const struct bytes *file =
		&driver->files[plain ? number : random_next(&random) % driver->n_files];
	const uint64_t n = plain ? 0 : 1 + random_next(&random) % MUTATIONS_MAX;

	ret->n = file->n;
	memcpy(ret->data, file->data, file->n);
	for (uint64_t i = 0; i < n; i++)
		mutate(ret, &random);
}

static void limit_time(uint64_t seconds)
{
	const struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};

	setitimer(ITIMER_PROF, &timer, NULL);
	alarm(20 * (unsigned)seconds); /* for one that sleeps */
}

static void child_run(const struct driver *driver, uint64_t from)
{
	for (uint64_t i = from; i < driver->n_inputs; i++) {
		struct bytes input = {driver->progress->bytes, 0};
		uint8_t *exact;

		input_make(driver, i, &input);
		driver->progress->input = i;
		driver->progress->n = input.n;
		exact = malloc(input.n ? input.n : 1); /* reads behind the end are noticed */
		if (!exact)
			exit(1);
		memcpy(exact, input.data, input.n);
		limit_time(driver->seconds);
		LLVMFuzzerTestOneInput(exact, input.n);
		free(exact);
	}
	driver->progress->input = driver->n_inputs;
	exit(0); /* where leaks are looked for */
}

/* End the child if it holds too much memory. (Limits of the system do not go with sanitizers.) */
static void watch_memory(pid_t child)
{
	unsigned long long size, resident;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)child);
	file = fopen(path, "r");
	if (!file)
		return;
	if (fscanf(file, "%llu %llu", &size, &resident) == 2 &&
	    resident * (unsigned long)sysconf(_SC_PAGESIZE) >> 20 > MEMORY_MAX_MB)
		kill(child, SIGKILL);
	fclose(file);
}

static int child_wait(pid_t child)
{
	int status;

	while (waitpid(child, &status, WNOHANG) == 0) {
		watch_memory(child);
		usleep(10000);
	}
	return status;
}

static const char *failure_text(int signal)
{
	if (signal == SIGPROF)
		return "takes too long";
	return signal == SIGKILL ? "takes too much memory" : strsignal(signal);
}

static void failure_tell(const struct driver *driver, int status)
{
	const struct progress *progress = driver->progress;
	char path[4096];
	FILE *file;

	if (WIFSIGNALED(status))
		fprintf(stderr, "fuzz: input %llu of seed %llu: %s\n",
			(unsigned long long)progress->input, (unsigned long long)driver->seed,
			failure_text(WTERMSIG(status)));
	else
		fprintf(stderr, "fuzz: input %llu of seed %llu: exit status %d\n",
			(unsigned long long)progress->input, (unsigned long long)driver->seed,
			WEXITSTATUS(status));
	if (progress->input == driver->n_inputs)
		return;
	snprintf(path, sizeof(path), "%s/failed-%s-%llu-%llu", getenv("TMPDIR") ?: "/tmp",
		 driver->name, (unsigned long long)driver->seed,
		 (unsigned long long)progress->input);
	file = fopen(path, "wb");
	if (!file)
		return;
	fwrite(progress->bytes, 1, progress->n, file);
	fclose(file);
	fprintf(stderr, "fuzz: saved as %s\n", path);
}

static int all_run(struct driver *driver)
{
	int failures = 0;

	while (driver->first < driver->n_inputs && failures < FAILURES_MAX) {
		pid_t child;
		int status;

		fflush(NULL);
		child = fork();
		if (child < 0)
			die("fork", strerror(errno));
		if (child == 0)
			child_run(driver, driver->first);
		status = child_wait(child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			break;
		failures++;
		failure_tell(driver, status);
		driver->first = driver->progress->input + 1;
	}
	return failures;
}

static void arguments_read(struct driver *driver, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		unsigned long long number;
		struct stat status;

		if (sscanf(argv[i], "--seed=%llu", &number) == 1)
			driver->seed = number;
		else if (sscanf(argv[i], "--inputs=%llu", &number) == 1)
			driver->n_inputs = number;
		else if (sscanf(argv[i], "--seconds=%llu", &number) == 1)
			driver->seconds = number;
		else if (sscanf(argv[i], "--first=%llu", &number) == 1)
			driver->first = number;
		else if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode))
			folder_add(driver, argv[i]);
		else
			file_add(driver, argv[i]);
	}
	if (!driver->n_files)
		die(driver->name,
		    "usage: [--seed=N] [--inputs=N] [--first=N] [--seconds=N] FILE-OR-FOLDER...");
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	struct driver driver = {.seed = 1,
				.n_inputs = 1000,
				.seconds = SECONDS,
				.name = slash ? slash + 1 : argv[0]};
	int failures;

	arguments_read(&driver, argc, argv);
	/* Memory goes back and forth between inputs, not to the system. */
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	if (getenv("FATHOM_FULL"))
		driver.n_inputs *= 10;
	if (driver.n_inputs < driver.n_files)
		driver.n_inputs = driver.n_files;
	driver.progress = mmap(NULL, sizeof(*driver.progress), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (driver.progress == MAP_FAILED)
		die("mmap", strerror(errno));
	failures = all_run(&driver);
	fprintf(stderr, "fuzz: %s, seed %llu: %llu inputs of %zu files, %d failed\n", driver.name,
		(unsigned long long)driver.seed, (unsigned long long)driver.n_inputs,
		driver.n_files, failures);
	for (size_t i = 0; i < driver.n_files; i++)
		free(driver.files[i].data);
	return failures != 0;
}
