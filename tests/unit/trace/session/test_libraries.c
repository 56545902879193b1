/*
 * Libraries on a scripted target. The executable is at CODE; the library has a function h at its
 * link-time address 0x100 and a vtable at 0x800 … 0x840. The loader calls BRK.
 */
#include "check.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scripted_target.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/engine.h"
#include "trace/probe/loader.h"
#include "trace/session/session_inner.h"

enum { BRK = CODE + 0x700, CALLER = CODE + 0x400 };
enum { LIBRARY = CODE + 0x1000, ELSEWHERE = CODE + 0x1800, H_ADDR = 0x100, H_RET_ADDR = 0x110 };
enum { TOP = STACK + 0x1000, HEADERS = STACK + 0x100, DYNAMIC = STACK + 0x200 };
enum { DEBUG = STACK + 0x300 };

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct address_range h_range = {H_ADDR, H_RET_ADDR + 1};
static const struct exit_site h_exits[] = {{H_RET_ADDR, EXIT_RETURN}};
static const struct function h = {.name = "h",
				  .linkage = "h",
				  .module = 1,
				  .ranges = &h_range,
				  .n_ranges = 1,
				  .probe_addr = H_ADDR,
				  .cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8},
				  .exits = h_exits,
				  .n_exits = 1};
static char library_path[] = "/tmp/fathom-library-XXXXXX";
static const struct module modules[] = {{.path = "scripted", .entry_addr = ENTRY - CODE},
					{.path = library_path}};
/* The second one overlaps the first. */
static const struct vtable vtables[] = {
	{0x800, 0x840, 1, 7}, {0x820, 0x860, 1, 8}, {0x10, 0x20, 0, 9}};
static const struct catalogue catalogue = {.modules = modules,
					   .n_modules = 2,
					   .vtables = vtables,
					   .n_vtables = 3,
					   .functions = &h,
					   .n_functions = 1};

#define MAPPED_AT(address)                                                        \
	{                                                                         \
		{CODE, CODE + 0x1000, 0, 1, 1, true, "scripted"},                 \
		{                                                                 \
			(address), (address) + 0x200, 0, 1, 2, true, library_path \
		}                                                                 \
	}
static struct mapped_file alone[] = {{CODE, CODE + 0x1000, 0, 1, 1, true, "scripted"}};
static struct mapped_file here[] = MAPPED_AT(LIBRARY);
static struct mapped_file there[] = MAPPED_AT(ELSEWHERE);
static struct mapped_file twice[] = {{LIBRARY, LIBRARY + 0x200, 0, 1, 2, true, library_path},
				     {ELSEWHERE, ELSEWHERE + 0x200, 0, 1, 2, true, library_path}};
static struct mapped_file not_executable[] = {
	{ELSEWHERE, ELSEWHERE + 0x200, 0, 1, 2, false, library_path}};
/* First as data, then as a library in two pieces. */
static struct mapped_file as_data_too[] = {
	{LIBRARY, LIBRARY + 0x400, 0, 1, 2, false, library_path},
	{ELSEWHERE, ELSEWHERE + 0x80, 0, 1, 2, false, library_path},
	{ELSEWHERE + 0x80, ELSEWHERE + 0x200, 0x80, 1, 2, true, library_path}};

struct fixture {
	struct scripted_target target;
	struct session *session;
};

#define HIT(pc, sp, at, ...)                                                               \
	{                                                                                  \
		.stop = {.tid = 1, .kind = STOP_BREAKPOINT}, .rip = (pc) + 1, .rsp = (sp), \
		.now_ns = (at), .files = __VA_ARGS__,                                      \
		.n_files = sizeof((__VA_ARGS__)) / sizeof(struct mapped_file)              \
	}
/* A signal to the tracer: a moment to look at what there is. */
#define PAUSE                     \
	{                         \
		.is_signal = true \
	}
#define EXIT(at)                                                        \
	{                                                               \
		.stop = {.tid = 1, .kind = STOP_EXITED}, .now_ns = (at) \
	}

static void put_loader(struct scripted_target *target)
{
	const Elf64_Phdr header = {
		.p_type = PT_DYNAMIC, .p_vaddr = DYNAMIC - CODE, .p_memsz = 2 * sizeof(Elf64_Dyn)};
	const Elf64_Dyn dynamic[] = {{.d_tag = DT_DEBUG, .d_un = {.d_ptr = DEBUG}},
				     {.d_tag = DT_NULL}};
	const struct r_debug debug = {.r_brk = BRK, .r_state = RT_CONSISTENT};

	target->headers = HEADERS;
	target->n_headers = 1;
	memcpy(target->stack + (HEADERS - STACK), &header, sizeof(header));
	memcpy(target->stack + (DYNAMIC - STACK), dynamic, sizeof(dynamic));
	memcpy(target->stack + (DEBUG - STACK), &debug, sizeof(debug));
}

static void play(struct fixture *f, const struct scripted_stop *script, size_t n, bool loader)
{
	const uint64_t caller = CALLER;
	struct err err;

	memset(f, 0, sizeof(*f));
	f->target.script = script;
	f->target.n = n;
	memset(f->target.code, 0x90, sizeof(f->target.code));
	f->target.code[LIBRARY + H_RET_ADDR - CODE] = 0xc3;
	f->target.code[ELSEWHERE + H_RET_ADDR - CODE] = 0xc3;
	memcpy(f->target.stack + (TOP - 8 - STACK), &caller, 8);
	if (loader)
		put_loader(&f->target);
	assert_true(session_create(&catalogue, (struct target){&scripted_ops, &f->target}, 1,
				   &(struct session_options){.follow_fork = false}, &f->session,
				   &err));
}

#define PLAY(f, loader, ...)                                 \
	const struct scripted_stop script[] = {__VA_ARGS__}; \
	play(f, script, sizeof(script) / sizeof(script[0]), loader)

static struct session_event next(struct fixture *f)
{
	struct session_event event;
	struct err err;

	assert_true(session_next(f->session, &event, &err));
	return event;
}

/* The library's file is one that the test made; the mapped pieces get its identity. */
static int make_library(void **state)
{
	struct mapped_file *pieces[] = {&here[1],        &there[1],         &as_data_too[0],
					&as_data_too[1], &as_data_too[2],   &twice[0],
					&twice[1],       &not_executable[0]};
	struct stat status;
	int fd;
	size_t i;

	(void)state;
	strcpy(library_path + strlen(library_path) - 6, "XXXXXX");
	fd = mkstemp(library_path);
	if (fd < 0 || fstat(fd, &status) || close(fd))
		return -1;
	for (i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		pieces[i]->device = status.st_dev;
		pieces[i]->inode = status.st_ino;
	}
	return 0;
}

static int remove_library(void **state)
{
	(void)state;
	return unlink(library_path);
}

static bool is_logged(const struct fixture *f, const char *text)
{
	return strstr(f->target.log, text) != NULL;
}

static void a_library_that_is_there_at_the_start_is_planted(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, true, HIT(ENTRY, TOP, 0, here), HIT(LIBRARY + H_ADDR, TOP - 8, 1000, here),
	     HIT(LIBRARY + H_RET_ADDR, TOP - 8, 3000, here), EXIT(9000));
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_true(event.call.metrics[METRIC_TIME].number == 2.0);
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	session_destroy(f.session);
}

static void a_library_that_comes_later_is_planted_then(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, true, HIT(ENTRY, TOP, 0, alone), HIT(BRK, TOP, 1000, there),
	     HIT(ELSEWHERE + H_ADDR, TOP - 8, 2000, there),
	     HIT(ELSEWHERE + H_RET_ADDR, TOP - 8, 3000, there), EXIT(9000));
	assert_int_equal(next(&f).kind, SESSION_CALL);
	assert_int_equal(f.session->inferiors->modules[1].load_bias, ELSEWHERE);
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	session_destroy(f.session);
}

static void a_library_that_is_gone_is_not_touched_and_its_calls_are_abandoned(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, true, HIT(ENTRY, TOP, 0, here), HIT(LIBRARY + H_ADDR, TOP - 8, 1000, here),
	     HIT(BRK, TOP - 100, 2000, alone), PAUSE, EXIT(9000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	assert_int_equal(session_function_account(f.session, 0, 0)->abandoned, 1);
	assert_null(breakpoint_find(f.session->inferiors->breakpoints, LIBRARY + H_ADDR));
	assert_null(breakpoint_find(f.session->inferiors->breakpoints, LIBRARY + H_RET_ADDR));
	assert_true(is_logged(&f, "plant 1 401100\n"));
	assert_false(is_logged(&f, "lift 1 4011"));
	session_destroy(f.session);
}

static void a_library_that_moves_is_planted_where_it_is(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, true, HIT(ENTRY, TOP, 0, here), HIT(BRK, TOP, 1000, there),
	     HIT(ELSEWHERE + H_ADDR, TOP - 8, 2000, there),
	     HIT(ELSEWHERE + H_RET_ADDR, TOP - 8, 3000, there), EXIT(9000));
	assert_int_equal(next(&f).kind, SESSION_CALL);
	assert_null(breakpoint_find(f.session->inferiors->breakpoints, LIBRARY + H_ADDR));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	session_destroy(f.session);
}

static void a_second_copy_below_the_first_changes_nothing(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, true, HIT(ENTRY, TOP, 0, there), HIT(BRK, TOP, 1000, twice),
	     HIT(BRK, TOP, 2000, not_executable), HIT(ELSEWHERE + H_ADDR, TOP - 8, 3000, there),
	     HIT(ELSEWHERE + H_RET_ADDR, TOP - 8, 4000, there), EXIT(9000));
	assert_int_equal(next(&f).kind, SESSION_CALL);
	assert_false(is_logged(&f, "plant 1 401100\n"));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	session_destroy(f.session);
}

static void a_file_that_is_mapped_as_data_is_no_library(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, true, HIT(ENTRY, TOP, 0, as_data_too), PAUSE, EXIT(9000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	assert_int_equal(f.session->inferiors->modules[1].low, ELSEWHERE);
	assert_int_equal(f.session->inferiors->modules[1].high, ELSEWHERE + 0x200);
	assert_false(is_logged(&f, "plant 1 401100\n"));
	session_destroy(f.session);
}

static void assert_changed(struct fixture *f)
{
	struct session_event event = next(f);

	assert_int_equal(event.kind, SESSION_NOTE);
	assert_non_null(strstr(event.note, "was changed"));
	assert_int_equal(next(f).kind, SESSION_PAUSE);
	assert_false(f->session->inferiors->modules[1].mapped);
	assert_false(is_logged(f, "plant 1 4011"));
	session_destroy(f->session);
}

static void a_library_that_was_written_to_meanwhile_is_not_measured(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, true, HIT(ENTRY, TOP, 0, alone), HIT(BRK, TOP, 1000, here),
	     HIT(BRK, TOP, 2000, here), PAUSE, EXIT(9000));
	assert_int_equal(truncate(library_path, 1), 0);
	assert_changed(&f);
}

static void a_library_that_was_replaced_meanwhile_is_not_measured(void **state)
{
	struct fixture f;
	int fd;

	(void)state;
	PLAY(&f, true, HIT(ENTRY, TOP, 0, alone), HIT(BRK, TOP, 1000, here), PAUSE, EXIT(9000));
	here[1].inode++;
	fd = open(library_path, O_WRONLY);
	assert_int_equal(write(fd, "new", 3), 3);
	close(fd);
	assert_changed(&f);
}

static void maps_are_not_read_while_the_loader_is_busy(void **state)
{
	const int busy = RT_ADD;
	struct fixture f;

	(void)state;
	PLAY(&f, true, HIT(ENTRY, TOP, 0, alone), HIT(BRK, TOP, 1000, here), EXIT(9000));
	memcpy(f.target.stack + (DEBUG - STACK) + offsetof(struct r_debug, r_state), &busy,
	       sizeof(busy));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_true(is_logged(&f, "maps 1 1\n"));
	assert_false(is_logged(&f, "maps 1 2\n"));
	session_destroy(f.session);
}

static void a_loader_that_does_not_tell_is_mentioned_if_a_library_is_missing(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, false, HIT(ENTRY, TOP, 0, alone), EXIT(9000));
	event = next(&f);
	assert_int_equal(event.kind, SESSION_NOTE);
	assert_non_null(strstr(event.note, library_path));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	session_destroy(f.session);
}

static void vtables_are_those_of_mapped_modules_and_disjoint(void **state)
{
	const struct class_map *map;
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, true, HIT(ENTRY, TOP, 0, alone), HIT(BRK, TOP, 1000, here),
	     HIT(LIBRARY + H_ADDR, TOP - 8, 2000, here),
	     HIT(LIBRARY + H_RET_ADDR, TOP - 8, 3000, here), HIT(BRK, TOP, 4000, alone), PAUSE,
	     EXIT(9000));
	map = &f.session->inferiors->class_map;
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_int_equal(map->n_ranges, 2);
	assert_int_equal(map->ranges[0].low, CODE + 0x10);
	assert_int_equal(map->ranges[0].class_type, 9);
	assert_int_equal(map->ranges[1].low, LIBRARY + 0x800);
	assert_int_equal(map->ranges[1].class_type, 7);
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	assert_int_equal(map->n_ranges, 1);
	session_destroy(f.session);
}

static void a_broken_dynamic_section_is_no_loader(void **state)
{
	struct scripted_target target;
	const struct target ops = {&scripted_ops, &target};
	struct loader loader;
	uint64_t nowhere = 0x10;

	(void)state;
	memset(&target, 0, sizeof(target));
	assert_false(loader_find(&ops, 1, CODE, &loader));
	put_loader(&target);
	assert_true(loader_find(&ops, 1, CODE, &loader));
	assert_int_equal(loader.brk, BRK);
	target.n_headers = 1000000;
	assert_false(loader_find(&ops, 1, CODE, &loader));
	target.n_headers = 1;
	assert_false(loader_find(&ops, 1, CODE + 0x100000, &loader));
	memcpy(target.stack + (DEBUG - STACK) + offsetof(struct r_debug, r_brk), &nowhere, 8);
	assert_false(loader_find(&ops, 1, CODE, &loader));
}

#define WITH_LIBRARY(test) cmocka_unit_test_setup_teardown(test, make_library, remove_library)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_LIBRARY(a_library_that_is_there_at_the_start_is_planted),
		WITH_LIBRARY(a_library_that_comes_later_is_planted_then),
		WITH_LIBRARY(a_library_that_is_gone_is_not_touched_and_its_calls_are_abandoned),
		WITH_LIBRARY(a_library_that_moves_is_planted_where_it_is),
		WITH_LIBRARY(a_second_copy_below_the_first_changes_nothing),
		WITH_LIBRARY(a_file_that_is_mapped_as_data_is_no_library),
		WITH_LIBRARY(a_library_that_was_written_to_meanwhile_is_not_measured),
		WITH_LIBRARY(a_library_that_was_replaced_meanwhile_is_not_measured),
		WITH_LIBRARY(maps_are_not_read_while_the_loader_is_busy),
		WITH_LIBRARY(a_loader_that_does_not_tell_is_mentioned_if_a_library_is_missing),
		WITH_LIBRARY(vtables_are_those_of_mapped_modules_and_disjoint),
		WITH_LIBRARY(a_broken_dynamic_section_is_no_loader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
