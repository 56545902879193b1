/*
 * The loop of the explorer. tui/explorer.h draws and interprets keys, explore/fitter.c makes
 * models, explore/live_run.c runs the measurement beside it.
 */
#include "explore.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "fitter.h"
#include "cli/source_file.h"
#include "explorer_edit.h"
#include "explorer_save.h"
#include "profile/profile.h"
#include "profile/graph/profile_spans.h"

enum {
	LIVE_MS = 250, /* between reads of the board */
	SAID = 1200,
	SPANS_MOST = 200000, /* calls: they are read while nobody is answered, about a second */
};

enum { AT_TERMINAL, AT_FITTER, AT_FEED, N_WAITED_FOR = AT_FEED + 2 };

struct loop {
	const struct exploration *exploration;
	struct terminal *terminal;
	struct explorer *explorer;
	struct fitter *fitter;
	struct explorer_list *list;     /* last passed to the explorer */
	struct explorer_opened *opened; /* shown; NULL: nothing */
	struct call_graph *graph;       /* shown; NULL: not known yet */
	struct profile_spans spans;     /* of all calls, once somebody asked for a time line */
	bool has_spans;
	char *requested_key; /* of the last request; NULL: none */
	enum metric requested_metric;
	size_t requested_entry;
	enum live_phase phase; /* LIVE_STORED: the fitter was settled */
	bool is_over;
	bool is_new; /* there is something to draw */
	enum explore_ending ending;
};

static void explore_finish(struct loop *loop, enum explore_ending ending)
{
	loop->is_over = true;
	loop->ending = ending;
}

static void explore_say(struct loop *loop, const char *text)
{
	explorer_say(loop->explorer, text);
	loop->is_new = true;
}

static void take_list(struct loop *loop)
{
	struct explorer_list *list = fitter_take_list(loop->fitter);

	if (!list)
		return;
	explorer_set_list(loop->explorer, list->entries, list->n);
	explorer_source_destroy_list(loop->list);
	loop->list = list;
	loop->is_new = true;
}

static bool explore_is_requested(const struct loop *loop, const struct explorer_opened *opened)
{
	return loop->requested_key && !strcmp(loop->requested_key, opened->key) &&
	       loop->requested_metric == opened->metric;
}

/* Is a study of the same function and metric shown already? */
static bool has_better(const struct loop *loop, const struct explorer_opened *sketch)
{
	const struct explorer_opened *opened = loop->opened;

	return opened && opened->study && !strcmp(opened->key, sketch->key) &&
	       opened->metric == sketch->metric;
}

static void add_line_share(void *explorer, unsigned line, double share)
{
	explorer_add_line_share(explorer, line, share);
}

static void explore_show_source(struct loop *loop, const struct samples *samples)
{
	struct arena *arena = arena_create();
	struct profile *profile;
	struct err ignored;
	const char *path = explorer_edit_find(loop->exploration->source, samples->file,
					      samples->module, arena);
	char *text = path ? source_file_read(path) : NULL;

	explorer_set_source(loop->explorer, text,
			    arena_printf(arena, "the source file %s is not here",
					 samples->file ? samples->file : "(which is not known)"));
	if (text && samples->file &&
	    profile_open(loop->exploration->source->path, &profile, &ignored)) {
		profile_visit_lines(profile, samples->file, add_line_share, loop->explorer,
				    &ignored);
		profile_close(profile);
	}
	free(text);
	arena_destroy(arena);
}

static void take_opened(struct loop *loop)
{
	struct explorer_opened *opened = fitter_take_opened(loop->fitter);

	if (!opened)
		return;
	if (!explore_is_requested(loop, opened) ||
	    (opened->is_sketch && has_better(loop, opened))) {
		fitter_give_back(loop->fitter, opened);
		return;
	}
	if (opened->samples && (!loop->opened || strcmp(loop->opened->key, opened->key) != 0))
		explore_show_source(loop, opened->samples);
	explorer_set_before(loop->explorer, opened->before);
	if (opened->is_sketch)
		explorer_set_sketch(loop->explorer, loop->requested_entry, opened->study);
	else
		explorer_set_study(loop->explorer, loop->requested_entry, opened->study,
				   opened->why);
	fitter_give_back(loop->fitter, loop->opened);
	loop->opened = opened;
	loop->is_new = true;
}

static void explore_take_calls(struct loop *loop)
{
	struct call_graph *graph = fitter_take_calls(loop->fitter);

	if (!graph)
		return;
	explorer_set_calls(loop->explorer, graph);
	call_graph_destroy(loop->graph);
	loop->graph = graph;
	loop->is_new = true;
}

static void take_trouble(struct loop *loop)
{
	char *trouble = fitter_take_trouble(loop->fitter);

	if (trouble)
		explore_say(loop, trouble);
	free(trouble);
}

static void explore_take_results(struct loop *loop)
{
	take_list(loop);
	explore_take_calls(loop);
	take_opened(loop);
	take_trouble(loop);
}

static struct explorer_status explore_status(const struct loop *loop)
{
	const struct explore_feed *feed = loop->exploration->feed;
	struct explorer_status status = {.overhead = NAN,
					 .is_fitting = fitter_is_busy(loop->fitter)};
	const struct live_board *board;
	int64_t end;

	if (!feed)
		return status;
	board = feed->board;
	end = board->ended_ms ? board->ended_ms : clock_now_ms();
	status.is_live = true;
	status.has_ended = board->phase >= LIVE_ENDED;
	status.seen = board->seen;
	status.kept = board->kept;
	status.dropped = status.seen > status.kept ? status.seen - status.kept : 0;
	status.overhead = board->overhead;
	status.seconds = board->began_ms ? (end - board->began_ms) / 1000.0 : 0;
	return status;
}

static void look_at_feed(struct loop *loop)
{
	const struct explore_feed *feed = loop->exploration->feed;

	if (!feed)
		return;
	loop->is_new = true;
	if (feed->board->phase == LIVE_STORED && loop->phase != LIVE_STORED) {
		loop->phase = LIVE_STORED;
		fitter_settle(loop->fitter);
	}
}

static void open_entry(struct loop *loop, const struct explorer_effect *effect)
{
	const struct explorer_entry *entry;
	struct explorer_request request;

	if (effect->entry >= loop->list->n)
		return;
	entry = &loop->list->entries[effect->entry];
	request = (struct explorer_request){
		.key = loop->list->keys[effect->entry],
		.metric = entry->metric,
		.pinned = effect->pinned,
		.n_pinned = effect->n_pinned,
		.excluded = effect->excluded,
		.n_excluded = effect->n_excluded,
	};
	free(loop->requested_key);
	loop->requested_key = strdup(request.key);
	loop->requested_metric = request.metric;
	loop->requested_entry = effect->entry;
	fitter_open(loop->fitter, &request);
}

static bool save_what(struct loop *loop, const struct explorer_effect *effect,
		      char ret_name[SAVE_NAME], struct err *err)
{
	const struct explorer_opened *opened = loop->opened;

	if ((!opened || !opened->study) && loop->requested_key)
		return err_set(err, ERR_NOT_FOUND,
			       "its model is still being made: try again when it is shown");
	if (!opened || !opened->study)
		return err_set(err, ERR_NOT_FOUND, "nothing to save: open a function first");
	switch (effect->save) {
	case SAVE_ANNOTATION:
		if (opened->is_sketch)
			return err_set(err, ERR_NOT_FOUND,
				       "its model is still being made: try again when it is shown");
		break;
	case SAVE_SVG:
		if (!effect->figure)
			return err_set(err, ERR_NOT_FOUND, "there is no picture here to save");
		return explorer_save_figure(opened->study, effect->figure, ret_name, err);
	case SAVE_CSV:
		return explorer_save_samples(loop->exploration->source, opened->study, opened->key,
					     ret_name, err);
	}
	return explorer_save_annotation(opened->study, ret_name, err);
}

static void explore_save(struct loop *loop, const struct explorer_effect *effect)
{
	char name[SAVE_NAME];
	char said[SAID];
	struct err err;

	if (save_what(loop, effect, name, &err))
		snprintf(said, sizeof(said), "saved as %s", name);
	else
		snprintf(said, sizeof(said), "not saved: %s", err.text);
	explore_say(loop, said);
}

static void explore_edit(struct loop *loop, const struct explorer_effect *effect)
{
	const struct explorer_entry *entry = &loop->list->entries[effect->entry];
	struct arena *arena = arena_create();
	const char *path =
		explorer_edit_find(loop->exploration->source, entry->file, entry->module, arena);
	struct err err;

	if (!path)
		explore_say(loop,
			    arena_printf(arena, "the source file %s is not here", entry->file));
	else if (!explorer_edit(loop->terminal, path, effect->line, &err))
		explore_say(loop, err.text);
	arena_destroy(arena);
	loop->is_new = true;
}

static bool explore_read_spans(struct loop *loop, struct err *err)
{
	struct profile *profile;
	bool ok;

	if (loop->has_spans)
		return true;
	if (loop->exploration->feed && loop->phase != LIVE_STORED)
		return err_set(err, ERR_NOT_FOUND, "there are time lines once the run has ended");
	if (!profile_open(loop->exploration->source->path, &profile, err))
		return false;
	ok = loop->has_spans = profile_spans_read(profile, SPANS_MOST, &loop->spans, err);
	profile_close(profile);
	if (!ok)
		profile_spans_deinit(&loop->spans);
	return ok;
}

static void explore_timeline(struct loop *loop, int64_t call)
{
	const struct spans *spans = &loop->spans.spans;
	struct err err;
	size_t i = 0;

	loop->is_new = true;
	if (!explore_read_spans(loop, &err)) {
		explore_say(loop, err.text);
		return;
	}
	while (i < spans->n && spans->list[i].id != call)
		i++;
	if (i < spans->n)
		explorer_set_timeline(loop->explorer, spans, i);
	else
		explore_say(loop, "the time of this call is not known");
}

static void explore_carry_out(struct loop *loop, const struct explorer_effect *effect)
{
	switch (effect->kind) {
	case EXPLORER_NOTHING:
		break;
	case EXPLORER_QUIT:
		explore_finish(loop, EXPLORE_QUIT);
		break;
	case EXPLORER_OPEN:
		open_entry(loop, effect);
		break;
	case EXPLORER_SAVE:
		explore_save(loop, effect);
		break;
	case EXPLORER_TIMELINE:
		explore_timeline(loop, effect->call);
		break;
	case EXPLORER_EDIT:
		explore_edit(loop, effect);
		break;
	case EXPLORER_SUSPEND:
		terminal_suspend(loop->terminal, 0);
		break;
	case EXPLORER_REDRAW:
		terminal_redraw(loop->terminal);
		break;
	}
}

/*
 * During a measurement, signal the process group (measuring process and program), as a terminal
 * outside raw mode does. The explorer goes on; after the measurement the key ends it.
 */
static void explore_interrupt(struct loop *loop, int number)
{
	const struct explore_feed *feed = loop->exploration->feed;
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

	if (!feed || feed->board->phase >= LIVE_ENDED) {
		kill(getpid(), number);
		return;
	}
	kill(0, number);
	/* Ignoring the signal discards our own pending one, which is blocked. */
	sigaction(number, &ignore, &before);
	sigaction(number, &before, NULL);
}

static void press(struct loop *loop, uint32_t key)
{
	struct explorer_effect effect;

	switch (key) {
	case TERMINAL_INTERRUPT:
		explore_interrupt(loop, SIGINT);
		return;
	case TERMINAL_QUIT:
		explore_interrupt(loop, SIGQUIT);
		return;
	case TERMINAL_SUSPEND:
		terminal_suspend(loop->terminal, 0);
		return;
	default:
		effect = explorer_press(loop->explorer, key);
		explore_carry_out(loop, &effect);
	}
}

static void take_keys(struct loop *loop)
{
	struct terminal_event event;
	struct explorer_effect effect;

	while (!loop->is_over && terminal_read(loop->terminal, &event)) {
		loop->is_new = true;
		if (event.key) {
			press(loop, event.key);
			continue;
		}
		effect = explorer_point(loop->explorer, event.mouse, event.x, event.y);
		explore_carry_out(loop, &effect);
	}
}

static void explore_draw(struct loop *loop)
{
	const struct explorer_status status = explore_status(loop);
	struct screen *screen = terminal_screen(loop->terminal);

	explorer_set_status(loop->explorer, &status);
	screen_clear(screen);
	explorer_draw(loop->explorer, screen);
	terminal_show(loop->terminal);
	loop->is_new = false;
}

static void wait_for_something(struct loop *loop)
{
	const struct explore_feed *feed = loop->exploration->feed;
	struct pollfd fds[N_WAITED_FOR] = {
		[AT_FITTER] = {.fd = fitter_fd(loop->fitter), .events = POLLIN},
		[AT_FEED] = {.fd = feed ? feed->fds[0] : -1, .events = POLLIN},
		[AT_FEED + 1] = {.fd = feed ? feed->fds[1] : -1, .events = POLLIN},
	};

	if (!terminal_wait(loop->terminal, fds, N_WAITED_FOR, feed ? LIVE_MS : -1) ||
	    fds[AT_FEED].revents || fds[AT_FEED + 1].revents)
		explore_finish(loop, EXPLORE_LEFT);
	if (terminal_signal())
		explore_finish(loop, EXPLORE_SIGNALLED);
	else if (terminal_stop_wanted())
		terminal_suspend(loop->terminal, getpid());
}

static void explore_run(struct loop *loop)
{
	while (!loop->is_over) {
		if (loop->is_new)
			explore_draw(loop);
		wait_for_something(loop);
		if (loop->is_over)
			break;
		explore_take_results(loop);
		look_at_feed(loop);
		take_keys(loop);
	}
}

static void explore_release(struct loop *loop)
{
	terminal_close(loop->terminal);
	explorer_destroy(loop->explorer);
	if (loop->opened)
		fitter_give_back(loop->fitter, loop->opened);
	fitter_abandon(loop->fitter);
	explorer_source_destroy_list(loop->list);
	free(loop->requested_key);
	call_graph_destroy(loop->graph);
	if (loop->has_spans)
		profile_spans_deinit(&loop->spans);
}

bool explore(const struct exploration *exploration, enum explore_ending *ret, int *ret_signal,
	     struct err *err)
{
	struct loop loop = {.exploration = exploration, .is_new = true};
	struct explorer_list *list;
	bool ok;

	if (!explorer_source_list(exploration->source, &list, err))
		return false;
	loop.explorer = explorer_create();
	explorer_set_gains(loop.explorer, exploration->gains ? exploration->gains : "");
	for (size_t i = 0; i < exploration->source->names.n_pinned; i++)
		explorer_mark(loop.explorer, exploration->source->names.pinned[i], true);
	for (size_t i = 0; i < exploration->source->names.n_excluded; i++)
		explorer_mark(loop.explorer, exploration->source->names.excluded[i], false);
	ok = terminal_open(exploration->rescue, exploration->colors, &loop.terminal, err);
	if (!ok)
		explorer_source_destroy_list(list);
	/* Threads start after the terminal: only this one takes signals. */
	ok = ok && fitter_start(exploration->source, list, &loop.fitter, err);
	if (ok) {
		explore_take_results(&loop);
		explore_run(&loop);
	}
	*ret_signal = ok ? terminal_signal() : 0;
	explore_release(&loop);
	*ret = loop.ending;
	return ok;
}

enum terminal_colors explore_colors(const struct options *options)
{
	switch (options->color) {
	case COLOR_NEVER:
		return TERMINAL_COLORS_NEVER;
	case COLOR_ALWAYS:
		return TERMINAL_COLORS_ALWAYS;
	case COLOR_AUTO:
		break;
	}
	return TERMINAL_COLORS_AUTO;
}
