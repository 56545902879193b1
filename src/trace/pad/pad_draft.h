/*
 * A pad while it is written: its code, the lists that go with it, and what all probes do.
 *
 * Probes are written in two parts. The first is in the way of the program and holds what nearly
 * every call needs; the second follows behind the pad's last jump and holds the rest. Between them,
 * `struct pad_template` says where the first part jumps to and where it goes on.
 *
 * Probes work with rax, rdx and rcx; records and plans need more registers.
 */
#pragma once

#include <stdint.h>

#include "assembler.h"
#include "pad_block.h"
#include "pad_code.h"

enum {
	PAD_RAX = 0,
	PAD_RDX = 1,
	PAD_RCX = 2,
	PAD_RSI = 4,
	PAD_RDI = 5,
	PAD_RSP = 7,
	PAD_R8 = 8,
	PAD_R10 = 10,
	PAD_R11 = 11,
};

/* The registers that entries and returns save. */
enum { PAD_SAVED = 1 << PAD_RAX | 1 << PAD_RDX | 1 << PAD_RCX };

struct pad_draft {
	struct assembler code;
	const struct pad_request *request; /* borrowed */
	struct pad_code *lists;            /* the result; its bytes are not used */
	size_t windows_capacity, stretches_capacity, questions_capacity;
};

struct pad_template {
	const struct pad_probe *probe;
	const struct insn *insn;   /* that the probe is for */
	unsigned number;           /* of the probe */
	uint32_t saved;            /* registers that it saves */
	struct asm_fixup skips[2]; /* of pad_draft_begin() */
	/* Jumps to the second part. */
	struct asm_fixup unusual; /* the frame is not where it should be */
	struct asm_fixup deep;
	struct asm_fixup closed;
	struct asm_fixup chosen;
	struct asm_fixup elsewhere; /* it may go on here from another thread */
	struct asm_fixup waiting;   /* calls may have left this frame by tail calls */
	struct asm_fixup filtered[PAD_FILTERS_MAX]; /* a filter does not give 0 */
	struct asm_fixup careful;                   /* filters must not be run */
	struct asm_fixup full;                      /* no room for an event */
	struct asm_fixup asks[3];                   /* what a transfer is must be asked for */
	struct asm_fixup nowhere[2];                /* the return address is no landing */
	struct asm_fixup no_socket; /* the descriptor of a transfer, in eax its error */
	/* Offsets in the first part. */
	size_t again;    /* where an entry goes on that is in order after all, or a chosen end */
	size_t ends;     /* a return: ends those that wait, see pad_tail_write_ends() */
	size_t followed; /* a return: of a call that has a frame */
	size_t publish;  /* rcx is the address of the new frame */
	size_t restore;  /* registers and flags, then go on */
	size_t resume;   /* the instruction behind the probe */
	size_t push;     /* that saves rax on the stack, if flags are alive */
	size_t look;     /* at whether gs is ours */
	size_t faults;   /* index of the first of two loads at the return address */
};

/* In order of the run: the first part, then the second behind everything. */
void pad_entry_write(struct pad_draft *draft, struct pad_template *ret);
void pad_entry_write_rest(struct pad_draft *draft, const struct pad_template *entry);
void pad_return_write(struct pad_draft *draft, struct pad_template *ret);
void pad_return_write_rest(struct pad_draft *draft, struct pad_template *end);
void pad_return_write_end(struct pad_draft *draft, struct pad_template *ret);
void pad_return_write_end_rest(struct pad_draft *draft, const struct pad_template *end);
void pad_branch_write(struct pad_draft *draft, struct pad_template *ret);
void pad_branch_write_rest(struct pad_draft *draft, const struct pad_template *branch);
void pad_branch_write_turn(struct pad_draft *draft, struct pad_template *ret);
void pad_branch_write_turn_rest(struct pad_draft *draft, const struct pad_template *turn);
void pad_tail_write(struct pad_draft *draft, struct pad_template *ret);
void pad_tail_write_rest(struct pad_draft *draft, const struct pad_template *tail);
void pad_tail_write_landing(struct pad_draft *draft, struct pad_template *ret);
void pad_tail_write_landing_rest(struct pad_draft *draft, struct pad_template *landing);
void pad_ask_write(struct pad_draft *draft, struct pad_template *ret);
void pad_ask_write_if_open(struct pad_draft *draft, struct pad_template *ret);
void pad_ask_write_if_open_rest(struct pad_draft *draft, const struct pad_template *ask);
void pad_cost_write_entry(struct pad_draft *draft, struct pad_template *ret);
void pad_cost_write_entry_rest(struct pad_draft *draft, const struct pad_template *entry);
void pad_cost_write_exit(struct pad_draft *draft, struct pad_template *ret);
void pad_cost_write_exit_rest(struct pad_draft *draft, const struct pad_template *exit);
void pad_cost_write_jump(struct pad_draft *draft, struct pad_template *ret);
void pad_cost_write_jump_rest(struct pad_draft *draft, const struct pad_template *jump);
void pad_lock_write_entry(struct pad_draft *draft, struct pad_template *ret);
void pad_lock_write_entry_rest(struct pad_draft *draft, const struct pad_template *entry);
void pad_lock_write_exit(struct pad_draft *draft, struct pad_template *ret);
void pad_lock_write_exit_rest(struct pad_draft *draft, const struct pad_template *exit);
void pad_stream_write_entry(struct pad_draft *draft, struct pad_template *ret);
void pad_stream_write_entry_rest(struct pad_draft *draft, const struct pad_template *entry);
void pad_stream_write_exit(struct pad_draft *draft, struct pad_template *ret);

/*
 * In the rest of a return or landing: end the calls that had left its frame, @cfa bytes above rsp,
 * by tail calls, then restore and go on. The second does so if the frame in rcx is that of such a
 * call, else it does nothing.
 */
void pad_tail_write_ends(struct pad_draft *draft, struct pad_template *end, int32_t cfa);
void pad_tail_write_ends_if(struct pad_draft *draft, const struct pad_template *end);

/* Places: a word of the thread block, of a function's sums, and of the frame in a register. */
#define PAD_BLOCK(field) ((struct asm_place){-1, offsetof(struct pad_block, field)})
#define PAD_SUMS(function, field)                                              \
	((struct asm_place){-1, (int32_t)(pad_block_sums((function)->number) + \
					  offsetof(struct pad_sums, field))})
#define PAD_FRAME(base, field) ((struct asm_place){base, offsetof(struct pad_frame, field)})

/* Bytes of the frame of a chosen call, and so of its record. */
int32_t pad_draft_frame_size(const struct pad_function *function);

/* The place of a register in the thread block. */
struct asm_place pad_draft_saved(int reg);
/* @registers: bit N is register N (DWARF numbers). */
void pad_draft_save(struct pad_draft *draft, uint32_t registers);
void pad_draft_restore(struct pad_draft *draft, uint32_t registers);
void pad_draft_restore_flags(struct pad_draft *draft);

/*
 * Every probe begins so: where the tracer has died, or gs is not ours but the program's own, the
 * probe is skipped. Nothing was saved in the thread block before; a thread that was born since may
 * share it. Live flags are saved then, by way of the stack, behind its red zone. What skips them is
 * a part of the rest.
 */
void pad_draft_begin(struct pad_draft *draft, struct pad_template *ret);
void pad_draft_skip(struct pad_draft *draft, const struct pad_template *template);

/* Restore what the probe saved, and set `restore` and `resume`. */
void pad_draft_finish(struct pad_draft *draft, struct pad_template *template);
void pad_draft_go_on(struct pad_draft *draft, size_t offset);

/*
 * Wait until the program's instructions before the pad are done. Without it what a short call, or
 * the end of a long one, does at the same time as the pads would seem to take no time.
 */
void pad_draft_finish_work(struct pad_draft *draft);

/* The code from offset @low to here is a window, or if it is long a stretch: its nop follows. */
void pad_draft_window(struct pad_draft *draft, size_t low);
void pad_draft_stretch(struct pad_draft *draft, size_t low);

/* rax = the clock less `stolen`; changes rdx. */
void pad_draft_clock(struct pad_draft *draft);

/* All of a PAD_RESUME: `stolen` becomes such that the thread's own clock goes on from `moment`. */
void pad_draft_resume(struct pad_draft *draft);

/* Jump if the tracer has died since the probe began: before an int3, or a load that may fault. */
struct asm_fixup pad_draft_jump_if_gone(struct pad_draft *draft);

/* Jump if the call of the frame in @frame is not in the tenth; changes @scratch and flags. */
struct asm_fixup pad_draft_jump_if_few(struct pad_draft *draft, int frame, int scratch);

/* Jump if @function is to ask rather than follow pointers, in this thread or at all. */
struct asm_fixup pad_draft_jump_if_careful(struct pad_draft *draft,
					   const struct pad_function *function);

/* Ask; nothing is to be restored. */
void pad_draft_ask(struct pad_draft *draft, const struct pad_template *template);
/* Ask for room in the ring, as the registers are. */
void pad_draft_ask_for_room(struct pad_draft *draft);

/* Restore everything, ask, and go on. */
void pad_draft_question(struct pad_draft *draft, const struct pad_template *template);

/* Does one of @function's features at this @kind of probe follow a pointer? */
bool pad_draft_loads(const struct pad_function *function, enum pad_probe_kind kind);
/* May reading and counting take long at an entry? Else they are a part of what a record costs. */
bool pad_draft_entry_is_timed(const struct pad_function *function);

/*
 * Add an event: its fields `a` and `b` are to be stored at PAD_EVENT() between these two. The first
 * of them leaves the event's address in rdx, and changes rax; the caller has looked for room for
 * @n, which changes rdx.
 */
struct asm_fixup pad_cost_jump_if_full(struct pad_draft *draft, unsigned n);
void pad_cost_begin_event(struct pad_draft *draft, enum pad_event_kind kind, unsigned function);
void pad_cost_end_event(struct pad_draft *draft);
#define PAD_EVENT(field)             \
	((struct asm_place){PAD_RDX, \
			    (int32_t)(PAD_EVENTS_OFFSET + offsetof(struct pad_event, field))})

/* That the chosen call in rcx begins or ends; changes rax and rdx. */
void pad_cost_write_call_event(struct pad_draft *draft, enum pad_event_kind kind);

/* Jump if no call is open: the innermost frame is the sentinel. Changes rcx. */
struct asm_fixup pad_draft_jump_if_idle(struct pad_draft *draft);

/* @reg = the word at @reg + @displacement; returns the index of its fault. */
size_t pad_draft_load_word(struct pad_draft *draft, int reg, int32_t displacement);

/* rcx = the return address of the frame at rcx, which may be on a stack that is gone: a fault. */
static inline size_t pad_draft_load_return_address(struct pad_draft *draft)
{
	return pad_draft_load_word(draft, PAD_RCX, -8);
}

/*
 * The call at the CFA in rdx has no frame here: go on if it began before there were any, or was too
 * deep. Not if it may have begun in another thread, as those of coroutines. Changes rdx.
 */
void pad_draft_go_on_if_unseen(struct pad_draft *draft, const struct pad_template *template);

/* Jump if the address in rdx is not on the thread's own stack; changes rdx. */
struct asm_fixup pad_draft_jump_if_elsewhere(struct pad_draft *draft);

/*
 * Read the features at @kind of probe into the frame in rcx. The registers @saved are saved
 * already; returns those that are saved then.
 */
uint32_t pad_draft_read_features(struct pad_draft *draft, const struct pad_template *template,
				 uint32_t saved);

/* Leave in `filter` what @plan gives at an entry, whose registers are saved. */
void pad_draft_run_filter(struct pad_draft *draft, const struct pad_template *template,
			  const struct pad_plan *plan);

/* The registers that counting needs, apart from those that all probes save. */
enum { PAD_COUNTING = 1 << PAD_RSI | 1 << PAD_RDI | 1 << PAD_R11 };

/* The frame in rcx begins, or ends with the time in rax; it is kept, as is rax at the end. */
void pad_counting_begin(struct pad_draft *draft, const struct pad_function *function);
void pad_counting_end(struct pad_draft *draft, const struct pad_function *function);
/* The call in rcx has ended: what it means for the caller in rdi. Changes rax and rdx. */
void pad_counting_charge(struct pad_draft *draft);
