/* Reading and changing a stopped thread, and /proc without stdio, which asks for memory. */
#include "trace/rescue_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/interrupted.h"

static char *append(char *to, const char *end, const char *text)
{
	while (*text && to < end)
		*to++ = *text++;
	*to = '\0';
	return to;
}

static char *append_number(char *to, const char *end, pid_t number)
{
	char digits[12];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do
		*--at = '0' + number % 10;
	while (number /= 10);
	return append(to, end, at);
}

void rescue_path(char ret[RESCUE_PATH], pid_t pid, pid_t tid, const char *name)
{
	const char *end = ret + RESCUE_PATH - 1;
	char *at = append_number(append(ret, end, "/proc/"), end, pid);

	if (tid)
		at = append_number(append(at, end, "/task/"), end, tid);
	append(append(at, end, "/"), end, name);
}

int rescue_open(pid_t pid, pid_t tid, const char *name, int flags)
{
	char path[RESCUE_PATH];

	rescue_path(path, pid, tid, name);
	return open(path, flags | O_CLOEXEC);
}

static bool read_text(pid_t pid, pid_t tid, const char *name, char *ret, size_t size)
{
	int fd = rescue_open(pid, tid, name, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, ret, size - 1);
	close(fd);
	ret[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Decimal or hexadecimal with 0x. */
static uint64_t number_at(const char *text)
{
	bool hexadecimal = text[0] == '0' && text[1] == 'x';
	uint64_t number = 0;

	for (text += hexadecimal ? 2 : 0; *text; text++) {
		if (*text >= '0' && *text <= '9')
			number = number * (hexadecimal ? 16 : 10) + (*text - '0');
		else if (hexadecimal && *text >= 'a' && *text <= 'f')
			number = number * 16 + (*text - 'a' + 10);
		else
			break;
	}
	return number;
}

pid_t rescue_status(pid_t pid, const char *name)
{
	char text[4096];
	const char *at;

	if (!read_text(pid, 0, "status", text, sizeof(text)))
		return 0;
	at = strstr(text, name);
	if (!at)
		return 0;
	at += strlen(name);
	return number_at(at + strspn(at, " \t"));
}

static char state_of(pid_t pid, pid_t tid)
{
	char text[512];
	const char *at;

	if (!read_text(pid, tid, "stat", text, sizeof(text)))
		return 'X';
	at = strrchr(text, ')');
	return at && at[1] ? at[2] : 'X';
}

bool rescue_is_dead(pid_t tid)
{
	char state = state_of(tid, tid);

	return state == 'X' || state == 'Z';
}

/* "-1 SP PC" of one that is in no system call. */
bool rescue_traced_pc(pid_t pid, pid_t tid, uint64_t *ret)
{
	char text[256];
	const char *at;

	if (state_of(pid, tid) != 't' || !read_text(pid, tid, "syscall", text, sizeof(text)))
		return false;
	at = strrchr(text, ' ');
	if (text[0] != '-' || !at)
		return false;
	*ret = number_at(at + 1);
	return true;
}

struct directory_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

void rescue_each_number(const char *path, void (*take)(void *context, pid_t number), void *context)
{
	_Alignas(struct directory_entry) char buffer[4096];
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n, at;

	if (fd < 0)
		return;
	while ((n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (at = 0; at < n;) {
			const struct directory_entry *entry = (const void *)(buffer + at);

			if (entry->name[0] >= '1' && entry->name[0] <= '9')
				take(context, number_at(entry->name));
			at += entry->size;
		}
	}
	close(fd);
}

const struct guard_breakpoint *rescue_find(const struct guard_table *table, pid_t owner,
					   uint64_t address)
{
	uint32_t i;

	for (i = 1; i < table->n_breakpoints && i < GUARD_BREAKPOINTS; i++) {
		const struct guard_breakpoint *entry = &table->breakpoints[i];

		if (entry->address == address && entry->pid == owner && entry->state != GUARD_FREE)
			return entry;
	}
	return NULL;
}

static const struct guard_breakpoint *find_slot(const struct guard_table *table, pid_t owner,
						uint64_t pc)
{
	uint32_t i;

	for (i = 1; i < table->n_breakpoints && i < GUARD_BREAKPOINTS; i++) {
		const struct guard_breakpoint *entry = &table->breakpoints[i];

		if (entry->slot && pc - entry->slot < GUARD_SLOT_SIZE && entry->pid == owner &&
		    entry->state != GUARD_FREE)
			return entry;
	}
	return NULL;
}

bool rescue_thread_read(struct rescue_thread *thread)
{
	return ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->registers) == 0;
}

static uint8_t byte_at(pid_t tid, uint64_t address)
{
	uint64_t aligned = address & ~UINT64_C(7);
	long word = ptrace(PTRACE_PEEKTEXT, tid, (void *)aligned, NULL);

	return word >> (address - aligned) * 8;
}

/*
 * It was stopped by an int3. One of ours may have been handled since, and the thread sent to a slot,
 * between which there are int3s; one of the program's own is still there.
 */
static int owed_by_int3(struct rescue_thread *thread, const struct guard_breakpoint *behind)
{
	uint64_t pc = thread->registers.rip;

	if (behind) {
		thread->registers.rip--;
		return 0;
	}
	if (find_slot(thread->table, thread->owner, pc))
		return 0;
	return byte_at(thread->tid, pc - 1) == 0xcc ? SIGTRAP : 0;
}

/* The signal that it was about to be given. */
static int owed(struct rescue_thread *thread, const struct guard_breakpoint *behind)
{
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) != 0)
		return 0;
	if (info.si_code >> 8 && info.si_code > 0) { /* a stop of ptrace(2) itself */
		if (info.si_code >> 8 == PTRACE_EVENT_STOP && info.si_signo == SIGTRAP &&
		    interrupted_is(&thread->registers))
			interrupted_undo(&thread->registers);
		return 0;
	}
	if (info.si_signo == SIGTRAP && info.si_code == SI_KERNEL)
		return owed_by_int3(thread, behind);
	return info.si_signo == SIGSTOP && thread->was_stopped_by_us ? 0 : info.si_signo;
}

/*
 * Whoever is behind the first byte of a longer instruction can only have met its int3. Of one of a
 * single byte that is also where a thread goes on.
 */
static bool met_int3(const struct rescue_thread *thread, const struct guard_breakpoint *behind)
{
	return behind && (behind->size > 1 || thread->is_behind_int3);
}

static void go_home(struct rescue_thread *thread)
{
	const struct guard_breakpoint *at =
		find_slot(thread->table, thread->owner, thread->registers.rip);

	if (at)
		thread->registers.rip =
			at->address + (thread->registers.rip == at->slot ? 0 : at->size);
}

/* It was to make a system call for us. */
static bool take_back_call(struct rescue_thread *thread)
{
	struct guard_table *table = thread->table;

	if (table->mask.tid == thread->tid)
		ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(table->mask.own), &table->mask.own);
	if (table->call.tid != thread->tid)
		return false;
	thread->registers = table->call.registers;
	return true;
}

int rescue_thread_put_right(struct rescue_thread *thread)
{
	const struct guard_breakpoint *behind =
		rescue_find(thread->table, thread->owner, thread->registers.rip - 1);
	uint64_t pc = thread->registers.rip;
	int signal = 0;

	if (!take_back_call(thread)) {
		signal = owed(thread, behind);
		if (thread->registers.rip == pc && met_int3(thread, behind))
			thread->registers.rip--;
		go_home(thread);
	}
	ptrace(PTRACE_SETREGS, thread->tid, NULL, &thread->registers);
	return signal;
}

static bool write_code(pid_t tid, uint64_t code, const uint8_t *bytes)
{
	int memory = rescue_open(tid, 0, "mem", O_WRONLY);
	bool done = memory >= 0 && pwrite(memory, bytes, GUARD_CODE, code) == GUARD_CODE;

	if (memory >= 0)
		close(memory);
	return done;
}

/* Of signals only those come in between that cannot be blocked. */
static bool run_to_trap(pid_t tid)
{
	siginfo_t info;
	int status;

	do {
		if (ptrace(PTRACE_CONT, tid, NULL, NULL) != 0)
			return false;
		while (waitpid(tid, &status, __WALL) < 0)
			if (errno != EINTR)
				return false;
		if (!WIFSTOPPED(status) || ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0)
			return false;
	} while (info.si_signo != SIGTRAP || info.si_code != SI_KERNEL);
	return true;
}

static void load_unmap(struct user_regs_struct *registers, uint64_t code, uint64_t address)
{
	registers->rip = code;
	registers->rax = SYS_munmap;
	registers->orig_rax = -1;
	registers->rdi = address;
	registers->rsi = GUARD_AREA_SIZE;
}

bool rescue_unmap(pid_t tid, uint64_t code, uint64_t address)
{
	static const uint8_t call[GUARD_CODE] = {0x0f, 0x05, 0xcc}; /* syscall; int3 */
	const uint64_t all_but_trap = ~(UINT64_C(1) << (SIGTRAP - 1));
	struct user_regs_struct own, registers;
	uint8_t original[GUARD_CODE];
	uint64_t mask;
	bool done;
	int i;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &own) != 0 ||
	    ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) != 0)
		return false;
	for (i = 0; i < GUARD_CODE; i++)
		original[i] = byte_at(tid, code + i);
	registers = own;
	load_unmap(&registers, code, address);
	done = ptrace(PTRACE_SETSIGMASK, tid, sizeof(all_but_trap), &all_but_trap) == 0 &&
	       write_code(tid, code, call) && ptrace(PTRACE_SETREGS, tid, NULL, &registers) == 0 &&
	       run_to_trap(tid);
	write_code(tid, code, original);
	ptrace(PTRACE_SETREGS, tid, NULL, &own);
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask);
	return done;
}
