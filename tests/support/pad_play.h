/*
 * Pads in the own process, where signal handlers play the tracer: a question is noted, a fault
 * goes on where the pad says. For one thread.
 */
#ifndef FATHOM_TESTS_PAD_PLAY_H
#define FATHOM_TESTS_PAD_PLAY_H

#include <stddef.h>
#include <stdint.h>

#include "trace/pad/pad_block.h"
#include "trace/pad/pad_code.h"

/* Code of a test: a function between whose two parts of 5 bytes for a jump is @body. */
#define PAD_PLAY_FUNCTION(name, body)                                                 \
	__asm__(".text\n.balign 64\n.type " #name ", @function\n" #name ":\n"         \
		".byte 0x0f, 0x1f, 0x44, 0, 0\n" body "\n" #name "_end:\n"            \
		".byte 0x0f, 0x1f, 0x40, 0\n ret\n.size " #name ", . - " #name "\n"); \
	void name(void);                                                              \
	void name##_end(void)

struct pad_play_state {
	uint64_t registers[16]; /* by DWARF number; rsp (7) is only read */
	uint64_t xmm[16][2];
	uint64_t flags;
};

/* Call @code with these registers and flags; those that it leaves replace them. */
void pad_play_run(struct pad_play_state *state, const void *code);

enum { PAD_PLAY_ALIVE = 4711 };

struct pad_play {
	struct pad_block *block;
	int32_t *life; /* PAD_PLAY_ALIVE; another number: the tracer has died */
	struct pad_costs costs;
	/* Questions so far, and the last one's probe. */
	unsigned questions, last_question;
	unsigned faults;
	/*
	 * While the trap flag is set, from a call's flags to its end: each instruction of a window
	 * but the first is stopped at once, and the window begun again.
	 */
	unsigned restarts;
	unsigned stretches; /* that were left then */
};

/* A new block, all of whose calls are chosen, with a ring that is empty and a tracer that lives. */
struct pad_play *pad_play_start(void);
void pad_play_end(struct pad_play *play); /* puts the code back */

/* Replace the instructions at @at, 5 bytes or more, by a jump to a pad with these probes. */
void pad_play_replace(struct pad_play *play, void (*at)(void), const struct pad_probe *probes,
		      size_t n_probes);
/* The same for all of a PAD_PLAY_FUNCTION. */
void pad_play_replace_all(struct pad_play *play, void (*function)(void), void (*end)(void),
			  const struct pad_probe *probes, size_t n_probes);
/* The same as the first without probes or for what cannot be moved: false, with a reason. */
bool pad_play_can_replace(struct pad_play *play, void (*at)(void), struct err *err);

/* An entry and a return of a PAD_PLAY_FUNCTION. */
void pad_play_call(struct pad_play *play, void (*function)(void), void (*end)(void),
		   const struct pad_function *ret);

/* From now on int3s are behind all stretches: questions of PAD_NOTHING. */
void pad_play_stop_at_stretches(struct pad_play *play);

/* A pad without a run: its address. */
uint64_t pad_play_alone(struct pad_play *play, const struct pad_probe *probe);

struct pad_sums *pad_play_sums(const struct pad_play *play, unsigned function);
struct pad_frame *pad_play_top(const struct pad_play *play);

/* The record at *@offset of the ring's bytes ever written, which moves on; NULL: there is none. */
const struct pad_frame *pad_play_record(const struct pad_play *play, uint64_t *offset);

#endif
