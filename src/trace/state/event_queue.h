/*
 * The queue of what a session has to tell. Private to trace/ and its tests.
 */
#pragma once

#include "trace/session.h"

/* Queue something to tell; @features belong to the queue, until it is dropped. */
struct session_event *event_queue_add(struct session *session, enum session_event_kind kind,
				      struct value *features);
/* A call that ended, with its features and branches. */
struct session_event *event_queue_add_call(struct session *session, struct value *features,
					   struct value *branches);
void event_queue_note(struct session *session, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void event_queue_drop(struct session *session);
