/* Tokens of C++ names that need care; only for cxx_name.c and cxx_name_match.c. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NAME_ANONYMOUS "(anonymous namespace)"

static inline bool name_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static inline bool name_starts(const char *at, const char *prefix)
{
	return !strncmp(at, prefix, strlen(prefix));
}

/* The length of the word at @at; 0 if there is none. */
static inline size_t name_word_length(const char *at)
{
	size_t n = 0;

	while (name_word_char(at[n]))
		n++;
	return n;
}

/* Is the word at @at `operator`, as in the name of an operator function? */
static inline bool name_is_operator(const char *at)
{
	return name_word_length(at) == 8 && name_starts(at, "operator");
}

/* The length of the longest operator symbol at @at; 0 if there is none. */
static inline size_t name_symbol_length(const char *at)
{
	static const char *const symbols[] = {
		"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "==", "!=",
		"&&",  "||",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<",
		">",   "+",   "-",   "*",   "/",  "%",  "^",  "&",  "|",  "~",  "!",  "=",  ",",
	};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		if (name_starts(at, symbols[i]))
			return strlen(symbols[i]);
	}
	return 0;
}
