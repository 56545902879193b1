/* What a session does for its pads: planting while all are stopped, and leaving. */
#pragma once

#include "trace/state/engine.h"

/*
 * If something is to be planted or lifted: stop all, do it, resume all but the current tracee. If
 * there were events meanwhile, threads stay where these happened, and session->updating is set;
 * when these are told the second does the rest.
 */
void session_pads_tend(struct session *session);
void session_pads_go_on(struct session *session);

/* As probe_control_turn(); but what was withdrawn is restored before. */
void session_pads_turn(struct session *session, uint64_t now_ns);

/* All were stopped for a halt: the places of threads are the program's, all calls the engine's. */
void session_pads_halt(struct session *session);

/* They are about to be resumed: plant and lift what is to be. */
void session_pads_resume(struct session *session);

/*
 * They are, and a catalogue is about to be replaced: no thread is in a pad, or has a block, until
 * they are resumed.
 */
void session_pads_pause(struct session *session);

/*
 * Stop all, and lift all jumps, before anybody is let go. Those that cannot be stopped are in
 * system calls, which no pad makes.
 */
void session_pads_stop(struct session *session);

/* All that could be stopped are: no thread is in a pad, or has a block, afterwards. */
void session_pads_leave(struct session *session);
