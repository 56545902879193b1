/* Host and processes, from uname(), PATH and /proc. A process's files: process_files.c. */
#include "host.h"

#include <stdbool.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "dwarf/file/debug_servers.h"
#include "message.h"
#include "trace/kernel/proc_file.h"

static const char *cpu_model(struct arena *arena)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	const char *model = "unknown";
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		char *value = strchr(line, ':');

		if (strncmp(line, "model name", 10) != 0 || !value)
			continue;
		value += 1 + strspn(value + 1, " ");
		value[strcspn(value, "\n")] = '\0';
		model = arena_strdup(arena, value);
		break;
	}
	if (file)
		fclose(file);
	return model;
}

void host_describe(struct arena *arena, struct run *ret)
{
	struct utsname names;

	uname(&names);
	ret->host = arena_strdup(arena, names.nodename);
	ret->kernel = arena_printf(arena, "%s %s", names.sysname, names.release);
	ret->cpu = cpu_model(arena);
	ret->started = time(NULL);
}

struct host_processors host_processors(void)
{
	FILE *file = fopen("/proc/stat", "re");
	unsigned long long t[8] = {0};
	struct host_processors ret = {0};

	/* user, nice, system, idle, waiting for disks, interrupts twice, stolen */
	if (file && fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2],
			   &t[3], &t[4], &t[5], &t[6], &t[7]) == 8) {
		ret.stolen = t[7];
		for (size_t i = 0; i < 8; i++)
			ret.all += t[i];
	}
	if (file)
		fclose(file);
	return ret;
}

/* Below this one unit would decide. */
enum { PROCESSORS_LEAST = 100 };

double host_stolen(const struct host_processors *since)
{
	const struct host_processors now = host_processors();
	const uint64_t all = now.all - since->all;

	if (now.all < since->all + PROCESSORS_LEAST || now.stolen < since->stolen)
		return -1;
	return (double)(now.stolen - since->stolen) / (double)all;
}

static void quote_word(struct text *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";

	if (*word && word[strspn(word, plain)] == '\0') {
		text_add_string(text, word);
		return;
	}
	text_add(text, "'", 1);
	for (; *word; word++)
		if (*word == '\'')
			text_add_string(text, "'\\''");
		else
			text_add(text, word, 1);
	text_add(text, "'", 1);
}

const char *host_quote(struct arena *arena, char *const argv[])
{
	struct text text = {0};
	const char *quoted;

	for (size_t i = 0; argv[i]; i++) {
		if (i)
			text_add(&text, " ", 1);
		quote_word(&text, argv[i]);
	}
	quoted = arena_strdup(arena, text.bytes ? text.bytes : "");
	text_deinit(&text);
	return quoted;
}

static bool host_is_program(const char *file)
{
	struct stat status;

	return stat(file, &status) == 0 && S_ISREG(status.st_mode) && access(file, X_OK) == 0;
}

const char *host_find_program(struct arena *arena, const char *program)
{
	const char *path = getenv("PATH");
	char *copy, *folder;

	if (strchr(program, '/'))
		return program;
	if (!*program)
		return NULL;
	copy = arena_strdup(arena, path ? path : "/usr/bin:/bin");
	while ((folder = strsep(&copy, ":"))) {
		const char *file = arena_printf(arena, "%s/%s", *folder ? folder : ".", program);

		if (host_is_program(file))
			return file;
	}
	return NULL;
}

enum { SCRIPTS_MAX = 5 /* nested: the kernel's limit */ };

/* The interpreter in the first line of the script @path; NULL: no script. */
static const char *interpreter_of(struct arena *arena, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[PATH_MAX + 2];
	bool is_script =
		file && fgets(line, sizeof(line), file) && line[0] == '#' && line[1] == '!';
	const char *name = line + 2;

	if (file)
		fclose(file);
	if (!is_script)
		return NULL;
	name += strspn(name, " \t");
	return arena_printf(arena, "%.*s", (int)strcspn(name, " \t\n"), name);
}

/* Source: execve(2): set-user-ID has no effect on a process whose tracer lacks CAP_SYS_PTRACE. */
const char *host_lost_rights(const char *path)
{
	struct stat status;

	if (geteuid() == 0 || stat(path, &status) != 0 ||
	    (!(status.st_mode & S_ISUID && status.st_uid != geteuid()) &&
	     !(status.st_mode & S_ISGID && status.st_gid != getegid())))
		return NULL;
	return "has the rights of its owner or group, which the kernel does not give to whoever is "
	       "traced: it runs with yours";
}

const char *host_interpreter(struct arena *arena, const char *path)
{
	const char *last = NULL;

	for (unsigned i = 0; i < SCRIPTS_MAX; i++) {
		path = interpreter_of(arena, path);
		if (!path)
			break;
		last = path;
	}
	return last;
}

static bool host_is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

const char *host_debuginfo_path(struct arena *arena, const char *path)
{
	struct text all = {0};
	const char *ret;
	size_t n;

	if (!path || !*path)
		return NULL;
	for (;; path += n + 1) {
		const char *folder;
		char *absolute;

		n = strcspn(path, ":");
		folder = arena_printf(arena, "%.*s", (int)n, path);
		absolute = n ? realpath(folder, NULL) : NULL;
		text_add_string(&all, absolute ? absolute : folder);
		free(absolute);
		if (!path[n])
			break;
		text_add_string(&all, ":");
	}
	ret = arena_strdup(arena, all.bytes ? all.bytes : "");
	text_deinit(&all);
	return ret;
}

bool host_parse_pid(const char *text, pid_t *ret, struct err *err)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (*end || !*text || number <= 0 || number > INT_MAX)
		return err_set(err, ERR_USAGE, "'%s' is not the number of a process: see ps", text);
	*ret = number;
	return true;
}

enum { COMMAND_MAX = 65536, WORDS_MAX = 4096 };

const char *host_process_command(struct arena *arena, pid_t pid)
{
	char *text = arena_alloc(arena, COMMAND_MAX + 1);
	char **words = arena_array(arena, char *, WORDS_MAX + 1);
	const size_t n = proc_read(pid, "cmdline", text, COMMAND_MAX + 1);
	size_t n_words = 0;

	for (size_t at = 0; at < n && n_words < WORDS_MAX; at += strlen(text + at) + 1)
		words[n_words++] = text + at;
	return n_words ? host_quote(arena, words) : arena_printf(arena, "process %d", (int)pid);
}

const char *host_process_program(struct arena *arena, const char *pid)
{
	char target[4096];
	const char *link;
	ssize_t n;

	if (!*pid || pid[strspn(pid, "0123456789")])
		return NULL;
	link = arena_printf(arena, "/proc/%s/exe", pid);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return NULL;
	target[n] = '\0';
	/* The path may lead to another file by now, or in our namespace: then use the link. */
	return host_is_same_file(link, target) ? arena_strdup(arena, target) : link;
}

static void say_who_is_asked(const char *urls, const char *path)
{
	message_progress_end();
	message_note("asking %s for debug information of %s, Ctrl-C to go on without", urls, path);
}

void host_limit_servers(void)
{
	setenv("DEBUGINFOD_TIMEOUT", "10", false);
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", false);
	debug_servers_tell_by(say_who_is_asked);
}
