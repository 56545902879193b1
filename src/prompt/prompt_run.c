/*
 * Continue, halt and end the process of the session. prompt_launch.c launches and attaches.
 *
 * Ctrl-C at the prompt drops the line (shell_line_read()); right behind a command it counts as
 * typed while the command runs (shell_line_take_interrupt()). A launched process has the terminal
 * while it runs (prompt_terminal_give()), and its own process group (session_launch()), so the
 * kernel sends SIGINT to it, not to us. ptrace stops each thread that gets it;
 * ptrace_signal_sender() tells the terminal's signals from others, signal_report_look() drops it
 * and queues an event, session_next() halts all threads first, and say_signal() here reports it.
 * An attached process has another terminal or group: SIGINT comes to us, cli/interrupt.c notes it
 * and ends waits by a timer, and take_interrupts() halts the process. Time limits end the same way.
 */
#include "prompt_run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "base/clock.h"
#include "cli/message.h"
#include "prompt_call.h"
#include "prompt_commands.h"
#include "prompt_info.h"
#include "prompt_inspect.h"
#include "prompt_probe.h"
#include "prompt_text.h"
#include "record/summary.h"
#include "trace/session_halt.h"

enum { LOOK_MS = 50 };

static void forget_process(struct prompt *prompt)
{
	prompt_forget_call(prompt);
	prompt->run_us = prompt->fitting_us = 0;
	measure_release(prompt->m);
	free(prompt->m);
	prompt->m = NULL;
	prompt_choose_thread(prompt, 0);
	prompt_forget_look(prompt);
	prompt->has_halted = false;
	for (size_t i = 0; i < prompt->n_plans; i++)
		free(prompt->plans[i].masks);
	prompt->n_plans = 0;
	prompt_terminal_forget(&prompt->terminal);
}

/* The process is gone: report it and store its last samples. */
static void end_process(struct prompt *prompt, const struct ending *ending)
{
	struct err err;

	if (!summary_say(prompt->m, ending) && prompt->n_probes)
		message_note("no call was measured");
	if (!measure_store(prompt->m, ending, &err))
		message_error("%s: some samples were not stored", err.text);
	prompt_note_overhead(prompt);
	forget_process(prompt);
}

/* Remove used one-shot probes, which is not possible while the process runs. */
static void remove_used(struct prompt *prompt)
{
	for (size_t i = prompt->n_probes; i-- > 0;)
		if (prompt->probes[i]->is_temporary && prompt->probes[i]->matched)
			prompt_remove_probe(prompt, prompt->probes[i]);
}

/* Why prompt_follow() waits, and what it has seen. */
struct run_wait {
	int64_t finish; /* the id of a call to wait for; 0: none */
	bool said;      /* the reason of the halt was printed */
	bool is_over;
	uint64_t looked_ms;
};

static void say_signal(struct prompt *prompt, const struct session_event *event)
{
	const int number = event->signal.number;

	prompt->thread = event->signal.thread;
	if (event->signal.is_interrupt)
		printf("\nInterrupted by %s.\n", number == SIGTSTP ? "Ctrl-Z" : "Ctrl-C");
	else if (event->signal.is_stop)
		printf("\nProcess %d was stopped by SIG%s; continue resumes it.\n",
		       (int)event->signal.process, sigabbrev_np(number));
	else
		printf("\nThread %d got SIG%s (%s), which would end the process; continue delivers "
		       "it.\n",
		       (int)event->signal.thread, sigabbrev_np(number), strsignal(number));
}

static void prompt_event_call(struct prompt *prompt, const struct call_record *record,
			      struct run_wait *following)
{
	struct err gone;

	if (prompt_take_call(prompt, record))
		following->said = true;
	if (!following->finish || record->id != following->finish)
		return;
	session_halt(prompt_session(prompt), &gone);
	if (!following->said)
		prompt_take_finished(prompt, record);
	following->said = true;
}

/* False: the process is halted or over. */
static bool prompt_event(struct prompt *prompt, const struct session_event *event,
			 struct run_wait *following)
{
	switch (event->kind) {
	case SESSION_CALL:
		prompt_event_call(prompt, &event->call, following);
		return true;
	case SESSION_BEGAN:
		following->said |= prompt_take_beginning(prompt, &event->call);
		return true;
	case SESSION_LINE:
		following->said |= prompt_take_line(prompt, event);
		return true;
	case SESSION_LIMIT:
		measure_limit(prompt->m, event);
		return true;
	case SESSION_NOTE:
		measure_say(prompt->m, event->note);
		return true;
	case SESSION_IMAGE:
		measure_take_image(prompt->m, event);
		prompt_apply_probes(prompt);
		return true;
	case SESSION_PAUSE:
		measure_tend(prompt->m);
		return !session_is_halted(prompt_session(prompt));
	case SESSION_SIGNAL:
		if (!following->said || event->signal.is_fatal)
			say_signal(prompt, event);
		following->said = true;
		return true;
	case SESSION_ENDED:
		following->is_over = true;
		return false;
	}
	return true;
}

/* Halt the process after a Ctrl-C that came to us, or when the time is up. */
static void take_interrupts(struct prompt *prompt, struct run_wait *following)
{
	struct err gone;

	if (!interrupt_count() || session_is_halted(prompt_session(prompt)))
		return;
	if (!session_halt(prompt_session(prompt), &gone))
		return; /* the next event is its end */
	if (!following->said)
		printf("\nStopped.\n");
	following->said = true;
}

static void look_at_open(struct prompt *prompt, struct run_wait *following)
{
	const uint64_t now = prompt_now_us() / 1000;

	if (now < following->looked_ms + LOOK_MS || session_is_halted(prompt_session(prompt)))
		return;
	following->looked_ms = now;
	if (prompt_look_at_open(prompt))
		following->said = true;
}

static bool follow_events(struct prompt *prompt, struct run_wait *following,
			  struct ending *ret_ending, struct err *err)
{
	struct session_event event;

	do {
		take_interrupts(prompt, following);
		look_at_open(prompt, following);
		if (!session_next(prompt_session(prompt), &event, err))
			return false;
		*ret_ending = event.ending;
	} while (prompt_event(prompt, &event, following));
	return true;
}

static void choose_thread(struct prompt *prompt)
{
	if (!prompt->thread)
		prompt->thread = session_process(prompt_session(prompt));
}

bool prompt_follow(struct prompt *prompt, double seconds, int64_t finish, struct err *err)
{
	struct run_wait following = {.finish = finish};
	struct session *session = prompt_session(prompt);
	struct ending ending = {.how = ENDED_UNKNOWN};
	bool ok;

	fflush(stdout);
	prompt_forget_call(prompt);
	prompt_forget_look(prompt);
	prompt->frame = 0;
	prompt->stopped_by = 0;
	prompt->has_halted = false;
	prompt_note_interrupts(prompt, seconds);
	if (!prompt->m->attached)
		prompt_terminal_give(&prompt->terminal, session_process(session));
	session_continue(session);
	prompt->followed_us = prompt_now_us();
	ok = follow_events(prompt, &following, &ending, err);
	prompt->run_us += prompt_now_us() - prompt->followed_us;
	prompt_terminal_take(&prompt->terminal);
	interrupt_stop();
	if (!ok || following.is_over) {
		end_process(prompt, &ending);
		return ok;
	}
	choose_thread(prompt);
	remove_used(prompt);
	prompt->has_halted = true;
	if (!prompt_is_silent(prompt, prompt->stopped_by))
		prompt_print_place(prompt, stdout);
	return true;
}

bool prompt_settle(struct prompt *prompt, struct err *err)
{
	struct run_wait following = {.said = true};
	struct ending ending = {.how = ENDED_UNKNOWN};

	prompt_apply_probes(prompt);
	if (!session_halt(prompt_session(prompt), err) ||
	    !follow_events(prompt, &following, &ending, err) || following.is_over) {
		end_process(prompt, &ending);
		return err_set(err, ERR_TARGET, "the process ended at once");
	}
	choose_thread(prompt);
	return true;
}

/* `continue N`: the probe that stopped lets N - 1 calls pass. False: @text is no number. */
static bool skip_stops(struct prompt *prompt, const char *text)
{
	char *end;
	const unsigned long n = strtoul(text, &end, 10);

	if (*end || !n || *text == '-')
		return false;
	for (size_t i = 0; i < prompt->n_probes; i++)
		if (prompt->probes[i]->number == prompt->stopped_by)
			prompt->probes[i]->ignore = n - 1;
	return true;
}

bool prompt_go_on(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	double seconds = 0;

	return prompt_needs_process(prompt, err) &&
	       (!arguments->n || skip_stops(prompt, arguments->text) ||
		prompt_parse_time(arguments->text, &seconds, err)) &&
	       prompt_follow(prompt, seconds, 0, err);
}

bool prompt_interrupt(struct prompt *prompt, const struct prompt_arguments *arguments,
		      struct err *err)
{
	(void)arguments;
	if (!prompt_needs_process(prompt, err))
		return false;
	prompt_say("Process %d is stopped.", (int)session_process(prompt_session(prompt)));
	return true;
}

bool prompt_finish(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	struct prompt_call call;

	(void)arguments;
	if (!prompt_needs_process(prompt, err))
		return false;
	prompt_forget_call(prompt);
	if (!prompt_find_call(prompt, &call))
		return err_set(
			err, ERR_USAGE,
			"no measured call is open in thread %d: info threads shows the others",
			(int)prompt->thread);
	session_await(prompt_session(prompt), call.thread, call.id);
	prompt_say("Until %s %s.", call.function->name, call.function->block ? "ends" : "returns");
	return prompt_follow(prompt, 0, call.id, err);
}

/* Wait for the end of the process; keep the calls that end on the way. */
static struct ending drain(struct prompt *prompt)
{
	struct session_event event = {.ending = {.how = ENDED_UNKNOWN}};
	struct err ignored;

	while (session_next(prompt_session(prompt), &event, &ignored) &&
	       event.kind != SESSION_ENDED)
		if (event.kind == SESSION_CALL)
			prompt_take_last_call(prompt, &event.call);
		else if (event.kind == SESSION_LIMIT)
			measure_limit(prompt->m, &event);
		else if (event.kind == SESSION_SIGNAL)
			session_continue(prompt_session(prompt));
	return event.ending;
}

static void kill_process(struct prompt *prompt)
{
	struct ending ending;

	prompt_forget_look(prompt);
	prompt->m->killed = true;
	session_kill(prompt_session(prompt));
	ending = drain(prompt);
	end_process(prompt, &ending);
}

bool prompt_kill(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	(void)arguments;
	if (!prompt_needs_process(prompt, err))
		return false;
	if (!prompt_ask(prompt, "Kill the process? (y or n) "))
		return true;
	kill_process(prompt);
	return true;
}

static void prompt_let_go(struct prompt *prompt)
{
	const struct ending ending = {.how = ENDED_DETACHED};

	prompt_forget_look(prompt);
	session_detach(prompt_session(prompt));
	end_process(prompt, &ending);
}

bool prompt_detach(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	(void)arguments;
	if (!prompt_needs_process(prompt, err))
		return false;
	prompt_let_go(prompt);
	return true;
}

void prompt_release(struct prompt *prompt)
{
	if (!prompt->m)
		return;
	if (prompt->m->attached) {
		prompt_let_go(prompt);
		return;
	}
	kill_process(prompt);
}
