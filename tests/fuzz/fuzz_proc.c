/* Texts of /proc: any bytes are read in bounds, and lines are all of a text but for what is cut. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "fuzz.h"
#include "trace/kernel/proc_counters.h"
#include "trace/kernel/proc_file.h"

static void read_fields(const char *text)
{
	uint64_t numbers[METRIC_SUMS] = {0}, ret;
	const char *at = text, *end = text + strlen(text);

	while ((at = proc_number(at, 10 + 6 * (*text & 1), &ret)))
		FUZZ_EXPECT(at > text && at <= end);
	for (unsigned field = 3; field < 60; field++) {
		at = proc_stat_field(text, field);
		FUZZ_EXPECT(!at || (at > text && at <= end));
	}
	at = proc_field(text, "Tgid:");
	FUZZ_EXPECT(!at || (at >= text + 5 && at <= end));
	for (enum proc_counter_file file = 0; file < COUNTER_FILES; file++)
		proc_counters_parse(file, text, numbers);
}

static void read_lines(const uint8_t *bytes, size_t n)
{
	struct proc_lines lines = {.fd = memfd_create("proc", MFD_CLOEXEC)};
	const char *line;
	size_t at = 0;

	FUZZ_EXPECT(write(lines.fd, bytes, n) == (ssize_t)n && lseek(lines.fd, 0, SEEK_SET) == 0);
	while ((line = proc_lines_next(&lines))) {
		const uint8_t *end = memchr(bytes + at, '\n', n - at);
		const size_t length = end ? (size_t)(end - bytes) - at : n - at;

		FUZZ_EXPECT(at < n && strlen(line) < PROC_LINE);
		FUZZ_EXPECT(!memcmp(line, bytes + at, length < PROC_LINE ? length : PROC_LINE - 1));
		at += length + (end != NULL);
	}
	FUZZ_EXPECT(at == n);
	proc_lines_close(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *text = mem_alloc(n + 1);

	memcpy(text, bytes, n);
	read_fields(text);
	read_lines(bytes, n);
	free(text);
	return 0;
}
