/*
 * What the rounds of a stack capture have found, and copying it into a stack. Private to
 * stack_capture.c and stack_build.c.
 */
#pragma once

#include "core/plan/plan_runner.h"
#include "core/verdict/stack.h"
#include "opened_files.h"
#include "stack_since.h"
#include "trace/snapshot.h"

struct stack_capture_source;

struct found_frame {
	struct unwind_frame frame;
	const char *path;           /* of the module; NULL: none */
	struct opened_file *opened; /* NULL: none, or not opened yet */
	bool is_exact;              /* the PC is at the instruction, not behind a call */
	/* Registers when its function was called, by their numbers in `is_passed`. */
	uint64_t passed[PLAN_FS_BASE - PLAN_ENTRY], is_passed;
	bool is_valued;              /* `values` were read */
	struct stack_value **values; /* a list for each place of the site */
};

struct found_thread {
	const struct stopped_thread *stopped;
	struct found_frame *frames;
	size_t n, capacity;
	const char *end;
	bool is_whole; /* no further round can unwind more */
	struct stack_wait wait;
};

struct stack_capture {
	pid_t pid;
	const struct stack_capture_source *source; /* NULL: we stop the process ourselves */
	struct arena *arena;                       /* for all rounds */
	struct plan_runner *runner;
	struct opened_files opened;
	struct mapped_modules modules;
	struct stack_since *since; /* NULL: no times requested */
	/* Of this round. */
	struct snapshot *snapshot;
	struct found_thread *threads;
	bool is_stopped;  /* nothing may take long */
	bool is_complete; /* nothing was missing */
	double longest_ms;
	unsigned rounds;
};

/* Source of the times of this snapshot; NULL: none. */
const struct stack_since *stack_build_since(const struct stack_capture *capture);

/* The frame's address in its module, for call_sites_find(). */
uint64_t stack_build_addr(const struct found_frame *frame);

/* The site of the frame's PC; NULL: none, or not known yet and the process is stopped. */
const struct call_site *stack_build_site(const struct stack_capture *capture,
					 const struct found_frame *frame);

/* The stack of the last round, in an arena of its own. */
struct stack *stack_build(const struct stack_capture *capture);

/* "<f+4>" for code, "<table>" for a variable at @pointer, in @arena; NULL: no name is known. */
const char *stack_build_name(const struct stack_capture *capture, uint64_t pointer,
			     struct arena *arena);
