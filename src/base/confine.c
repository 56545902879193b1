/* Landlock and seccomp. Sources: landlock(7), seccomp(2), linux/filter.h. */
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arena.h"

enum { X32_BIT = 0x40000000, CALLS_MAX = 64, FILTER_MAX = CALLS_MAX * 3 + 8 };

static const unsigned denied[] = {
	SYS_execve,
	SYS_execveat,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_socket,
	SYS_socketpair,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_accept,
	SYS_accept4,
	SYS_sendto,
	SYS_sendmsg,
	SYS_sendmmsg,
	SYS_pidfd_send_signal,
	SYS_pidfd_getfd,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
	SYS_mount,
	SYS_umount2,
	SYS_move_mount,
	SYS_open_tree,
	SYS_fsopen,
	SYS_pivot_root,
	SYS_chroot,
	SYS_unshare,
	SYS_setns,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_io_uring_setup,
	SYS_userfaultfd,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_init_module,
	SYS_finit_module,
	SYS_kexec_load,
	SYS_kexec_file_load,
	SYS_open_by_handle_at,
#ifndef __SANITIZE_ADDRESS__ /* whose search for leaks traces its own process */
	SYS_ptrace,
#endif
};

/* Whose first argument must be this process. */
static const unsigned own_only[] = {SYS_kill, SYS_tgkill};

struct filter {
	struct sock_filter code[FILTER_MAX];
	unsigned short n;
};

static void filter_add(struct filter *filter, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	filter->code[filter->n++] = (struct sock_filter){code, yes, no, k};
}

/* The rest is of x86-64's calls; others are refused. */
static void filter_begin(struct filter *filter)
{
	const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;

	filter_add(filter, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	filter_add(filter, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	filter_add(filter, BPF_RET | BPF_K, refuse, 0, 0);
	filter_add(filter, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	filter_add(filter, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
	filter_add(filter, BPF_RET | BPF_K, refuse, 0, 0);
}

static void calls_deny(void)
{
	const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
	struct filter filter = {.n = 0};
	struct sock_fprog program = {.filter = filter.code};

	filter_begin(&filter);
	for (size_t i = 0; i < sizeof(denied) / sizeof(*denied); i++) {
		filter_add(&filter, BPF_JMP | BPF_JEQ | BPF_K, denied[i], 0, 1);
		filter_add(&filter, BPF_RET | BPF_K, refuse, 0, 0);
	}
	for (size_t i = 0; i < sizeof(own_only) / sizeof(*own_only); i++) {
		filter_add(&filter, BPF_JMP | BPF_JEQ | BPF_K, own_only[i], 0, 4);
		filter_add(&filter, BPF_LD | BPF_W | BPF_ABS,
			   offsetof(struct seccomp_data, args[0]), 0, 0);
		filter_add(&filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 1, 0);
		filter_add(&filter, BPF_RET | BPF_K, refuse, 0, 0);
		filter_add(&filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	}
	filter_add(&filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	program.len = filter.n;
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

/* Newer than some headers. */
#define RIGHT_REFER    (1ull << 13)
#define RIGHT_TRUNCATE (1ull << 14)

static const uint64_t READING = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t WRITING_FILE =
	LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | RIGHT_TRUNCATE;
static const uint64_t WRITING = LANDLOCK_ACCESS_FS_WRITE_FILE | RIGHT_TRUNCATE |
				LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
				LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
				LANDLOCK_ACCESS_FS_MAKE_SYM | RIGHT_REFER;
/* What is refused everywhere. */
static const uint64_t NEVER = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
			      LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SOCK |
			      LANDLOCK_ACCESS_FS_MAKE_FIFO;

/* What versions of Landlock that lack some rights cannot grant. */
static uint64_t rights_of_version(long version)
{
	return ~((version < 2 ? RIGHT_REFER : 0) | (version < 3 ? RIGHT_TRUNCATE : 0));
}

static void path_allow(int rules, const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr beneath = {.allowed_access = rights,
						     .parent_fd = open(path, O_PATH | O_CLOEXEC)};

	if (beneath.parent_fd < 0)
		return;
	syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
	close(beneath.parent_fd);
}

/* The file or folder itself, and what is beside it: journals, and files that replace it. */
static void written_allow(int rules, const char *path, uint64_t known)
{
	struct arena *arena = arena_create();
	const char *slash = strrchr(path, '/');
	struct stat status;

	if (stat(path, &status) == 0)
		path_allow(rules, path,
			   (S_ISDIR(status.st_mode) ? WRITING | READING : WRITING_FILE) & known);
	path_allow(rules,
		   !slash          ? "."
		   : slash == path ? "/"
				   : arena_printf(arena, "%.*s", (int)(slash - path), path),
		   (WRITING | READING) & known);
	arena_destroy(arena);
}

static void writes_confine(const char *const *written, size_t n)
{
	static const char *const devices[] = {"/dev/null", "/dev/tty", "/dev/full"};
	const long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	const uint64_t known = rights_of_version(version);
	const struct landlock_ruleset_attr attributes = {
		.handled_access_fs = (READING | WRITING | NEVER) & known};
	const int rules = version < 1 ? -1
				      : (int)syscall(SYS_landlock_create_ruleset, &attributes,
						     sizeof(attributes), 0);

	if (rules < 0)
		return;
	path_allow(rules, "/", READING);
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		path_allow(rules, devices[i], WRITING_FILE & known);
	path_allow(rules, getenv("TMPDIR") ?: "/tmp", (WRITING | READING) & known);
	path_allow(rules, "/var/tmp", (WRITING | READING) & known);
	for (size_t i = 0; i < n; i++)
		if (written[i])
			written_allow(rules, written[i], known);
	syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
}

void confine_self(const char *const *written, size_t n)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return;
	writes_confine(written, n);
	calls_deny();
}
