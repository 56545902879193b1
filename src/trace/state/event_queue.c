/* The queue of a session's events: one stop can end several calls. */
#include "event_queue.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "callee_sums.h"
#include "engine.h"

struct session_event *event_queue_add(struct session *session, enum session_event_kind kind,
				      struct value *features)
{
	struct queued_event *queued;

	session->queue = mem_grow(session->queue, &session->queue_capacity, session->n_queued + 1,
				  sizeof(*session->queue));
	queued = &session->queue[session->n_queued++];
	*queued = (struct queued_event){.event = {.kind = kind}, .features = features};
	return &queued->event;
}

struct session_event *event_queue_add_call(struct session *session, struct value *features,
					   struct value *branches, struct callee_sums *callees,
					   struct site_sums *sites)
{
	struct session_event *event = event_queue_add(session, SESSION_CALL, features);

	session->queue[session->n_queued - 1].branches = branches;
	session->queue[session->n_queued - 1].callees = callees;
	session->queue[session->n_queued - 1].sites = sites;
	return event;
}

void event_queue_note(struct session *session, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	event_queue_add(session, SESSION_NOTE, NULL)->note = arena_strdup(session->arena, text);
}

void event_queue_drop(struct session *session)
{
	size_t i;

	for (i = 0; i < session->n_queued; i++) {
		free(session->queue[i].features);
		free(session->queue[i].branches);
		callee_sums_destroy(session->queue[i].callees);
		free(session->queue[i].sites);
	}
	session->n_queued = session->next_queued = 0;
}
