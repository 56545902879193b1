/*
 * Whether a process may be traced: the facts from /proc, and decisions by them that need no kernel.
 */
#include "trace/ptrace_access.h"

#include <elf.h>
#include <errno.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/kernel/proc_file.h"

enum {
	FILE_MAX = 8192,
	ANCESTORS_MAX = 1024,
	PARENT_FIELD = 4, /* of stat */
	FLAGS_FIELD = 9,
	IS_KERNEL_THREAD = 0x00200000,
};

/* The start of @proc/@pid/@name as a string, empty if unreadable. */
static bool slurp(const char *proc, const char *pid, const char *name, char ret[FILE_MAX])
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s/%s", proc, pid, name);
	return proc_read_path(path, ret, FILE_MAX) > 0;
}

static uint64_t number_behind(const char *status, const char *name, unsigned base)
{
	uint64_t number;

	proc_number(proc_field(status, name), base, &number);
	return number;
}

static void take_name(const char *status, char ret[PERMIT_NAME])
{
	const char *name = proc_field(status, "Name:");

	snprintf(ret, PERMIT_NAME, "%.*s", name ? (int)strcspn(name, "\n") : 1, name ? name : "?");
}

static uint64_t number_of_stat(const char *stat, unsigned index)
{
	uint64_t number;

	proc_number(proc_stat_field(stat, index), 10, &number);
	return number;
}

static bool is_descendant(const char *proc, pid_t pid, pid_t ancestor)
{
	char stat[FILE_MAX], name[16];

	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		snprintf(name, sizeof(name), "%d", (int)pid);
		if (!slurp(proc, name, "stat", stat))
			return false;
		pid = (pid_t)number_of_stat(stat, PARENT_FIELD);
		if (pid == ancestor)
			return true;
	}
	return false;
}

static bool is_32_bit(const char *proc, const char *pid)
{
	char start[FILE_MAX];

	return slurp(proc, pid, "exe", start) && !memcmp(start, ELFMAG, SELFMAG) &&
	       start[EI_CLASS] == ELFCLASS32;
}

/* /proc files of an undumpable process belong to root. */
static bool is_undumpable(const char *proc, const char *pid, uid_t effective)
{
	struct stat status;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s/status", proc, pid);
	return effective != 0 && stat(path, &status) == 0 && status.st_uid == 0;
}

static bool is_elsewhere(const char *proc, const char *pid)
{
	char ours[FILE_MAX], its[FILE_MAX];

	return slurp(proc, "self", "uid_map", ours) && slurp(proc, pid, "uid_map", its) &&
	       strcmp(ours, its) != 0;
}

static void read_tracer(const char *proc, struct ptrace_facts *facts)
{
	char status[FILE_MAX], name[16];

	if (!facts->tracer)
		return;
	snprintf(name, sizeof(name), "%d", (int)facts->tracer);
	slurp(proc, name, "status", status);
	take_name(status, facts->tracer_name);
}

/* Real, effective and saved ids: the owner is one that is not ours. */
static uid_t read_user(const char *status, uid_t own, uid_t *ret_effective)
{
	const char *text = proc_field(status, "Uid:");
	unsigned users[3] = {own, own, own};

	if (text)
		sscanf(text, "%u %u %u", &users[0], &users[1], &users[2]);
	*ret_effective = users[1];
	for (int i = 0; i < 3; i++)
		if (users[(i + 1) % 3] != own)
			return users[(i + 1) % 3];
	return own;
}

static void read_user_name(struct ptrace_facts *facts)
{
	struct passwd entry, *found = NULL;
	char buffer[4096];

	if (getpwuid_r(facts->user, &entry, buffer, sizeof(buffer), &found) == 0 && found)
		snprintf(facts->user_name, PERMIT_NAME, "%s", found->pw_name);
	else
		snprintf(facts->user_name, PERMIT_NAME, "number %u", (unsigned)facts->user);
}

static bool is_other_proc(const char *proc, pid_t own)
{
	char path[256], text[16];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/self", proc);
	n = readlink(path, text, sizeof(text) - 1);
	if (n < 0)
		return false;
	text[n] = '\0';
	return atoi(text) != (int)own;
}

static void read_own(const char *proc, struct ptrace_facts *facts)
{
	char text[FILE_MAX];

	slurp(proc, "self", "status", text);
	facts->is_capable = number_behind(text, "CapEff:", 16) >> CAP_SYS_PTRACE & 1;
	facts->yama = slurp(proc, "sys/kernel/yama", "ptrace_scope", text) ? atoi(text)
									   : PERMIT_YAMA_NONE;
}

void ptrace_access_read(const char *proc, pid_t pid, struct ptrace_facts *ret)
{
	char status[FILE_MAX], stat[FILE_MAX], name[16];
	const char *state;
	uid_t effective;

	*ret = (struct ptrace_facts){
		.pid = pid, .process = pid, .own = getpid(), .own_user = geteuid()};
	ret->is_other_proc = is_other_proc(proc, ret->own);
	snprintf(name, sizeof(name), "%d", (int)pid);
	ret->is_there = pid > 0 && slurp(proc, name, "status", status);
	if (!ret->is_there)
		return;
	take_name(status, ret->name);
	state = proc_field(status, "State:");
	ret->state = state ? *state : '?';
	ret->threads = (long)number_behind(status, "Threads:", 10);
	ret->process = (pid_t)number_behind(status, "Tgid:", 10);
	ret->tracer = (pid_t)number_behind(status, "TracerPid:", 10);
	read_tracer(proc, ret);
	ret->user = read_user(status, ret->own_user, &effective);
	read_user_name(ret);
	slurp(proc, name, "stat", stat);
	ret->is_kernel = number_of_stat(stat, FLAGS_FIELD) & IS_KERNEL_THREAD;
	ret->is_32_bit = is_32_bit(proc, name);
	ret->is_undumpable = is_undumpable(proc, name, effective);
	ret->is_elsewhere = is_elsewhere(proc, name);
	ret->is_descendant = is_descendant(proc, pid, ret->own);
	read_own(proc, ret);
}

static bool refuse_absent(const struct ptrace_facts *facts, struct err *err)
{
	return err_set(err, ERR_NOT_FOUND, "there is no process %d: see ps for those that run",
		       (int)facts->pid);
}

static bool refuse_traced(const struct ptrace_facts *facts, struct err *err)
{
	return err_set(
		err, ERR_TARGET,
		"process %d (%s) is traced already, by process %d (%s), and only one can: end "
		"that first",
		(int)facts->pid, facts->name, (int)facts->tracer, facts->tracer_name);
}

bool ptrace_access_facts_check(const struct ptrace_facts *facts, struct err *err)
{
	const int pid = (int)facts->pid;

	if (facts->is_other_proc)
		return err_set(err, ERR_UNSUPPORTED,
			       "/proc shows the processes of another namespace, so %d is not known "
			       "for certain: mount -t proc proc /proc in this one",
			       pid);
	if (!facts->is_there)
		return refuse_absent(facts, err);
	if (facts->process == facts->own)
		return err_set(err, ERR_UNSUPPORTED,
			       "process %d is fathom itself, which cannot trace itself", pid);
	if (facts->process != facts->pid)
		return err_set(err, ERR_UNSUPPORTED,
			       "%d is a thread of process %d (%s): give the process", pid,
			       (int)facts->process, facts->name);
	if (facts->is_kernel)
		return err_set(err, ERR_UNSUPPORTED,
			       "%d (%s) is a thread of the kernel and runs no program: see "
			       "/proc/%d/stack for what it does",
			       pid, facts->name, pid);
	/* The first thread may end before the others. */
	if ((facts->state == 'Z' || facts->state == 'X') && facts->threads < 2)
		return err_set(err, ERR_UNSUPPORTED,
			       "process %d (%s) is a zombie: it has ended, and only waits for its "
			       "parent to ask how",
			       pid, facts->name);
	if (facts->is_32_bit)
		return err_set(err, ERR_UNSUPPORTED,
			       "process %d (%s) runs a 32-bit program: only x86-64 is traced; "
			       "use gdb",
			       pid, facts->name);
	return facts->tracer ? refuse_traced(facts, err) : true;
}

static bool explain_yama(const struct ptrace_facts *facts, struct err *err)
{
	const int pid = (int)facts->pid;

	if (facts->yama == 3)
		return err_set(err, ERR_TARGET,
			       "process %d (%s): this machine allows no one to attach until it is "
			       "booted again (kernel.yama.ptrace_scope is 3)",
			       pid, facts->name);
	if (facts->yama == 2)
		return err_set(err, ERR_TARGET,
			       "process %d (%s): only root may attach on this machine "
			       "(kernel.yama.ptrace_scope is 2): use sudo",
			       pid, facts->name);
	return err_set(err, ERR_TARGET,
		       "process %d (%s): only those who started it may attach on this machine "
		       "(kernel.yama.ptrace_scope is 1): use sudo, or sudo sysctl "
		       "kernel.yama.ptrace_scope=0",
		       pid, facts->name);
}

static bool explain_ability(const struct ptrace_facts *facts, struct err *err)
{
	const int pid = (int)facts->pid;

	if (facts->is_elsewhere)
		return err_set(err, ERR_TARGET,
			       "process %d (%s) is in a container of its own (another user "
			       "namespace): run fathom in there, or as root outside",
			       pid, facts->name);
	if (facts->own_user == 0)
		return err_set(
			err, ERR_TARGET,
			"process %d (%s): root has no CAP_SYS_PTRACE here, as in a container: "
			"start it with --cap-add=SYS_PTRACE, or run fathom outside",
			pid, facts->name);
	if (facts->user != facts->own_user)
		return err_set(err, ERR_TARGET,
			       "process %d (%s) belongs to user %s: run fathom as that user, or "
			       "with sudo",
			       pid, facts->name, facts->user_name);
	if (facts->yama > 1 || (facts->yama == 1 && !facts->is_descendant))
		return explain_yama(facts, err);
	if (facts->is_undumpable)
		return err_set(err, ERR_TARGET,
			       "process %d (%s) has forbidden to be looked at (it is not dumpable, "
			       "as after a change of user): use sudo",
			       pid, facts->name);
	return err_set(err, ERR_TARGET,
		       "process %d (%s) may not be traced: it may have more rights than fathom, or "
		       "a security module forbids it: use sudo",
		       pid, facts->name);
}

bool ptrace_access_facts_explain(const struct ptrace_facts *facts, int number, struct err *err)
{
	if (!ptrace_access_facts_check(facts, err))
		return false;
	if (number == ESRCH)
		return err_set(err, ERR_NOT_FOUND, "process %d (%s) has just ended",
			       (int)facts->pid, facts->name);
	if (number != EPERM && number != EACCES)
		return err_set_errno(err, ERR_TARGET, number, "process %d (%s) cannot be traced",
				     (int)facts->pid, facts->name);
	if (facts->is_capable && facts->yama == 3)
		return explain_yama(facts, err);
	if (facts->is_capable && !facts->is_elsewhere)
		return err_set(err, ERR_TARGET,
			       "process %d (%s) may not be traced, not by root either: a security "
			       "module (SELinux, AppArmor, seccomp) forbids it",
			       (int)facts->pid, facts->name);
	return explain_ability(facts, err);
}

bool ptrace_access_check(pid_t pid, struct err *err)
{
	struct ptrace_facts facts;

	ptrace_access_read("/proc", pid, &facts);
	return ptrace_access_facts_check(&facts, err);
}

bool ptrace_access_explain(pid_t pid, int number, struct err *err)
{
	struct ptrace_facts facts;

	ptrace_access_read("/proc", pid, &facts);
	return ptrace_access_facts_explain(&facts, number, err);
}
