/* The explorer's keys in the manual page, each with the views in which it works. */
#include "document_man.h"

#include <stdbool.h>

#include "roff.h"
#include "tui/screen/keys.h"

/* Views of a function. A key of the list and all of these is printed without names. */
enum { TABS = ((1u << (VIEW_LAST_TAB + 1)) - 1) & ~((1u << VIEW_FIRST_TAB) - 1) };

static bool is_everywhere(unsigned views)
{
	const unsigned own = 1u << VIEW_LIST | TABS;

	return (views & own) == own;
}

static void put_keys(const struct key_binding *binding, FILE *out)
{
	fputs(".TP\n", out);
	for (size_t i = 0; i < KEYS_MAX && binding->keys[i]; i++) {
		char name[KEY_NAME];

		keys_name(binding->keys[i], name);
		fputs(i ? ", \\fB" : "\\fB", out);
		roff_text(name, out);
		fputs("\\fR", out);
	}
	fputc('\n', out);
}

static void put_views(unsigned views, FILE *out)
{
	const char *separator = "";
	enum view view;

	if (is_everywhere(views))
		return;
	fputs(" (", out);
	if ((views & TABS) == TABS) {
		fputs("all views of a function", out);
		separator = ", ";
		views &= ~TABS;
	}
	for (view = 0; view < VIEW_COUNT; view++)
		if (views & 1u << view) {
			fputs(separator, out);
			roff_text(keys_view_name(view), out);
			separator = ", ";
		}
	fputc(')', out);
}

void document_keys(FILE *out)
{
	const struct key_binding *binding;

	roff_section("EXPLORER", out);
	roff_paragraph(
		"What fathom explore shows: a list of functions, and views of each. A key does "
		"what is said of it in the views "
		"that are named; without names it does so everywhere. The mouse points at what can "
		"be chosen, and its wheel scrolls.",
		out);
	for (size_t i = 0; (binding = keys_binding(i)); i++) {
		put_keys(binding, out);
		roff_text(binding->help, out);
		put_views(binding->views, out);
		fputc('\n', out);
	}
}
