/* Reading texts of /proc by system calls alone: async-signal-safe. Callers choose the files. */
#include "proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_SIZE = 64, STATE_FIELD = 3 };

static char *path_add(char *to, const char *end, const char *text)
{
	while (*text && to < end)
		*to++ = *text++;
	*to = '\0';
	return to;
}

static void path_set(char ret[PATH_SIZE], pid_t tid, const char *name)
{
	const char *end = ret + PATH_SIZE - 1;
	char digits[12];
	char *first = digits + sizeof(digits) - 1;
	unsigned rest = (unsigned)tid; /* a negative one becomes a number that no thread has */

	*first = '\0';
	do
		*--first = '0' + rest % 10;
	while (rest /= 10);
	path_add(path_add(path_add(path_add(ret, end, "/proc/"), end, first), end, "/"), end, name);
}

bool proc_open(pid_t tid, const char *name, int flags, int *ret)
{
	char path[PATH_SIZE];

	path_set(path, tid, name);
	*ret = open(path, flags | O_CLOEXEC);
	return *ret >= 0;
}

bool proc_file_room(size_t n, unsigned part)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || n > limit.rlim_max / part)
		return false;
	if (n <= limit.rlim_cur / part)
		return true;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

size_t proc_read_path(const char *path, char *ret, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t more;

	*ret = '\0';
	if (fd < 0)
		return 0;
	while (n < size - 1 && (more = TEMP_FAILURE_RETRY(read(fd, ret + n, size - 1 - n))) > 0)
		n += (size_t)more;
	close(fd);
	ret[n] = '\0';
	return n;
}

size_t proc_read(pid_t tid, const char *name, char *ret, size_t size)
{
	char path[PATH_SIZE];

	path_set(path, tid, name);
	return proc_read_path(path, ret, size);
}

void proc_lines_open(struct proc_lines *lines, pid_t tid, const char *name)
{
	proc_open(tid, name, O_RDONLY, &lines->fd);
	lines->at = lines->n = 0;
	lines->is_cut = false;
}

void proc_lines_close(struct proc_lines *lines)
{
	if (lines->fd >= 0)
		close(lines->fd);
	lines->fd = -1;
}

/* Make room and read on. False: end of file. */
static bool lines_fill(struct proc_lines *lines)
{
	ssize_t more;

	memmove(lines->bytes, lines->bytes + lines->at, lines->n - lines->at);
	lines->n -= lines->at;
	lines->at = 0;
	more = TEMP_FAILURE_RETRY(
		read(lines->fd, lines->bytes + lines->n, PROC_LINE - 1 - lines->n));
	lines->n += more > 0 ? (size_t)more : 0;
	return more > 0;
}

char *proc_lines_next(struct proc_lines *lines)
{
	for (;;) {
		char *line = lines->bytes + lines->at;
		char *end = memchr(line, '\n', lines->n - lines->at);
		const bool was_cut = lines->is_cut;

		if (!end && lines->n - lines->at < PROC_LINE - 1 && lines_fill(lines))
			continue;
		if (!end && lines->at == lines->n)
			return NULL;
		line = lines->bytes + lines->at;
		lines->is_cut = !end;
		lines->at = end ? (size_t)(end + 1 - lines->bytes) : lines->n;
		*(end ? end : lines->bytes + lines->n) = '\0';
		if (!was_cut)
			return line;
	}
}

const char *proc_behind(const char *line, const char *name)
{
	const size_t n = strlen(name);

	return strncmp(line, name, n) ? NULL : line + n + strspn(line + n, " \t");
}

const char *proc_field(const char *text, const char *name)
{
	const char *found = NULL;

	while (text && !(found = proc_behind(text, name))) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return found;
}

/* The name in front, in parentheses, may contain anything. */
const char *proc_stat_field(const char *stat, unsigned number)
{
	const char *at = strrchr(stat, ')');

	for (unsigned i = STATE_FIELD - 1; at && i < number; i++)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : NULL;
}

static unsigned digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : UINT_MAX;
}

const char *proc_number(const char *text, unsigned base, uint64_t *ret)
{
	const char *first;

	*ret = 0;
	if (!text)
		return NULL;
	text += strspn(text, " \t");
	if (base == 16 && text[0] == '0' && text[1] == 'x')
		text += 2;
	for (first = text; digit_value(*text) < base; text++)
		if (__builtin_mul_overflow(*ret, base, ret) ||
		    __builtin_add_overflow(*ret, digit_value(*text), ret))
			*ret = UINT64_MAX;
	return text > first ? text : NULL;
}

static uint64_t status_number(pid_t tid, const char *name, unsigned base)
{
	struct proc_lines lines;
	const char *line, *text = NULL;
	uint64_t number;

	proc_lines_open(&lines, tid, "status");
	while (!text && (line = proc_lines_next(&lines)))
		text = proc_behind(line, name);
	proc_lines_close(&lines);
	proc_number(text, base, &number);
	return number;
}

long proc_status(pid_t tid, const char *name)
{
	const uint64_t number = status_number(tid, name, 10);

	return number < LONG_MAX ? (long)number : LONG_MAX;
}

uint64_t proc_status_mask(pid_t tid, const char *name)
{
	return status_number(tid, name, 16);
}

void proc_status_masks(pid_t tid, const char *const *names, size_t n, uint64_t *ret)
{
	struct proc_lines lines;
	const char *line;

	memset(ret, 0, n * sizeof(*ret));
	proc_lines_open(&lines, tid, "status");
	while ((line = proc_lines_next(&lines)))
		for (size_t i = 0; i < n; i++)
			if (proc_behind(line, names[i]))
				proc_number(proc_behind(line, names[i]), 16, &ret[i]);
	proc_lines_close(&lines);
}

char proc_state(pid_t tid)
{
	char text[PROC_STAT];
	const char *state;

	proc_read(tid, "stat", text, sizeof(text));
	state = proc_stat_field(text, STATE_FIELD);
	return state ? *state : '\0';
}

bool proc_is_dead(pid_t tid)
{
	const char state = proc_state(tid);

	return !state || state == 'X' || state == 'Z';
}

int proc_stat_number(pid_t tid, unsigned number)
{
	char text[PROC_STAT];
	uint64_t value;

	proc_read(tid, "stat", text, sizeof(text));
	return proc_number(proc_stat_field(text, number), 10, &value) && value <= INT_MAX
		       ? (int)value
		       : -1;
}

/* "RAN WAITED TIMES\n"; all are 0 where the kernel does not count. */
bool proc_schedstat(const char *text, struct proc_schedstat *ret)
{
	text = proc_number(proc_number(text, 10, &ret->ran_ns), 10, &ret->waited_ns);
	proc_number(text, 10, &ret->times);
	return ret->times != 0;
}

/* Of getdents64(2). */
struct directory_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

bool proc_each_number(const char *path, void (*take)(void *context, pid_t number), void *context)
{
	_Alignas(struct directory_entry) char buffer[4096];
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t number;
	long n, at;

	if (fd < 0)
		return false;
	while ((n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (at = 0; at < n;) {
			const struct directory_entry *entry = (const void *)(buffer + at);

			if (proc_number(entry->name, 10, &number) && number && number <= INT_MAX)
				take(context, (pid_t)number);
			at += entry->size;
		}
	}
	close(fd);
	return true;
}

bool proc_each_thread(pid_t pid, void (*take)(void *context, pid_t tid), void *context)
{
	char path[PATH_SIZE];

	path_set(path, pid, "task");
	return proc_each_number(path, take, context);
}
