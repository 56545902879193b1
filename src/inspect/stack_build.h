/*
 * What the rounds of making a stack have found, and writing it down. Private to
 * inspect/stack_capture.c and inspect/stack_build.c.
 */
#pragma once

#include "core/plan/plan_runner.h"
#include "core/verdict/stack.h"
#include "dwarf/catalogue_build.h"
#include "dwarf/call_sites.h"
#include "stack_since.h"
#include "trace/snapshot.h"

struct stack_capture_source;

/* A file of the process that was opened, or could not be. */
struct opened_file {
	const char *path; /* as held_module's `opens` */
	uint64_t low;
	struct call_sites *sites; /* NULL: `why_not` */
	const char *why_not;
	uint64_t load_bias;
	const struct class_map *classes;
	const struct class_type *class_types;
	size_t n_class_types;
};

/* A frame while it is found: what is printed, and how it was found. */
struct found_frame {
	struct unwind_frame frame;
	const char *path;            /* of the module; NULL: none */
	struct opened_file *opened;  /* NULL: none, or not opened yet */
	bool is_exact;               /* the PC is that of an instruction, not behind a call */
	bool is_valued;              /* the values are there, or need not be */
	struct stack_value **values; /* one list for each place */
};

struct found_thread {
	const struct stopped_thread *held;
	struct found_frame *frames;
	size_t n, capacity;
	const char *end;
	bool is_whole; /* the last frame was reached */
	struct stack_wait wait;
};

struct stack_capture {
	pid_t pid;
	const struct catalogue_request *request;
	const struct stack_capture_source *source; /* NULL: the process is held by us */
	struct arena *arena;                       /* of all rounds */
	struct plan_runner *runner;
	struct opened_file **opened;
	size_t n_opened, capacity;
	struct mapped_modules modules;
	struct stack_since *since; /* NULL: nobody asks */
	/* Of this round. */
	struct snapshot *snapshot;
	struct found_thread *threads;
	bool is_held;     /* nothing may take long */
	bool is_complete; /* nothing was unknown */
	double longest_ms;
	unsigned rounds;
};

/* Source of the times of this snapshot, or NULL. */
const struct stack_since *stack_build_since(const struct stack_capture *stacker);

/* Where the frame is in its module, as call_sites_find() wants it. */
uint64_t stack_build_addr(const struct found_frame *frame);

/* What is known of the frame's PC; NULL: nothing, or nothing that may be looked for now. */
const struct call_site *stack_build_site(const struct stack_capture *stacker,
					 const struct found_frame *frame);

/* The stack that the last round found, in an arena of its own. */
struct stack *stack_build(const struct stack_capture *stacker);
