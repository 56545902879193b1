/* Written expressions as trees: what is read, and how it is printed. */
#include "dwarf/written/written_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct written *must_parse(const char *text, struct arena *arena, const char **ret)
{
	const struct written *tree;
	struct err err;

	if (!written_parse(text, arena, &tree, ret, &err))
		fail_msg("%s: %s", text, err.text);
	return tree;
}

static void blanks_are_those_of_other_features(void **state)
{
	static const char *const texts[][2] = {
		{"n", "n"},
		{" a+b*c ", "a + b * c"},
		{"p -> m . k [ 3 ]", "p->m.k[3]"},
		{"( ( PyListObject*)self )->ob_size", "((PyListObject *)self)->ob_size"},
		{"((const  struct node  * *)p)[ i ]", "((const struct node **)p)[i]"},
		{"( unsigned long )n", "(unsigned long)n"},
		{"(struct pair<int, long> *)p == q", "(struct pair<int, long> *)p == q"},
		{"- -a", "--a"},
		{"a- -b", "a - -b"},
		{"*p+**q", "*p + **q"},
		{"sizeof( struct node* )*n", "sizeof(struct node *) * n"},
		{"a&b", "a & b"},
		{"'file.c'::count-1", "'file.c'::count - 1"},
		{"ns::Class::count%2", "ns::Class::count % 2"},
		{"c=='x'", "c == 'x'"},
		{"strlen ( s )", "strlen(s)"},
		{"0x1FuL>>2", "0x1FuL >> 2"},
		{"((char *const)p)[0]", "((char *const)p)[0]"},
		{"std::get<0>( t ).size ( )*2", "std::get<0>(t).size() * 2"},
		{"a < b", "a < b"},
		{"base<12>::head+<0>", "base<12>::head + <0>"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct arena *arena = arena_create();
		const char *once, *twice;

		(void)state;
		must_parse(texts[i][0], arena, &once);
		assert_string_equal(once, texts[i][1]);
		must_parse(once, arena, &twice);
		assert_string_equal(once, twice);
		arena_destroy(arena);
	}
}

static void operators_bind_as_in_c(void **state)
{
	struct arena *arena = arena_create();
	const struct written *tree = must_parse("a - b - c * d == e & f", arena, NULL);

	(void)state;
	assert_int_equal(tree->kind, WRITTEN_AND);
	assert_int_equal(tree->left->kind, WRITTEN_EQUAL);
	assert_int_equal(tree->left->left->kind, WRITTEN_SUBTRACT);
	assert_string_equal(tree->left->left->left->right->text, "b");
	assert_int_equal(tree->left->left->right->kind, WRITTEN_MULTIPLY);
	tree = must_parse("*p->m[1]", arena, NULL);
	assert_int_equal(tree->kind, WRITTEN_DEREFERENCE);
	assert_int_equal(tree->left->kind, WRITTEN_INDEX);
	arena_destroy(arena);
}

static void a_name_in_parentheses_is_a_type_if_an_operand_follows(void **state)
{
	struct arena *arena = arena_create();

	(void)state;
	assert_int_equal(must_parse("(n) - 1", arena, NULL)->kind, WRITTEN_SUBTRACT);
	assert_int_equal(must_parse("(n)[1]", arena, NULL)->kind, WRITTEN_INDEX);
	assert_int_equal(must_parse("(number)n", arena, NULL)->kind, WRITTEN_CAST);
	assert_int_equal(must_parse("(int)-n", arena, NULL)->kind, WRITTEN_CAST);
	assert_int_equal(must_parse("(node *)p", arena, NULL)->pointers, 1);
	assert_string_equal(must_parse("(struct node **)p", arena, NULL)->text, "struct node");
	arena_destroy(arena);
}

static void numbers_have_the_types_of_c(void **state)
{
	static const struct {
		const char *text;
		uint64_t number;
		unsigned size;
		bool is_signed;
	} numbers[] = {
		{"2147483647", 2147483647, 4, true},
		{"2147483648", 2147483648, 8, true},
		{"0xffffffff", 0xffffffff, 4, false},
		{"1u", 1, 4, false},
		{"1l", 1, 8, true},
		{"010", 8, 4, true},
		{"0xffffffffffffffff", UINT64_MAX, 8, false},
		{"'a'", 'a', 4, true},
	};
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		const struct written *number = must_parse(numbers[i].text, arena, NULL);

		assert_int_equal(number->kind, WRITTEN_NUMBER);
		assert_true(number->number == numbers[i].number);
		assert_int_equal(number->size, numbers[i].size);
		assert_int_equal(number->is_signed, numbers[i].is_signed);
	}
	arena_destroy(arena);
}

static void what_is_no_expression_is_refused_in_one_line(void **state)
{
	static const char *const texts[] = {
		"",
		"n +",
		"n n",
		"(n",
		"p->",
		"p.3",
		"a[1",
		"1.5",
		"1e3",
		"99999999999999999999",
		"a && b",
		"a || b",
		"n = 3",
		"f(n)",
		"(int",
		"(int)",
		"()",
		"(struct *)p",
		"'x",
		"'ab'",
		"''::n",
		"a ? b : c",
		"#",
		"\"text\"",
		"n\n;",
		"$",
		"(struct a<b *)p",
		"static_cast<A *>(p)->m",
		"sum(a)",
		"typeid(*p)",
		"p->~A",
		"\x01",
		"(const)n",
	};
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct written *tree;
		struct err err;

		if (written_parse(texts[i], arena, &tree, NULL, &err))
			fail_msg("%s is an expression", texts[i]);
		assert_int_equal(err.code, ERR_FORMAT);
		assert_true(*err.text && !strchr(err.text, '\n'));
	}
	arena_destroy(arena);
}

/* @n times @part, around @middle. */
static const char *nested(struct arena *arena, const char *part, size_t n, const char *middle)
{
	const char *text = middle;

	for (size_t i = 0; i < n; i++)
		text = arena_printf(arena, "%s%s", part, text);
	return text;
}

static void no_expression_is_too_deep(void **state)
{
	static const char *const parts[] = {"(", "-", "*", "a[", "(int)", "a+", "strlen("};
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (size_t n = WRITTEN_DEPTH_MAX; n <= 1 << 12; n *= 8) {
			const char *text = nested(arena, parts[i], n, "n");
			const struct written *tree;
			struct err err;

			assert_false(written_parse(text, arena, &tree, NULL, &err) &&
				     n > WRITTEN_DEPTH_MAX);
		}
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_are_those_of_other_features),
		cmocka_unit_test(operators_bind_as_in_c),
		cmocka_unit_test(a_name_in_parentheses_is_a_type_if_an_operand_follows),
		cmocka_unit_test(numbers_have_the_types_of_c),
		cmocka_unit_test(what_is_no_expression_is_refused_in_one_line),
		cmocka_unit_test(no_expression_is_too_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
