/* Lines on standard error, and a progress line that is erased with ECMA-48's EL. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"

static void message_say(const char *fmt, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, args) < 0)
		return;
	fputs("fathom: ", stderr);
	text_print_safe(stderr, text);
	fputc('\n', stderr);
	free(text);
}

void message_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message_say(fmt, args);
	va_end(args);
}

void message_note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message_say(fmt, args);
	va_end(args);
}

int message_status(bool ok, const struct err *err)
{
	if (ok)
		return EXIT_DONE;
	if (*err->text)
		message_error("%s", err->text);
	return err->code == ERR_TARGET ? EXIT_TARGET : EXIT_UNUSABLE;
}

/* 0: no terminal that can erase a line. Wider lines could not be erased. */
static int terminal_width(void)
{
	const char *type = getenv("TERM");
	struct winsize size;

	if (!isatty(STDERR_FILENO) || !type || !*type || !strcmp(type, "dumb"))
		return 0;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void wipe(void)
{
	fputs("\r\033[K", stderr);
}

void message_progress(const char *fmt, ...)
{
	const int width = terminal_width();
	char text[256];
	va_list args;

	if (!width)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (width - 10 < (int)sizeof(text))
		text[width > 10 ? width - 10 : 0] = '\0';
	wipe();
	fputs("fathom: ", stderr);
	text_print_safe(stderr, text);
	fflush(stderr);
}

void message_progress_end(void)
{
	if (terminal_width())
		wipe();
}
