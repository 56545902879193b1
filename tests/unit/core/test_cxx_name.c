/* Names: canonical forms, matching, globs and edit distance, as tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/cxx_name.h"

struct canonical_case {
	const char *name, *canonical;
};

static const struct canonical_case canonical_cases[] = {
	{"main", "main"},
	{"<shapes::Square>::grow", "shapes::Square::grow"},
	{"shapes::largest::<i32>", "shapes::largest<i32>"},
	{"<Square as Area>::area", "<Square as Area>::area"},
	{"", ""},
	{"std::__cxx11::list<int, std::allocator<int> >::sort()", "std::list<int>::sort()"},
	{"std::list<int>::sort", "std::list<int>::sort"},
	{"std::__1::vector<int, std::__1::allocator<int> >::push_back(int&&)",
	 "std::vector<int>::push_back(int&&)"},
	{"std::vector<std::vector<int, std::allocator<int> >, std::allocator<std::vector<int, "
	 "std::allocator<int> > > >::size() const",
	 "std::vector<std::vector<int>>::size() const"},
	{"std::map<int, long, std::less<int>, std::allocator<std::pair<int const, long> > "
	 ">::clear()",
	 "std::map<int, long>::clear()"},
	{"std::map<int, long, std::greater<int>, std::allocator<std::pair<int const, long> > "
	 ">::clear()",
	 "std::map<int, long, std::greater<int>>::clear()"},
	{"std::unordered_map<int, char, std::hash<int>, std::equal_to<int>, "
	 "std::allocator<std::pair<int const, char> > >::find(int const&)",
	 "std::unordered_map<int, char>::find(const int&)"},
	{"std::vector<int, std::allocator<long> >::f()",
	 "std::vector<int, std::allocator<long>>::f()"},
	{"std::unique_ptr<Foo, std::default_delete<Foo> >::~unique_ptr()",
	 "std::unique_ptr<Foo>::~unique_ptr()"},
	{"std::priority_queue<int, std::vector<int, std::allocator<int> >, std::less<int> >::pop()",
	 "std::priority_queue<int>::pop()"},
	{"std::pair<int, std::vector<int, std::allocator<int> > >::f()",
	 "std::pair<int, std::vector<int>>::f()"},
	{"mine::list<int, std::allocator<int> >::sort()",
	 "mine::list<int, std::allocator<int>>::sort()"},
	{"f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)",
	 "f(const std::string&)"},
	{"std::basic_ostream<char, std::char_traits<char> >& std::operator<< "
	 "<std::char_traits<char> "
	 ">(std::basic_ostream<char, std::char_traits<char> >&, char const*)",
	 "std::operator<< <std::char_traits<char>>(std::ostream&, const char*)"},
	{"f[abi:cxx11](int)", "f(int)"},
	{"A::f[abi:cxx11][abi:v2]() const", "A::f() const"},
	{"void foo<int>(int)", "foo<int>(int)"},
	{"std::enable_if<true, int>::type ns::bar<int>(int)", "ns::bar<int>(int)"},
	{"unsigned long foo<char const*>(char const*)", "foo<const char*>(const char*)"},
	{"decltype (a.b()) foo<int>(int)", "foo<int>(int)"},
	{"void (anonymous namespace)::foo<int>(int)", "(anonymous namespace)::foo<int>(int)"},
	{"(anonymous namespace)::foo(int)", "(anonymous namespace)::foo(int)"},
	{"A::operator<(A const&) const", "A::operator<(const A&) const"},
	{"bool operator< <int>(A<int> const&)", "operator< <int>(const A<int>&)"},
	{"A::operator()(int)", "A::operator()(int)"},
	{"A::operator [] (int)", "A::operator[](int)"},
	{"A::operator->() const", "A::operator->() const"},
	{"A::operator,(A)", "A::operator,(A)"},
	{"operator new(unsigned long)", "operator new(unsigned long)"},
	{"operator new[](unsigned long)", "operator new[](unsigned long)"},
	{"operator delete [](void*)", "operator delete[](void*)"},
	{"operator\"\" _km(long double)", "operator\"\"_km(long double)"},
	{"A::operator char const*() const", "A::operator const char*() const"},
	{"A::operator std::__cxx11::basic_string<char, std::char_traits<char>, "
	 "std::allocator<char> >()",
	 "A::operator std::string()"},
	{"main::{lambda(int)#1}::operator()(int) const",
	 "main::{lambda(int)#1}::operator()(int) const"},
	{"foo(int)::{lambda(char const*, int)#2}::operator()(char const*, int) const",
	 "foo(int)::{lambda(const char*, int)#2}::operator()(const char*, int) const"},
	{"foo(int) [clone .constprop.0]", "foo(int) [clone .constprop.0]"},
	{"foo [clone .part.0]", "foo [clone .part.0]"},
	{"f(char const* const&, unsigned char const volatile*)",
	 "f(const char* const&, const unsigned char volatile*)"},
	{"f( void )", "f()"},
	{"f(void (*)(int), int)", "f(void(*)(int), int)"},
	{"map<int,int>::f(char *,int & )", "map<int, int>::f(char*, int&)"},
	{"std::filesystem::__cxx11::path::parent_path() const",
	 "std::filesystem::path::parent_path() const"},
	{"std::chrono::_V2::system_clock::now()", "std::chrono::system_clock::now()"},
	{"std::*::sort", "std::*::sort"},
	{"<alloc::vec::Vec<T> as core::ops::Drop>::drop",
	 "<alloc::vec::Vec<T> as core::ops::Drop>::drop"},
	{"f(int", "f(int"},
	{"a>b)c,d", "a>b)c,d"},
	{"operator", "operator"},
	{"operator<", "operator<"},
};

static void canonical_names_are_what_a_programmer_types(void **state)
{
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(canonical_cases) / sizeof(*canonical_cases); i++)
		assert_string_equal(cxx_name_canonical(arena, canonical_cases[i].name),
				    canonical_cases[i].canonical);
	arena_destroy(arena);
}

static void a_canonical_name_is_its_own_canonical_form(void **state)
{
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(canonical_cases) / sizeof(*canonical_cases); i++)
		assert_string_equal(cxx_name_canonical(arena, canonical_cases[i].canonical),
				    canonical_cases[i].canonical);
	arena_destroy(arena);
}

static void deeply_nested_names_end(void **state)
{
	enum { N = 60000 };
	struct arena *arena = arena_create();
	char *deep = mem_alloc(N + 1);

	(void)state;
	for (const char *open = "<({["; *open; open++) {
		memset(deep, *open, N);
		assert_non_null(cxx_name_canonical(arena, deep));
		assert_false(cxx_name_matches(deep, NULL, "f"));
	}
	free(deep);
	arena_destroy(arena);
}

struct match_case {
	const char *canonical, *linkage, *pattern;
	bool matches;
};

static const struct match_case match_cases[] = {
	{"sqlite3RunParser", "sqlite3RunParser", "sqlite3RunParser", true},
	{"sqlite3RunParser", "sqlite3RunParser", "sqlite3Run", false},
	{"std::list<int>::sort()", "_ZNSt4listIiE4sortEv", "std::list<int>::sort", true},
	{"std::list<int>::sort()", "_ZNSt4listIiE4sortEv", "std::list<int>::sort()", true},
	{"std::list<int>::sort()", "_ZNSt4listIiE4sortEv", "list<int>::sort", true},
	{"std::list<int>::sort()", "_ZNSt4listIiE4sortEv", "std::list::sort", true},
	{"std::list<int>::sort()", "_ZNSt4listIiE4sortEv", "sort", true},
	{"std::list<int>::sort()", "_ZNSt4listIiE4sortEv", "_ZNSt4listIiE4sortEv", true},
	{"std::list<int>::sort()", NULL, "ist<int>::sort", false},
	{"std::list<int>::sort()", NULL, "std::list<long>::sort", false},
	{"std::list<int>::sort()", NULL, "std::list<int>::sort(int)", false},
	{"std::list<int>::sort()", NULL, "std::sort", false},
	{"std::list<int>::sort()", NULL, "std::*::sort", true},
	{"std::list<int>::sort()", NULL, "*sort()", true},
	{"std::list<int>::sort()", NULL, "sort*", false},
	{"std::list<int>::sort()", "_ZNSt4listIiE4sortEv", "_ZNSt4list*", true},
	{"Table<int, double, std::less<int>>::sum() const", NULL, "Table<int, double>::sum", true},
	{"Table<int, double, std::less<int>>::sum() const", NULL, "Table<int>::sum() const", true},
	{"Table<int, double, std::less<int>>::sum() const", NULL, "Table<int, dou>::sum", false},
	{"Table<int, double, std::less<int>>::sum() const", NULL, "Table<double>::sum", false},
	{"A::size() const", NULL, "A::size()", true},
	{"A::size() const", NULL, "A::size() const", true},
	{"A::size()", NULL, "A::size() const", false},
	{"f(char*)", NULL, "f(char*)", true},
	{"f(char, char*)", NULL, "f(char*)", false},
	{"f(char)", NULL, "::f", true},
	{"a::f(char)", NULL, "::f", false},
	{"A::operator*(int)", NULL, "A::operator*", true},
	{"A::operator*=(int)", NULL, "A::operator*", false},
	{"A::operator[](int)", NULL, "operator[]", true},
	{"A::operator int() const", NULL, "A::operator int", true},
	{"A::operator a::B() const", NULL, "A::operator a::B", true},
	{"std::operator<< <std::char_traits<char>>(std::ostream&, const char*)", NULL,
	 "std::operator<<", true},
	{"(anonymous namespace)::f(int)", NULL, "f", true},
	{"(anonymous namespace)::f(int)", NULL, "(anonymous namespace)::f", true},
	{"main::{lambda(int)#1}::operator()(int) const", NULL, "operator()", true},
	{"main::{lambda(int)#1}::operator()(int) const", NULL, "main", false},
	{"g(int)::local::run(int)", NULL, "local::run", true},
	{"g(int)::local::run(int)", NULL, "g::local::run", true},
	{"f(int) [clone .part.0]", NULL, "f", true},
	{"f(int) [clone .part.0]", NULL, "f(int)", true},
	{"f [clone .part.0]", NULL, "f", true},
	{"f [clone .part.0]", NULL, "f [clone .part.0]", true},
	{"f [clone .part.0]", NULL, "f [clone .part.1]", false},
};

static void patterns_match_the_functions_they_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(match_cases) / sizeof(*match_cases); i++) {
		const struct match_case *c = &match_cases[i];

		if (cxx_name_matches(c->canonical, c->linkage, c->pattern) != c->matches)
			fail_msg("%s %s %s", c->pattern, c->matches ? "does not match" : "matches",
				 c->canonical);
	}
}

static void pointers_and_operators_are_no_globs(void **state)
{
	static const char *const literals[] = {
		"main",
		"f(char*)",
		"f(char**, int)",
		"vec<char*>::f",
		"operator*",
		"A::operator[]",
		"f(void(*)(int))",
		"operator new[]",
		"f [clone .part.0]",
	};
	static const char *const globs[] = {"fill<unsigned*", "*",    "sqlite3*", "f?", "f[ab]",
					    "std::*::sort",   "f(*)", "vec<*>::f"};

	(void)state;
	for (size_t i = 0; i < sizeof(literals) / sizeof(*literals); i++) {
		if (cxx_name_is_glob(literals[i]))
			fail_msg("%s was taken for a glob", literals[i]);
	}
	for (size_t i = 0; i < sizeof(globs) / sizeof(*globs); i++) {
		if (!cxx_name_is_glob(globs[i]))
			fail_msg("%s was not taken for a glob", globs[i]);
	}
}

static void the_plain_name_is_the_last_component(void **state)
{
	static const struct canonical_case cases[] = {
		{"main", "main"},
		{"std::list<int>::sort()", "sort"},
		{"ns::foo<a::b>(c::d)", "foo"},
		{"A::operator()(int)", "operator()"},
		{"A::operator int() const", "operator int"},
		{"std::operator<< <char>(int)", "operator<<"},
		{"(anonymous namespace)::f(int)", "f"},
		{"foo(int)::{lambda(int)#1}::operator()(int) const", "operator()"},
		{"f(int) [clone .part.0]", "f"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n;
		const char *plain = cxx_name_plain(cases[i].name, &n);
		char *copy = strndup(plain, n);

		assert_string_equal(copy, cases[i].canonical);
		free(copy);
	}
}

static void the_distance_counts_edits_up_to_a_limit(void **state)
{
	(void)state;
	assert_int_equal(cxx_name_distance("sort", "sort", 3), 0);
	assert_int_equal(cxx_name_distance("sort", "srot", 3), 2);
	assert_int_equal(cxx_name_distance("sort", "sorted", 3), 2);
	assert_int_equal(cxx_name_distance("", "abc", 3), 3);
	assert_int_equal(cxx_name_distance("kitten", "sitting", 3), 3);
	assert_int_equal(cxx_name_distance("kitten", "sitting", 2), 3);
	assert_int_equal(cxx_name_distance("abc", "xyzabcxyz", 3), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canonical_names_are_what_a_programmer_types),
		cmocka_unit_test(a_canonical_name_is_its_own_canonical_form),
		cmocka_unit_test(deeply_nested_names_end),
		cmocka_unit_test(patterns_match_the_functions_they_name),
		cmocka_unit_test(pointers_and_operators_are_no_globs),
		cmocka_unit_test(the_plain_name_is_the_last_component),
		cmocka_unit_test(the_distance_counts_edits_up_to_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
