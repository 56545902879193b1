/* What a watch says: lines for people, JSON lines, and OpenMetrics text. */
#pragma once

#include <stdio.h>

#include "core/annotation/annotation.h"
#include "watch_state.h"

/* A change of state, as a line; @pids, separated by blanks, are of the processes. */
struct watch_change {
	const struct annotation *annotation;
	const struct watch_subject *subject;
	size_t samples;  /* of the period */
	uint64_t period; /* its number */
	const char *pids;
};

void watch_lines_change(const struct watch_change *change, FILE *out);
void watch_lines_json(const struct watch_change *change, FILE *out);

/* "2026-11-23T20:15:00Z: 138 costs: 130 conform, 3 violated, 5 wait for samples". */
void watch_lines_period(const struct watch_state *state, int64_t now, FILE *out);

/* All of @state, of @list[state->n]; source: OpenMetrics 1.0. */
void watch_lines_metrics(const struct watch_state *state, struct annotation *const *list,
			 size_t processes, FILE *out);
