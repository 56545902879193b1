/* Escapes text for troff; UTF-8 becomes \[uXXXX]. */
#include "roff.h"

#include <stddef.h>
#include <string.h>

/* The code point at @at and its bytes; an invalid byte counts as one of its value. */
static unsigned decode(const char *at, size_t *n)
{
	const unsigned char *byte = (const unsigned char *)at;
	size_t more = *byte >= 0xf0 ? 3 : *byte >= 0xe0 ? 2 : *byte >= 0xc0 ? 1 : 0;
	unsigned code = more ? *byte & (0x3fu >> more) : *byte;

	*n = 1;
	for (size_t i = 1; i <= more; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return *byte;
		code = code << 6 | (byte[i] & 0x3f);
	}
	*n = more + 1;
	return code;
}

/* Escapes characters that troff interprets or prints as typographic ones. */
static void put(unsigned character, FILE *out)
{
	static const struct {
		unsigned character;
		const char *written;
	} special[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
		       {'^', "\\(ha"}, {'~', "\\(ti"}, {'"', "\\(dq"}};

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (special[i].character == character) {
			fputs(special[i].written, out);
			return;
		}
	if (character >= 0x80)
		fprintf(out, "\\[u%04X]", character);
	else
		fputc(character < ' ' || character == 0x7f ? ' ' : (int)character, out);
}

void roff_text(const char *string, FILE *out)
{
	size_t n;

	if (*string == '.' || *string == '\'')
		fputs("\\&", out);
	for (; *string; string += n)
		if (*string == '\n') {
			n = 1;
			fputs(string[1] == '.' || string[1] == '\'' ? "\n.br\n\\&" : "\n.br\n",
			      out);
		} else {
			put(decode(string, &n), out);
		}
}

void roff_usage(const char *usage, FILE *out)
{
	while (*usage) {
		const size_t capitals = strspn(usage, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		size_t i;

		if (capitals > 1)
			fputs("\\fI", out);
		for (i = 0; i < (capitals ? capitals : 1); i++)
			put((unsigned char)usage[i], out);
		if (capitals > 1)
			fputs("\\fR", out);
		usage += i;
	}
}

void roff_section(const char *title, FILE *out)
{
	fprintf(out, ".SH %s\n", title);
}

void roff_paragraph(const char *words, FILE *out)
{
	fputs(".PP\n", out);
	roff_text(words, out);
	fputc('\n', out);
}

void roff_item(const char *name, const char *meaning, FILE *out)
{
	fputs(".TP\n\\fB", out);
	roff_text(name, out);
	fputs("\\fR\n", out);
	roff_text(meaning, out);
	fputc('\n', out);
}
