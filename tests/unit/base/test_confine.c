/* What a confined process can still do, tried in a child. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"

/* The status of a child that is confined to the file out in @folder and then does @what. */
static int confined(const char *folder, int (*what)(const char *folder))
{
	const pid_t child = fork();
	char out[128];
	const char *written[] = {NULL, out};
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		snprintf(out, sizeof(out), "%s/allowed/out", folder);
		setenv("TMPDIR", "/nowhere", 1); /* the folder may be in the usual one */
		confine_self(written, 2);
		_exit(what(folder));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The number of the first thing that is not refused; 0: all are. */
static int do_harm(const char *folder)
{
	char *const arguments[] = {(char *)"true", NULL};

	(void)folder;
	if (execv("/bin/true", arguments) == 0 || errno != EPERM)
		return 1;
	if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != EPERM)
		return 2;
	if (kill(getppid(), 0) == 0 || errno != EPERM)
		return 3;
	if (syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) >= 0 || errno != EPERM)
		return 4;
	if (syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0) >= 0 || errno != EPERM)
		return 5;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 6;
}

static int write_beside(const char *folder)
{
	char path[128], other[128];

	if (kill(getpid(), 0) != 0 || raise(SIGCONT) != 0)
		return 1;
	snprintf(path, sizeof(path), "%s/allowed/out-journal", folder);
	if (open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) < 0)
		return 2;
	snprintf(other, sizeof(other), "%s/allowed/out", folder);
	if (rename(path, other) != 0)
		return 3;
	return open("/etc/passwd", O_RDONLY) < 0 ? 4 : 0;
}

static int write_elsewhere(const char *folder)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/elsewhere", folder);
	if (open(path, O_WRONLY | O_CREAT, 0600) >= 0 || errno != EACCES)
		return 1;
	snprintf(path, sizeof(path), "%s/there", folder);
	if (open(path, O_WRONLY) >= 0 || errno != EACCES)
		return 2;
	return unlink(path) == 0 || errno != EACCES ? 3 : 0;
}

/* A folder with the empty folder "allowed" and the file "there", outside of those for all. */
static void *folder_make(void)
{
	static char folder[] = "confine-XXXXXX";
	char path[128];
	int fd;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/allowed", folder);
	assert_int_equal(syscall(SYS_mkdir, path, 0700), 0);
	snprintf(path, sizeof(path), "%s/there", folder);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	return folder;
}

static void folder_remove(const char *folder)
{
	static const char *const names[] = {
		"allowed/out", "allowed/out-journal", "there", "elsewhere", "allowed", ""};
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
}

static void a_confined_process_harms_nobody_and_writes_where_it_said(void **state)
{
	char *folder = folder_make();
	int harm, beside, elsewhere;

	(void)state;
	harm = confined(folder, do_harm);
	beside = confined(folder, write_beside);
	elsewhere = confined(folder, write_elsewhere);
	folder_remove(folder);
	assert_int_equal(harm, 0);
	assert_int_equal(beside, 0);
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1)
		assert_int_equal(elsewhere, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_confined_process_harms_nobody_and_writes_where_it_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
