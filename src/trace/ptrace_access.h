/*
 * Permission: may a process be traced, and if not, why, and what can be done?
 *
 * ptrace_access_check() comes before an attempt and reports what no attempt would change;
 * ptrace_access_explain() comes after a failed one. Both give one line that says what happened and
 * what to do. Codes: ERR_NOT_FOUND (no such process), ERR_UNSUPPORTED (it can never be traced: a
 * zombie, a kernel thread, 32-bit, ourselves), ERR_TARGET (not now, or not by us).
 *
 * Source: ptrace(2), "Ptrace access mode checking" and "/proc/sys/kernel/yama/ptrace_scope".
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

bool ptrace_access_check(pid_t pid, struct err *err);

/* PTRACE_SEIZE of @pid failed with errno @number. Always false. */
bool ptrace_access_explain(pid_t pid, int number, struct err *err);

enum { PERMIT_NAME = 64, PERMIT_YAMA_NONE = -1 };

/* The facts that both decide by; an unknown one has the value of a process that may be traced. */
struct ptrace_facts {
	pid_t pid;
	bool is_other_proc; /* /proc shows the processes of another namespace than ours */
	bool is_there;
	char name[PERMIT_NAME];
	char state; /* as in proc(5) */
	long threads;
	pid_t process; /* thread group leader */
	pid_t tracer;  /* 0: none */
	char tracer_name[PERMIT_NAME];
	uid_t user; /* owner */
	char user_name[PERMIT_NAME];
	bool is_kernel;
	bool is_32_bit;
	bool is_undumpable;
	bool is_elsewhere;  /* in another user namespace */
	bool is_descendant; /* of the tracing process */
	/* The tracing process. */
	pid_t own;
	uid_t own_user;
	bool is_capable; /* it has CAP_SYS_PTRACE */
	int yama;        /* ptrace_scope; PERMIT_YAMA_NONE: the kernel has none */
};

/* Read the facts about @pid below @proc ("/proc"). */
void ptrace_access_read(const char *proc, pid_t pid, struct ptrace_facts *ret);

/* The decisions alone, without /proc. */
bool ptrace_access_facts_check(const struct ptrace_facts *facts, struct err *err);
bool ptrace_access_facts_explain(const struct ptrace_facts *facts, int number, struct err *err);
