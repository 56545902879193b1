/*
 * Reading features: when a call begins, when it ends, and of the system. Private to trace/ and its
 * tests.
 */
#pragma once

#include "trace/state/engine.h"

/* Memory of a tracee as plans read it; what that costs goes to the session's account. */
struct tracee_memory {
	struct session *session;
	pid_t tid;
};

/* Decide for all functions of @image what is read and when. */
void feature_reading_set_up(struct session *session, struct image *image);
/*
 * The context in which plans of function @index run in the stop of @tracee, without xmm registers.
 * @memory must live as long.
 */
void feature_reading_context(struct session *session, const struct tracee *tracee, unsigned index,
			     struct tracee_memory *memory, struct plan_context *ret);
/*
 * The values that features of function @index have when a call begins; those known at return are
 * ABSENT_NOT_MEASURED. The caller frees them. @ret_return is the return address, 0: unreadable.
 */
struct value *feature_reading_entry(struct session *session, const struct tracee *tracee,
				    unsigned index, struct plan_context *context,
				    uint64_t *ret_return);
/* Fill in those known at return. */
void feature_reading_return(struct session *session, const struct tracee *tracee, unsigned index,
			    struct value *values);
