/*
 * The scripted twin of the live target: stops come from a script, memory is an array, and
 * everything that the engine does is written down as text for the test to compare.
 */
#ifndef FATHOM_TESTS_SCRIPTED_TARGET_H
#define FATHOM_TESTS_SCRIPTED_TARGET_H

#include "trace/target/target.h"

enum {
	CODE = 0x400000,  /* 8 KiB of code */
	STACK = 0x700000, /* 8 KiB of stack */
	AREA = 0x2000,
	ENTRY = CODE + 0x100,
};

/* One stop, the registers that it finds, and the clock then. */
struct scripted_stop {
	struct stop stop;
	uint64_t rip, rsp, rdi;
	uint64_t now_ns;
	uint64_t rax, orig_rax, fs_base, eflags, rsi, rdx, rcx;
	bool is_signal;                  /* to the tracer: nothing stopped */
	enum signal_sender sender;       /* of its signal */
	bool is_fatal;                   /* its signal */
	enum sigtrap_action trap;        /* until then */
	const struct mapped_file *files; /* what is mapped then */
	size_t n_files;
	const struct thread_counts *counts; /* of the thread then; NULL: nothing is known */
};

struct scripted_target {
	const struct scripted_stop *script;
	size_t n, next;
	struct user_regs_struct registers; /* of the current stop */
	uint64_t now_ns;
	uint64_t resume_delay_ns; /* how long each stop is handled, by the clock */
	uint8_t code[AREA], stack[AREA];
	bool gone;                   /* every request fails */
	bool closed;                 /* memory can be neither read nor written */
	uint64_t headers, n_headers; /* of the executable; 0: none */
	uint64_t forbidden;
	const struct stream_position *streams; /* [n_streams] by descriptor; sending 0: none */
	size_t n_streams;
	uint64_t waited_at_ns, waited_ns; /* then a tracee had no processor for so long */
	bool has_trap;                    /* once */
	pid_t borrower;                   /* of process 1's memory, found at the attach; 0: none */
	char log[4096];
};

/* The ops; self is a struct scripted_target. destroy does nothing. */
extern const struct target_ops scripted_ops;

#endif
