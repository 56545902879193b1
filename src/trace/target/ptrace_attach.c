/* Attaching to a process by ptrace(2): all of its threads, without stopping any. */
#include "ptrace_attach.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/ptrace_access.h"
#include "trace/kernel/proc.h"
#include "trace/kernel/wait_status.h"

struct seized {
	pid_t *tids;
	size_t n, capacity;
};

static bool attach_is_seized(const struct seized *seized, pid_t tid)
{
	for (size_t i = seized->n; i > 0; i--)
		if (seized->tids[i - 1] == tid)
			return true;
	return false;
}

static void attach_add_thread(struct seized *seized, pid_t tid)
{
	seized->tids =
		mem_grow(seized->tids, &seized->capacity, seized->n + 1, sizeof(*seized->tids));
	seized->tids[seized->n++] = tid;
}

/*
 * Seize the threads not yet seized, *@ret_new of them. The kernel refuses those that a seized
 * thread created, which are seized from birth. On failure the kernel detaches the others when this
 * process ends: none was stopped.
 */
static bool seize_threads(struct seized *seized, pid_t pid, size_t *ret_new, struct err *err)
{
	pid_t *tids;
	size_t n = proc_threads(pid, &tids);
	bool ok = true;
	int number;

	*ret_new = 0;
	for (size_t i = 0; i < n && ok; i++) {
		if (attach_is_seized(seized, tids[i]))
			continue;
		if (ptrace(PTRACE_SEIZE, tids[i], NULL, wait_status_options(false)) == 0) {
			attach_add_thread(seized, tids[i]);
			++*ret_new;
			continue;
		}
		number = errno;
		/* The kernel says EPERM, not ESRCH, for an ended thread that is still listed. */
		if (number != ESRCH && proc_status(tids[i], "TracerPid:") != gettid() &&
		    (tids[i] == pid || !proc_is_dead(tids[i])))
			ok = ptrace_access_explain(tids[i], number, err);
	}
	free(tids);
	return ok;
}

bool ptrace_attach_threads(pid_t pid, pid_t **ret_tids, size_t *ret_n, struct err *err)
{
	struct seized seized = {.n = 0};
	size_t fresh;

	if (!ptrace_access_check(pid, err))
		return false;
	do
		if (!seize_threads(&seized, pid, &fresh, err)) {
			free(seized.tids);
			return false;
		}
	while (fresh);
	if (!seized.n) {
		free(seized.tids);
		return ptrace_access_explain(pid, ESRCH, err);
	}
	*ret_tids = seized.tids;
	*ret_n = seized.n;
	return true;
}

/* Does @child run in the memory of @pid, and hit our breakpoints? */
static bool shares_memory(pid_t pid, pid_t child)
{
	return syscall(SYS_kcmp, pid, child, KCMP_VM, 0, 0) == 0;
}

size_t ptrace_attach_borrowers(pid_t pid, pid_t **ret)
{
	struct seized seized = {.n = 0};
	pid_t *tids, *children;
	size_t n = proc_threads(pid, &tids);
	size_t n_children;

	while (n--) {
		n_children = proc_children(pid, tids[n], &children);
		while (n_children--)
			if (shares_memory(pid, children[n_children]) &&
			    ptrace(PTRACE_SEIZE, children[n_children], NULL,
				   wait_status_options(false)) == 0)
				attach_add_thread(&seized, children[n_children]);
		free(children);
	}
	free(tids);
	*ret = seized.tids;
	return seized.n;
}
