/* Reading features: when a call begins, when it ends, and from the system. */
#pragma once

#include "trace/state/engine.h"

/* A tracee's memory as plans read it; the cost goes to the session's account. */
struct tracee_memory {
	struct session *session;
	pid_t tid;
};

/* Decide what is read for all functions of @image, and when. */
void feature_reading_set_up(struct session *session, struct image *image);
/*
 * The context for plans of function @index in this stop, without xmm registers. It keeps @memory.
 */
void feature_reading_context(struct session *session, const struct tracee *tracee, unsigned index,
			     struct tracee_memory *memory, struct plan_context *ret);
/*
 * Set `features` of @call, which begins, function and rank being known, and its return address (0:
 * unreadable). Features known at return are ABSENT_NOT_MEASURED.
 */
void feature_reading_entry(struct session *session, const struct tracee *tracee,
			   struct plan_context *context, struct open_call *call);
/* Fill in those of the system, as of @now_ns, of the call that @before others were before. */
void feature_reading_system(const struct tracee *tracee, const struct measured_function *measured,
			    uint64_t now_ns, uint64_t before, struct value *values);
/* Make those known at return absent: the call was left before. */
void feature_reading_left(const struct tracee *tracee, unsigned index, struct value *values);
/* Fill in those known at return. */
void feature_reading_return(struct session *session, const struct tracee *tracee, unsigned index,
			    struct value *values);
