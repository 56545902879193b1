/*
 * What fathom says when a process may not be traced: by facts that are made up, and by real ones.
 */
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/ptrace_access.h"

static struct ptrace_facts ordinary(void)
{
	return (struct ptrace_facts){
		.pid = 70,
		.is_there = true,
		.name = "server",
		.state = 'S',
		.process = 70,
		.user = 1000,
		.user_name = "ada",
		.own = 80,
		.own_user = 1000,
		.yama = PERMIT_YAMA_NONE,
	};
}

static void assert_says(const struct err *err, enum err_code code, const char *words)
{
	assert_int_equal(err->code, code);
	if (!strstr(err->text, words))
		fail_msg("'%s' does not say '%s'", err->text, words);
}

static void assert_refused(const struct ptrace_facts *facts, enum err_code code, const char *words)
{
	struct err err;

	assert_false(ptrace_access_facts_check(facts, &err));
	assert_says(&err, code, words);
	/* After an attempt, the same is the reason. */
	assert_false(ptrace_access_facts_explain(facts, EPERM, &err));
	assert_says(&err, code, words);
}

static void assert_explained(const struct ptrace_facts *facts, const char *words)
{
	struct err err;

	assert_true(ptrace_access_facts_check(facts, &err));
	assert_false(ptrace_access_facts_explain(facts, EPERM, &err));
	assert_says(&err, ERR_TARGET, words);
}

static void what_can_never_be_traced_is_refused_before_it_is_tried(void **state)
{
	struct ptrace_facts facts = {.pid = 70};

	(void)state;
	assert_refused(&facts, ERR_NOT_FOUND, "there is no process 70");
	facts = ordinary();
	facts.state = 'Z';
	assert_refused(&facts, ERR_UNSUPPORTED, "70 (server) is a zombie");
	facts = ordinary();
	facts.is_kernel = true;
	assert_refused(&facts, ERR_UNSUPPORTED, "thread of the kernel");
	facts = ordinary();
	facts.is_32_bit = true;
	assert_refused(&facts, ERR_UNSUPPORTED, "32-bit");
	facts = ordinary();
	facts.process = 60;
	assert_refused(&facts, ERR_UNSUPPORTED, "70 is a thread of process 60 (server)");
	facts = ordinary();
	facts.own = 70;
	assert_refused(&facts, ERR_UNSUPPORTED, "fathom itself");
}

static void a_process_that_is_traced_already_names_its_tracer(void **state)
{
	struct ptrace_facts facts = ordinary();

	(void)state;
	facts.tracer = 90;
	strcpy(facts.tracer_name, "gdb");
	assert_refused(&facts, ERR_TARGET, "by process 90 (gdb)");
}

static void each_reason_for_a_refusal_has_its_own_advice(void **state)
{
	struct ptrace_facts facts = ordinary();

	(void)state;
	facts.user = 33;
	strcpy(facts.user_name, "www");
	assert_explained(&facts, "belongs to user www: run fathom as that user, or with sudo");
	facts.is_elsewhere = true;
	assert_explained(&facts, "another user namespace");
	facts = ordinary();
	facts.is_undumpable = true;
	assert_explained(&facts, "not dumpable");
	facts = ordinary();
	facts.user = facts.own_user = 0;
	assert_explained(&facts, "--cap-add=SYS_PTRACE");
	facts.is_capable = true;
	assert_explained(&facts, "a security module");
	facts = ordinary();
	assert_explained(&facts, "sudo");
}

static void every_level_of_yama_has_its_own_advice(void **state)
{
	struct ptrace_facts facts = ordinary();

	(void)state;
	facts.yama = 1;
	assert_explained(&facts, "sysctl kernel.yama.ptrace_scope=0");
	facts.is_descendant = true; /* then it is not Yama */
	assert_explained(&facts, "may not be traced");
	facts.yama = 2;
	assert_explained(&facts, "only root may attach");
	facts.yama = 3;
	assert_explained(&facts, "until it is booted again");
	facts.is_capable = true;
	assert_explained(&facts, "until it is booted again");
}

static void other_errors_are_told_as_they_are(void **state)
{
	const struct ptrace_facts facts = ordinary();
	struct err err;

	(void)state;
	assert_false(ptrace_access_facts_explain(&facts, ESRCH, &err));
	assert_says(&err, ERR_NOT_FOUND, "has just ended");
	assert_false(ptrace_access_facts_explain(&facts, EIO, &err));
	assert_says(&err, ERR_TARGET, "cannot be traced");
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_folder(const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

/* A kernel with Yama, a tracer, and a name with everything that parsers stumble over. */
static void the_facts_are_read_from_proc(void **state)
{
	char folder[] = "/tmp/fathom-permit-XXXXXX";
	char command[128];
	struct ptrace_facts facts;

	(void)state;
	assert_non_null(mkdtemp(folder));
	make_folder(folder, "70");
	make_folder(folder, "90");
	make_folder(folder, "self");
	make_folder(folder, "sys");
	make_folder(folder, "sys/kernel");
	make_folder(folder, "sys/kernel/yama");
	write_file(folder, "sys/kernel/yama/ptrace_scope", "2\n");
	write_file(folder, "self/status", "Name:\tfathom\nCapEff:\t0000000000080000\n");
	write_file(folder, "self/uid_map", "0 0 4294967295\n");
	write_file(folder, "70/uid_map", "0 100000 65536\n");
	write_file(folder, "70/exe", "\177ELF\001\001");
	write_file(folder, "70/stat", "70 (a) Z 1 2 (b) S 1 2 3 4 5 69238784 7\n");
	write_file(folder, "70/status",
		   "Name:\ta) Z (b\nState:\tD (disk sleep)\nTgid:\t70\nTracerPid:\t90\n"
		   "Uid:\t4242\t4242\t4242\t4242\n");
	write_file(folder, "90/status", "Name:\tstrace\n");
	ptrace_access_read(folder, 70, &facts);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);

	assert_true(facts.is_there && facts.is_kernel && facts.is_32_bit && facts.is_elsewhere);
	assert_true(facts.is_capable);
	assert_string_equal(facts.name, "a) Z (b");
	assert_int_equal(facts.state, 'D');
	assert_int_equal(facts.tracer, 90);
	assert_string_equal(facts.tracer_name, "strace");
	assert_int_equal(facts.user, 4242);
	assert_string_equal(facts.user_name, "number 4242");
	assert_int_equal(facts.yama, 2);
}

static void a_child_may_be_traced_until_it_is_a_zombie(void **state)
{
	struct err err;
	siginfo_t info;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_true(ptrace_access_check(child, &err));
	kill(child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_false(ptrace_access_check(child, &err));
	assert_says(&err, ERR_UNSUPPORTED, "is a zombie");
	waitpid(child, NULL, 0);
	assert_false(ptrace_access_check(child, &err));
	assert_says(&err, ERR_NOT_FOUND, "there is no process");
	assert_false(ptrace_access_check(getpid(), &err));
	assert_says(&err, ERR_UNSUPPORTED, "itself");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_can_never_be_traced_is_refused_before_it_is_tried),
		cmocka_unit_test(a_process_that_is_traced_already_names_its_tracer),
		cmocka_unit_test(each_reason_for_a_refusal_has_its_own_advice),
		cmocka_unit_test(every_level_of_yama_has_its_own_advice),
		cmocka_unit_test(other_errors_are_told_as_they_are),
		cmocka_unit_test(the_facts_are_read_from_proc),
		cmocka_unit_test(a_child_may_be_traced_until_it_is_a_zombie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
