/* Events that session_next() will return. */
#pragma once

#include "trace/session.h"

/* The queue owns @features until it is dropped. */
struct session_event *event_queue_add(struct session *session, enum session_event_kind kind,
				      struct value *features);
/* For a call that ended; the queue owns all of these. */
struct session_event *event_queue_add_call(struct session *session, struct value *features,
					   struct value *branches, struct callee_sums *callees,
					   struct site_sums *sites);
void event_queue_note(struct session *session, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void event_queue_drop(struct session *session);
