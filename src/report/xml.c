/* Text and numbers within XML and HTML: escapes, and substitutes for forbidden characters. */
#include "xml.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/text.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/*
 * U+202A..U+202E and U+2066..U+2069 change the writing direction, which could disguise a name;
 * U+FFFE and U+FFFF are no characters.
 */
static bool is_refused(const unsigned char *at, size_t n)
{
	if (n != 3)
		return false;
	if (at[0] == 0xe2 && at[1] == 0x80)
		return at[2] >= 0xaa && at[2] <= 0xae;
	if (at[0] == 0xe2 && at[1] == 0x81)
		return at[2] >= 0xa6 && at[2] <= 0xa9;
	return at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe;
}

/* U+2400 on, the pictures of C0; U+2421 for DEL. */
static void print_control(unsigned char control, FILE *out)
{
	fprintf(out, "\xe2\x90%c", 0x80 + (control == 0x7f ? 0x21 : control));
}

static bool is_control(const char *at)
{
	return (unsigned char)*at < 0x20 || *at == 0x7f;
}

/* The length of the character at @at, printable or not. */
static size_t character_size(const char *at)
{
	const size_t n = text_printable_length(at);

	if (n)
		return n;
	/* C1, as UTF-8. */
	return (unsigned char)at[0] == 0xc2 && ((unsigned char)at[1] & 0xe0) == 0x80 ? 2 : 1;
}

static void xml_print_character(const char *at, FILE *out)
{
	const size_t n = text_printable_length(at);

	switch (*at) {
	case '<':
		fputs("&lt;", out);
		return;
	case '>':
		fputs("&gt;", out);
		return;
	case '&':
		fputs("&amp;", out);
		return;
	case '"':
		fputs("&quot;", out);
		return;
	}
	if (is_control(at))
		print_control(*at, out);
	else if (!n || is_refused((const unsigned char *)at, n))
		fputs(replacement, out);
	else
		fwrite(at, 1, n, out);
}

void xml_print(const char *text, FILE *out)
{
	for (; *text; text += character_size(text))
		if (*text == '\n')
			fputc('\n', out);
		else
			xml_print_character(text, out);
}

size_t xml_length(const char *text)
{
	size_t n = 0;

	for (; *text; text += character_size(text))
		n++;
	return n;
}

void xml_print_short(const char *text, size_t most, FILE *out)
{
	const bool cut = xml_length(text) > most;
	size_t n;

	for (n = cut ? 1 : 0; *text && n < most; n++) {
		xml_print_character(text, out);
		text += character_size(text);
	}
	if (cut)
		fputs("\xe2\x80\xa6", out);
}

void xml_print_px(double px, FILE *out)
{
	const long tenths = isnan(px) ? 0 : lround(10 * fmax(-1e4, fmin(1e4, px)));
	const long whole = tenths < 0 ? -tenths : tenths;

	if (tenths < 0)
		fputc('-', out);
	fprintf(out, "%ld", whole / 10);
	if (whole % 10)
		fprintf(out, ".%ld", whole % 10);
}

bool xml_fail(FILE *file, struct err *err)
{
	const int number = write(fileno(file), "\n", 1) == 1 ? EIO : errno;

	return err_set_errno(err, ERR_IO, number, "cannot write the page");
}
