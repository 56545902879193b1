/*
 * The terminal, by ncurses: modes, size, keys and the mouse. terminal_style.c has the looks,
 * terminal_signals.c the signals.
 *
 * ncurses remembers what is shown and sends the difference in one write. It gets only changed
 * cells: passing it a whole large screen takes longer than everything else.
 */
#include "terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/terminfo_lend.h"
#include "terminal_signals.h"
#include "terminal_style.h"

enum {
	ESCAPE_MS = 50, /* an escape followed by nothing for this long is the key Esc */
	DOUBLE_CLICK_MS = 400,
};

struct terminal {
	const struct terminal_reset *rescue;
	SCREEN *ncurses;
	FILE *in, *out;
	struct screen *next, *shown; /* `shown`: what ncurses was given */
	struct terminal_styles styles;
	struct terminal_event click; /* the last click */
	int64_t click_ms;
	bool is_ascii;
	bool is_gone;
};

/* Mark every cell of `shown` as different. */
static void forget_shown(struct terminal *terminal)
{
	size_t n = (size_t)terminal->shown->width * terminal->shown->height;

	memset(terminal->shown->cells, 0xff, n * sizeof(*terminal->shown->cells));
}

static void make_screens(struct terminal *terminal)
{
	screen_destroy(terminal->next);
	screen_destroy(terminal->shown);
	terminal->next = screen_create(COLS, LINES, terminal->is_ascii);
	terminal->shown = screen_create(COLS, LINES, terminal->is_ascii);
	forget_shown(terminal);
}

static void set_modes(void)
{
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	leaveok(stdscr, TRUE);
	curs_set(0);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
}

/* For ncurses' size, modes and buffers. */
static bool open_streams(struct terminal *terminal, int fd)
{
	int in = dup(fd);
	int out = dup(fd);

	terminal->in = in < 0 ? NULL : fdopen(in, "r");
	terminal->out = out < 0 ? NULL : fdopen(out, "w");
	return terminal->in && terminal->out;
}

static void terminal_release(struct terminal *terminal)
{
	if (terminal->in)
		fclose(terminal->in);
	if (terminal->out)
		fclose(terminal->out);
	screen_destroy(terminal->next);
	screen_destroy(terminal->shown);
	free(terminal);
}

static bool wants_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

bool terminal_open(const struct terminal_reset *rescue, enum terminal_colors colors,
		   struct terminal **ret, struct err *err)
{
	struct terminal *terminal = mem_alloc(sizeof(*terminal));

	terminal->rescue = rescue;
	if (!setlocale(LC_CTYPE, "") && wants_utf8())
		setlocale(LC_CTYPE, "C.UTF-8"); /* the locale is not installed */
	terminal->is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	terminal_signals_catch(rescue);
	terminfo_lend();
	if (open_streams(terminal, rescue->fd))
		terminal->ncurses = newterm(NULL, terminal->out, terminal->in);
	terminfo_lend_end();
	if (!terminal->ncurses) {
		terminal_signals_release();
		terminal_release(terminal);
		return err_set(err, ERR_UNSUPPORTED,
			       "the terminal '%s' cannot show the explorer: set TERM to what it "
			       "really is",
			       getenv("TERM"));
	}
	set_modes();
	terminal_styles_init(&terminal->styles, colors);
	make_screens(terminal);
	*ret = terminal;
	return true;
}

/*
 * An orphaned process is in the background now or soon: endwin() would undo the shell's modes, and
 * setting modes would stop the process for good.
 */
static void terminal_leave(const struct terminal *terminal)
{
	sigset_t stop, before;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &stop, &before);
	if (tcgetpgrp(terminal->rescue->fd) == getpgrp())
		endwin();
	else
		terminal_reset_apply(terminal->rescue);
	delscreen(terminal->ncurses);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void terminal_close(struct terminal *terminal)
{
	if (!terminal)
		return;
	if (terminal->is_gone)
		delscreen(terminal->ncurses);
	else
		terminal_leave(terminal);
	terminal_signals_release();
	terminal_release(terminal);
}

struct screen *terminal_screen(struct terminal *terminal)
{
	if (terminal->next->width != (unsigned)COLS || terminal->next->height != (unsigned)LINES)
		make_screens(terminal);
	return terminal->next;
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->character == b->character && a->style == b->style;
}

static void terminal_put_cell(const struct terminal *terminal, unsigned x, unsigned y,
			      const struct cell *cell)
{
	const wchar_t text[] = {cell->character, L'\0'};
	cchar_t character;
	attr_t attributes;
	short pair;

	if (!cell->character) /* written with its left half */
		return;
	terminal_style(&terminal->styles, cell->style, &attributes, &pair);
	setcchar(&character, text, attributes, pair, NULL);
	mvadd_wch(y, x, &character);
}

/* A wide character changes two cells, so draw a line from its first change on. */
static void put_line(const struct terminal *terminal, unsigned y)
{
	const unsigned width = terminal->next->width;
	const struct cell *cells = terminal->next->cells + (size_t)y * width;
	const struct cell *shown = terminal->shown->cells + (size_t)y * width;
	unsigned x = 0;

	while (x < width && same_cell(&cells[x], &shown[x]))
		x++;
	if (x && x < width && !cells[x].character)
		x--;
	for (; x < width; x++)
		terminal_put_cell(terminal, x, y, &cells[x]);
}

void terminal_show(struct terminal *terminal)
{
	const struct screen *next = terminal->next;
	unsigned y;

	for (y = 0; y < next->height; y++)
		put_line(terminal, y);
	memcpy(terminal->shown->cells, next->cells,
	       (size_t)next->width * next->height * sizeof(*next->cells));
	if (terminal_signal())
		return;
	terminal_signals_write(true);
	refresh();
	terminal_signals_write(false);
}

void terminal_redraw(struct terminal *terminal)
{
	clearok(curscr, TRUE);
	forget_shown(terminal);
}

static void take_again(struct terminal *terminal)
{
	reset_prog_mode();
	curs_set(0);
	terminal_redraw(terminal);
	refresh();
}

void terminal_suspend(struct terminal *terminal, pid_t to)
{
	endwin();
	terminal_signals_stop(to);
	take_again(terminal);
}

void terminal_lend(struct terminal *terminal, void (*run)(void *context), void *context)
{
	static const int keys[] = {SIGINT, SIGQUIT};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before[sizeof(keys) / sizeof(*keys)];

	endwin();
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		sigaction(keys[i], &ignore, &before[i]);
	run(context);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		sigaction(keys[i], &before[i], NULL);
	take_again(terminal);
}

bool terminal_wait(struct terminal *terminal, struct pollfd *fds, unsigned n, int timeout_ms)
{
	const struct timespec time = {.tv_sec = timeout_ms / 1000,
				      .tv_nsec = timeout_ms % 1000 * 1000000L};

	fds[0] = (struct pollfd){.fd = fileno(terminal->in), .events = POLLIN};
	if (ppoll(fds, n, timeout_ms < 0 ? NULL : &time, terminal_signals_mask()) < 0) {
		unsigned i;

		for (i = 0; i < n; i++)
			fds[i].revents = 0;
	}
	if (terminal_signals_continued())
		take_again(terminal);
	terminal->is_gone = terminal->is_gone || fds[0].revents & (POLLHUP | POLLERR | POLLNVAL);
	return !terminal->is_gone;
}

static uint32_t function_key(int key)
{
	switch (key) {
	case KEY_UP:
		return EXPLORER_UP;
	case KEY_DOWN:
		return EXPLORER_DOWN;
	case KEY_LEFT:
		return EXPLORER_LEFT;
	case KEY_RIGHT:
		return EXPLORER_RIGHT;
	case KEY_PPAGE:
		return EXPLORER_PAGE_UP;
	case KEY_NPAGE:
		return EXPLORER_PAGE_DOWN;
	case KEY_HOME:
		return EXPLORER_HOME;
	case KEY_END:
		return EXPLORER_END;
	case KEY_ENTER:
		return EXPLORER_ENTER;
	case KEY_BACKSPACE:
	case KEY_DC:
		return EXPLORER_BACKSPACE;
	case KEY_BTAB:
		return EXPLORER_BACK_TAB;
	case KEY_RESIZE:
		return EXPLORER_RESIZE;
	default:
		return 0;
	}
}

static uint32_t character_key(wint_t key)
{
	switch (key) {
	case '\r':
	case '\n':
		return EXPLORER_ENTER;
	case '\t':
		return EXPLORER_TAB;
	case '\b':
	case 127:
		return EXPLORER_BACKSPACE;
	case 27:
		return EXPLORER_ESCAPE;
	default:
		return key;
	}
}

/* Two clicks at one place within a short time are a double click. */
static enum explorer_mouse click_kind(struct terminal *terminal, unsigned x, unsigned y)
{
	int64_t now = clock_now_ms();
	bool twice = terminal->click_ms && now - terminal->click_ms <= DOUBLE_CLICK_MS &&
		     terminal->click.x == x && terminal->click.y == y;

	terminal->click_ms = twice ? 0 : now;
	terminal->click.x = x;
	terminal->click.y = y;
	return twice ? MOUSE_DOUBLE_CLICK : MOUSE_CLICK;
}

static bool read_mouse(struct terminal *terminal, struct terminal_event *ret)
{
	MEVENT event;

	if (getmouse(&event) != OK || event.x < 0 || event.y < 0)
		return false;
	*ret = (struct terminal_event){.x = event.x, .y = event.y};
	if (event.bstate & BUTTON4_PRESSED)
		ret->mouse = MOUSE_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		ret->mouse = MOUSE_WHEEL_DOWN;
	else if (event.bstate & BUTTON1_PRESSED)
		ret->mouse = click_kind(terminal, event.x, event.y);
	else
		return false;
	return true;
}

bool terminal_read(struct terminal *terminal, struct terminal_event *ret)
{
	wint_t key;
	int what;

	while ((what = get_wch(&key)) != ERR) {
		if (what == KEY_CODE_YES && key == KEY_MOUSE) {
			if (read_mouse(terminal, ret))
				return true;
			continue;
		}
		*ret = (struct terminal_event){.key = what == KEY_CODE_YES ? function_key(key)
									   : character_key(key)};
		if (ret->key)
			return true;
	}
	return false;
}
