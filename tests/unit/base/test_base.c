/* Errors, memory, text and clocks. */
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/size.h"
#include "base/text.h"

static void an_error_says_what_and_its_callers_say_where(void **state)
{
	struct err err;

	(void)state;
	assert_false(err_set(&err, ERR_FORMAT, "no such thing as %d", 7));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_false(err_add(&err, "file %s", "a.out"));
	assert_string_equal(err.text, "file a.out: no such thing as 7");
	assert_int_equal(err.code, ERR_FORMAT);
	err_set_errno(&err, ERR_IO, ENOENT, "cannot open %s", "x");
	assert_string_equal(err.text, "cannot open x: No such file or directory");
}

static void an_error_that_is_too_long_is_cut(void **state)
{
	struct err err;
	char where[3000];

	(void)state;
	memset(where, 'w', sizeof(where));
	where[sizeof(where) - 1] = '\0';
	err_set(&err, ERR_IO, "what");
	err_add(&err, "%s", where);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	err_set(&err, ERR_IO, "%s", where);
	err_add(&err, "where");
	assert_memory_equal(err.text, "where: www", 10);
	assert_true(strlen(err.text) < sizeof(err.text));
}

static void an_arena_gives_zeroed_memory_and_keeps_copies(void **state)
{
	struct arena *arena = arena_create();
	const char *text;
	char *bytes;
	size_t i;

	(void)state;
	text = arena_printf(arena, "%s %d", "text", 5);
	bytes = arena_alloc(arena, 100000);
	for (i = 0; i < 100000; i++)
		assert_int_equal(bytes[i], 0);
	memset(bytes, 1, 100000);
	assert_string_equal(arena_strdup(arena, text), "text 5");
	assert_string_equal(text, "text 5");
	assert_non_null(arena_alloc(arena, 0));
	arena_destroy(arena);
	arena_destroy(NULL);
}

/* Lengths of obstacks are int. Nothing but its ends is touched. */
static void a_piece_may_be_larger_than_2_gib(void **state)
{
	const size_t size = ((size_t)2 << 30) + 4096;
	char *probe = malloc(size), *piece;
	struct arena *arena;

	(void)state;
	if (!probe)
		skip();
	free(probe);
	arena = arena_create();
	piece = arena_alloc(arena, size);
	assert_true(piece[0] == 0 && piece[size - 1] == 0);
	piece[0] = piece[size - 1] = 1;
	assert_string_equal(arena_strdup(arena, "after"), "after");
	arena_destroy(arena);
}

static void sizes_that_no_memory_has_are_never_small(void **state)
{
	static const size_t hostile[] = {SIZE_MAX,     SIZE_MAX / 2 + 1, SIZE_MAX / 8 + 1,
					 SIZE_MAX / 3, UINT32_MAX,       (size_t)1 << 33};
	const size_t n = sizeof(hostile) / sizeof(*hostile);

	(void)state;
	assert_int_equal(size_product(0, SIZE_MAX), 0);
	assert_int_equal(size_product(3, 5), 15);
	assert_int_equal(size_product(UINT32_MAX, UINT32_MAX), SIZE_MAX - 2 * (size_t)UINT32_MAX);
	assert_int_equal(size_sum(SIZE_MAX - 1, 1), SIZE_MAX);
	assert_int_equal(size_sum(SIZE_MAX, 2), SIZE_MAX);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			const size_t product = size_product(hostile[i], hostile[j]);

			assert_true(product == SIZE_MAX || product / hostile[j] == hostile[i]);
			assert_true(size_sum(hostile[i], hostile[j]) >= hostile[i]);
		}
}

static void take_array(void)
{
	(void)!arena_array(arena_create(), double, (size_t)1 << 61);
}

static void take_piece(void)
{
	(void)!arena_alloc(arena_create(), SIZE_MAX);
}

static void take_copy(void)
{
	(void)!mem_copy("", SIZE_MAX, 1);
}

static void take_growing(void)
{
	size_t capacity = 0;

	(void)!mem_grow(NULL, &capacity, SIZE_MAX / 4, 8);
}

static void what_no_memory_has_ends_the_program_and_is_not_given(void **state)
{
	static void (*const takes[])(void) = {take_array, take_piece, take_copy, take_growing};

	(void)state;
	for (size_t i = 0; i < sizeof(takes) / sizeof(*takes); i++) {
		const pid_t child = fork();
		int status = 0;

		if (child == 0) {
			close(STDERR_FILENO);
			takes[i]();
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

static void an_array_grows_with_zeroed_elements(void **state)
{
	size_t capacity = 0;
	int *numbers = NULL;
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		numbers = mem_grow(numbers, &capacity, i + 1, sizeof(*numbers));
		assert_int_equal(numbers[i], 0);
		numbers[i] = i;
	}
	for (i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], i);
	free(numbers);
}

static void printed_text_never_controls_a_terminal(void **state)
{
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	(void)state;
	text_print_safe(out, "a\033[31mb\n\t\177\xc2\x9b"
			     "c\xff é µ");
	fclose(out);
	assert_null(strchr(printed, '\033'));
	assert_null(strchr(printed, '\n'));
	assert_null(strchr(printed, '\177'));
	assert_null(strstr(printed, "\xc2\x9b"));
	assert_null(strchr(printed, '\xff'));
	assert_non_null(strstr(printed, " é µ"));
	free(printed);
}

static void a_timer_ends_waiting_when_it_is_due_and_then_again_and_again(void **state)
{
	const struct timespec longer = clock_timespec(60500000000);
	const uint64_t due_ns = clock_now_ns() + 30000000;
	struct clock_timer timer = {.created = false};

	(void)state;
	assert_int_equal(longer.tv_sec, 60);
	assert_int_equal(longer.tv_nsec, 500000000);
	assert_true(clock_timer_set(&timer, due_ns, 20000000));
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(nanosleep(&longer, NULL), -1);
		assert_int_equal(errno, EINTR);
		assert_true(clock_now_ns() >= due_ns + i * 20000000);
	}
	clock_timer_deinit(&timer);
	clock_timer_deinit(&timer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_says_what_and_its_callers_say_where),
		cmocka_unit_test(an_error_that_is_too_long_is_cut),
		cmocka_unit_test(an_arena_gives_zeroed_memory_and_keeps_copies),
		cmocka_unit_test(sizes_that_no_memory_has_are_never_small),
		cmocka_unit_test(what_no_memory_has_ends_the_program_and_is_not_given),
		cmocka_unit_test(a_piece_may_be_larger_than_2_gib),
		cmocka_unit_test(an_array_grows_with_zeroed_elements),
		cmocka_unit_test(printed_text_never_controls_a_terminal),
		cmocka_unit_test(a_timer_ends_waiting_when_it_is_due_and_then_again_and_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
