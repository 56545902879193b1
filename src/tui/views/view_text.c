/* Pages of text: the annotation, a call, the help. text_wrap.c wraps them. */
#include <stdlib.h>

#include "tui/screen/text_wrap.h"
#include "views.h"

/* Scrolling stops at the end, which drawing finds. */
enum { LINES_MAX = 1 << 30 };

void view_text_annotation_draw(struct explorer *explorer, struct pane region)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (explorer->before) {
		fputs("before:\n", out);
		annotation_print(explorer->before, out);
		fputs("\nnow:\n", out);
	}
	annotation_print(explorer->opened.study->annotation, out);
	fclose(out);
	text_wrap_draw(text, &explorer->opened.annotation, region);
	free(text);
}

void view_text_annotation_act(struct explorer *explorer, enum action action)
{
	scroll_text(&explorer->opened.annotation, action, LINES_MAX);
}

void view_text_call_draw(struct explorer *explorer, struct pane region)
{
	const struct opened_study *opened = &explorer->opened;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (opened->cursor >= opened->study->n_points) {
		screen_text(region, 0, 0, STYLE_DIM, "the call is not among the samples any more");
		return;
	}
	out = open_memstream(&text, &size);
	call_text(opened->study, opened->cursor, out);
	fclose(out);
	text_wrap_draw(text, &explorer->opened.call, region);
	free(text);
}

/* The next call of the view that this one was chosen in. */
static void text_next_call(struct explorer *explorer, enum action action)
{
	if (explorer->call_from != VIEW_SAMPLES) {
		plot_move_cursor(explorer, action);
		return;
	}
	view_samples_act(explorer, action == ACT_NEXT_CALL ? ACT_DOWN : ACT_UP);
	explorer->opened.cursor = view_samples_selected(explorer);
}

void view_text_call_act(struct explorer *explorer, enum action action)
{
	if (!explorer->opened.study)
		return;
	if (action == ACT_NEXT_CALL || action == ACT_PREVIOUS_CALL)
		text_next_call(explorer, action);
	else
		scroll_text(&explorer->opened.call, action, LINES_MAX);
}

void view_text_gains_draw(struct explorer *explorer, struct pane region)
{
	text_wrap_draw(explorer->gains.n
			       ? explorer->gains.bytes
			       : "This profile has no causal experiments: fathom causal -o PROFILE "
				 "-p POINT -- PROG makes some, and keeps them in it.\n",
		       &explorer->gained, region);
}

void view_text_gains_act(struct explorer *explorer, enum action action)
{
	scroll_text(&explorer->gained, action, LINES_MAX);
}

enum { NAMES_WIDTH = 26 };

static void print_binding(const struct key_binding *binding, FILE *out)
{
	unsigned width = 0;

	for (size_t i = 0; i < KEYS_MAX && binding->keys[i]; i++) {
		char name[KEY_NAME];

		keys_name(binding->keys[i], name);
		width += (unsigned)fprintf(out, "%s%s", i > 0 ? " " : "", name);
	}
	fprintf(out, "%*s%s\n", (int)(width < NAMES_WIDTH ? NAMES_WIDTH - width : 1), "",
		binding->help);
}

static void print_bindings(enum view view, FILE *out)
{
	const struct key_binding *binding;

	for (size_t i = 0; (binding = keys_binding(i)); i++)
		if (binding->views & 1u << view)
			print_binding(binding, out);
	if (view == VIEW_LIST)
		fputs("\nshare: time of all calls seen, over the time that the runs took without "
		      "the stops of measuring. A call's time holds that of what it calls. R²: what "
		      "all models of the line explain together. 1 of 2: the formula is that of the "
		      "case with the most calls.\n"
		      "\nIn the filter: Enter keeps it, Esc forgets it, Ctrl-U empties it.\n",
		      out);
	fputs("\nMouse: click selects, double click opens, the wheel scrolls, in a plot it "
	      "zooms.\n",
	      out);
}

void view_text_help_draw(struct explorer *explorer, struct pane region)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print_bindings(explorer->help_from, out);
	fclose(out);
	text_wrap_draw(text, &explorer->help, region);
	free(text);
}

void view_text_help_act(struct explorer *explorer, enum action action)
{
	scroll_text(&explorer->help, action, LINES_MAX);
}
