/*
 * The probes of functions that send and receive, also while no call is open: the kernel is asked
 * which connection that is, and where its stream is; that, and what the transfer gives in the end,
 * are events. The same as trace/cost/transfers.c does at stops, which is asked of a connection that
 * is not known yet, and of bytes that are looked at but stay. Nothing of it waits or
 * changes what is asked; it is asked anew after a stop in between.
 */
#include "pad_draft.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "trace/target/target.h"

enum {
	STREAM_CALLS = 1 << PAD_RSI | 1 << PAD_RDI | 1 << PAD_R8 | 1 << PAD_R10 | 1 << PAD_R11,
	STREAM_SAVED = PAD_SAVED | STREAM_CALLS,
};

_Static_assert(offsetof(struct tcp_info, tcpi_dsack_dups) == PAD_TCP_INFO_SIZE, "what is asked");
_Static_assert(sizeof(((struct pad_block *)0)->usage) >= sizeof(struct stat), "a file's state");

#define INFO(field)                                                       \
	((struct asm_place){-1, offsetof(struct pad_block, stream.info) + \
					offsetof(struct tcp_info, field)})

/* @reg = the address of the block's byte @offset. */
static void stream_address(struct assembler *code, int reg, size_t offset)
{
	assembler_load(code, reg, PAD_BLOCK(address), 8);
	assembler_alu_constant(code, ASM_ADD, reg, (int32_t)offset);
}

/* rax = 0, or an error; the other arguments are there. */
static void stream_ask(struct assembler *code, uint64_t number)
{
	static const uint8_t syscall_instruction[] = {0x0f, 0x05};

	assembler_load(code, PAD_RDI, pad_draft_saved(PAD_RDI), 4);
	assembler_constant(code, PAD_RAX, number);
	assembler_bytes(code, syscall_instruction, sizeof(syscall_instruction));
}

static void ask_option(struct assembler *code, uint64_t level, uint64_t option, size_t to,
		       int32_t size)
{
	assembler_store_constant(code, PAD_BLOCK(stream.size), size, 8);
	assembler_constant(code, PAD_RSI, level);
	assembler_constant(code, PAD_RDX, option);
	stream_address(code, PAD_R10, to);
	stream_address(code, PAD_R8, offsetof(struct pad_block, stream.size));
	stream_ask(code, SYS_getsockopt);
}

static void ask_waiting(struct assembler *code, size_t to)
{
	assembler_constant(code, PAD_RSI, FIONREAD);
	stream_address(code, PAD_RDX, to);
	stream_ask(code, SYS_ioctl);
}

/* Only of TCP the position means something. */
static void ask_info(struct assembler *code)
{
	ask_option(code, IPPROTO_TCP, TCP_INFO, offsetof(struct pad_block, stream.info),
		   PAD_TCP_INFO_SIZE);
}

/* What no call sends only ends what was asked before: nobody needs to know where. */
static void ask_sent(struct pad_draft *draft)
{
	struct assembler *code = &draft->code;
	struct asm_fixup idle;

	assembler_constant(code, PAD_RAX, 0);
	idle = pad_draft_jump_if_idle(draft);
	ask_info(code);
	assembler_load(code, PAD_RAX, INFO(tcpi_notsent_bytes), 4);
	assembler_alu_load(code, ASM_ADD, PAD_RAX, INFO(tcpi_bytes_sent));
	assembler_alu_load(code, ASM_SUB, PAD_RAX, INFO(tcpi_bytes_retrans));
	assembler_fix(code, idle);
}

/* What arrives between the questions belongs to neither. */
static void ask_received(struct assembler *code, struct pad_template *ret)
{
	assembler_store_constant(code, PAD_BLOCK(stream.waiting), 0, 8);
	assembler_store_constant(code, PAD_BLOCK(stream.again), 0, 8);
	ask_waiting(code, offsetof(struct pad_block, stream.waiting));
	ask_info(code);
	ask_waiting(code, offsetof(struct pad_block, stream.again));
	assembler_load(code, PAD_RAX, PAD_BLOCK(stream.waiting), 8);
	assembler_alu_load(code, ASM_CMP, PAD_RAX, PAD_BLOCK(stream.again));
	ret->asks[2] = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_load(code, PAD_RAX, INFO(tcpi_bytes_received), 8);
	assembler_alu_load(code, ASM_SUB, PAD_RAX, PAD_BLOCK(stream.waiting));
}

static struct asm_fixup jump_if_cookie_is_new(struct assembler *code)
{
	assembler_load(code, PAD_RAX, PAD_BLOCK(stream.cookie), 8);
	assembler_move(code, PAD_RDX, PAD_RAX);
	assembler_alu_constant(code, ASM_AND, PAD_RDX, PAD_KNOWN - 1);
	assembler_shift(code, ASM_SHL, PAD_RDX, 3);
	assembler_alu_load(code, ASM_ADD, PAD_RDX, PAD_BLOCK(address));
	assembler_alu_load(code, ASM_CMP, PAD_RAX, (struct asm_place){PAD_RDX, PAD_KNOWN_OFFSET});
	return assembler_jump_if(code, ASM_NOT_EQUAL);
}

static void jump_if_unknown(struct assembler *code, struct pad_template *ret)
{
	ask_option(code, SOL_SOCKET, SO_COOKIE, offsetof(struct pad_block, stream.cookie),
		   sizeof(uint64_t));
	assembler_alu_constant(code, ASM_CMP, PAD_RAX, 0);
	ret->no_socket = assembler_jump_if(code, ASM_NOT_EQUAL);
	ret->asks[1] = jump_if_cookie_is_new(code);
	ret->again = code->size;
}

/* What is only looked at, and what is not a part of the stream. */
static void jump_if_special(struct assembler *code, uint32_t registers, struct pad_template *ret)
{
	for (int i = 0; i < 32; i++) {
		if (!(registers >> i & 1))
			continue;
		assembler_load(code, PAD_RAX, pad_draft_saved(i), 4);
		assembler_alu_constant(code, ASM_AND, PAD_RAX, MSG_PEEK | MSG_OOB | MSG_ERRQUEUE);
		ret->asks[0] = assembler_jump_if(code, ASM_NOT_EQUAL);
	}
}

static void note_transfer(struct pad_draft *draft, const struct pad_cost *cost)
{
	struct assembler *code = &draft->code;

	assembler_address(code, PAD_RAX, PAD_RSP, 8);
	assembler_store(code, PAD_BLOCK(heap.cfa), PAD_RAX, 8);
	assembler_load(code, PAD_RAX, (struct asm_place){PAD_RSP, 0}, 8);
	assembler_store(code, PAD_BLOCK(heap.return_address), PAD_RAX, 8);
	assembler_store_constant(code, PAD_BLOCK(heap.function), (int32_t)cost->number, 8);
	assembler_load(code, PAD_RAX, pad_draft_saved(PAD_RDI), 8);
	assembler_store(code, PAD_BLOCK(heap.arguments[0]), PAD_RAX, 8);
	assembler_load(code, PAD_RAX, pad_draft_saved(PAD_RSI), 8);
	assembler_store(code, PAD_BLOCK(heap.arguments[1]), PAD_RAX, 8);
	pad_cost_begin_event(draft, PAD_EVENT_STREAM, cost->number);
	assembler_load(code, PAD_RAX, PAD_BLOCK(stream.begin), 8);
	assembler_store(code, PAD_EVENT(at), PAD_RAX, 8);
	assembler_load(code, PAD_RAX, PAD_BLOCK(stolen), 8);
	assembler_store(code, PAD_EVENT(a), PAD_RAX, 8);
	assembler_load(code, PAD_RAX, PAD_BLOCK(stream.cookie), 8);
	assembler_store(code, PAD_EVENT(b), PAD_RAX, 8);
	pad_cost_end_event(draft);
	pad_cost_begin_event(draft, PAD_EVENT_POSITION, cost->number);
	assembler_load(code, PAD_RAX, PAD_BLOCK(stream.position), 8);
	assembler_store(code, PAD_EVENT(a), PAD_RAX, 8);
	assembler_load(code, PAD_RAX, PAD_BLOCK(stream.waiting), 8);
	assembler_store(code, PAD_EVENT(b), PAD_RAX, 8);
	pad_cost_end_event(draft);
}

/* What the kernel's answers took, until now, is not the call's time. */
static void charge_since(struct pad_draft *draft)
{
	struct assembler *code = &draft->code;
	struct asm_fixup driven;

	pad_draft_finish_work(draft);
	assembler_rdtsc(code);
	assembler_shift(code, ASM_SHL, PAD_RDX, 32);
	assembler_alu(code, ASM_OR, PAD_RAX, PAD_RDX);
	assembler_alu_load(code, ASM_SUB, PAD_RAX, PAD_BLOCK(stream.begin));
	assembler_alu_constant(code, ASM_CMP, PAD_RAX, PAD_DRIVEN);
	driven = assembler_jump_if(code, ASM_NOT_BELOW); /* that wait is left out as any other */
	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
	assembler_alu_store(code, ASM_ADD, PAD_FRAME(PAD_RCX, ticks), PAD_RAX);
	assembler_fix(code, driven);
	assembler_alu_store_constant(code, ASM_ADD, PAD_BLOCK(costs), 1, 8);
}

void pad_stream_write_entry(struct pad_draft *draft, struct pad_template *ret)
{
	const struct pad_cost *cost = ret->probe->cost;
	struct assembler *code = &draft->code;
	size_t low;

	ret->saved = STREAM_SAVED;
	pad_draft_begin(draft, ret);
	pad_draft_save(draft, STREAM_SAVED);
	assembler_address(code, PAD_RAX, PAD_RSP, 8);
	assembler_load(code, PAD_RCX, PAD_BLOCK(heap.cfa), 8);
	assembler_alu_constant(code, ASM_CMP, PAD_RCX, 0);
	ret->unusual = assembler_jump_if(code, ASM_NOT_EQUAL);
	ret->full = pad_cost_jump_if_full(draft, 2);
	jump_if_special(code, cost->flags, ret);
	low = code->size;
	pad_draft_finish_work(draft);
	assembler_rdtsc(code);
	assembler_shift(code, ASM_SHL, PAD_RDX, 32);
	assembler_alu(code, ASM_OR, PAD_RAX, PAD_RDX);
	assembler_store(code, PAD_BLOCK(stream.begin), PAD_RAX, 8);
	jump_if_unknown(code, ret);
	if (cost->kind == COST_SEND)
		ask_sent(draft);
	else
		ask_received(code, ret);
	pad_draft_window(draft, low);
	assembler_store(code, PAD_BLOCK(stream.position), PAD_RAX, 8);
	note_transfer(draft, cost);
	charge_since(draft);
	pad_draft_finish(draft, ret);
}

#define FILE_STATE(field) \
	((struct asm_place){-1, offsetof(struct pad_block, usage) + offsetof(struct stat, field)})

/* It has no position; the rest of the entry gets none. See stream_position.h. */
static struct asm_fixup go_on_if_known_pipe(struct pad_draft *draft,
					    const struct pad_template *entry)
{
	struct assembler *code = &draft->code;
	struct asm_fixup unknown;

	assembler_load(code, PAD_RAX, FILE_STATE(st_dev), 8);
	assembler_shift(code, ASM_SHL, PAD_RAX, STREAM_PIPE_DEVICE);
	assembler_alu_load(code, ASM_OR, PAD_RAX, FILE_STATE(st_ino));
	assembler_constant(code, PAD_RDX, STREAM_PIPE);
	assembler_alu(code, ASM_OR, PAD_RAX, PAD_RDX);
	assembler_store(code, PAD_BLOCK(stream.cookie), PAD_RAX, 8);
	unknown = jump_if_cookie_is_new(code);
	pad_draft_go_on(draft, entry->again);
	return unknown;
}

/* Files are no connections; of pipes only those that calls use are followed. */
static void go_on_if_file(struct pad_draft *draft, const struct pad_template *entry)
{
	struct assembler *code = &draft->code;
	struct asm_fixup strange, closed, other, idle, pipe;
	size_t low;

	assembler_fix(code, entry->no_socket);
	assembler_alu_constant(code, ASM_CMP, PAD_RAX, -ENOTSOCK);
	strange = assembler_jump_if(code, ASM_NOT_EQUAL);
	idle = pad_draft_jump_if_idle(draft);
	low = code->size;
	stream_address(code, PAD_RSI, offsetof(struct pad_block, usage));
	stream_ask(code, SYS_fstat);
	pad_draft_window(draft, low);
	assembler_alu_constant(code, ASM_CMP, PAD_RAX, 0);
	closed = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_load(code, PAD_RAX, FILE_STATE(st_mode), 4);
	assembler_alu_constant(code, ASM_AND, PAD_RAX, S_IFMT);
	assembler_alu_constant(code, ASM_CMP, PAD_RAX, S_IFIFO);
	other = assembler_jump_if(code, ASM_NOT_EQUAL);
	pipe = go_on_if_known_pipe(draft, entry);
	assembler_fix(code, other);
	assembler_fix(code, idle);
	charge_since(draft);
	pad_draft_go_on(draft, entry->restore);
	assembler_fix(code, strange);
	assembler_fix(code, closed);
	assembler_fix(code, pipe);
	pad_draft_question(draft, entry);
}

void pad_stream_write_entry_rest(struct pad_draft *draft, const struct pad_template *entry)
{
	struct assembler *code = &draft->code;

	go_on_if_file(draft, entry);
	for (size_t i = 0; i < sizeof(entry->asks) / sizeof(entry->asks[0]); i++)
		if (entry->asks[i].at)
			assembler_fix(code, entry->asks[i]);
	pad_draft_question(draft, entry);
	pad_cost_write_entry_rest(draft, entry);
}

/*
 * rax = the bytes of several messages, which the kernel has noted in each; what failed is below 0.
 * Where they are gone already it is 0: then nobody knows.
 */
static void sum_messages(struct pad_draft *draft)
{
	struct assembler *code = &draft->code;
	struct asm_fixup failed;
	size_t again, fault;

	assembler_load_signed(code, PAD_RAX, pad_draft_saved(PAD_RAX));
	assembler_store(code, PAD_BLOCK(stream.position), PAD_RAX, 8);
	assembler_alu_constant(code, ASM_CMP, PAD_RAX, 1);
	failed = assembler_jump_if(code, ASM_LESS);
	assembler_store_constant(code, PAD_BLOCK(stream.position), 0, 8);
	assembler_store_constant(code, PAD_BLOCK(stream.size), 0, 8);
	assembler_load(code, PAD_RCX, PAD_BLOCK(heap.arguments[1]), 8);
	again = code->size;
	assembler_move(code, PAD_RDX, PAD_RCX);
	fault = pad_draft_load_word(draft, PAD_RDX, offsetof(struct mmsghdr, msg_len));
	assembler_zero_extend(code, PAD_RDX, 4);
	assembler_alu_store(code, ASM_ADD, PAD_BLOCK(stream.size), PAD_RDX);
	assembler_alu_constant(code, ASM_ADD, PAD_RCX, sizeof(struct mmsghdr));
	assembler_alu_constant(code, ASM_SUB, PAD_RAX, 1);
	assembler_jump_back_if(code, ASM_NOT_EQUAL, again);
	assembler_load(code, PAD_RAX, PAD_BLOCK(stream.size), 8);
	assembler_store(code, PAD_BLOCK(stream.position), PAD_RAX, 8);
	draft->lists->faults.list[fault].resume = (uint32_t)code->size;
	assembler_fix(code, failed);
}

void pad_stream_write_exit(struct pad_draft *draft, struct pad_template *ret)
{
	const bool messages = ret->probe->cost->messages;
	struct assembler *code = &draft->code;

	ret->saved = PAD_SAVED;
	pad_draft_begin(draft, ret);
	pad_draft_save(draft, PAD_SAVED);
	assembler_address(code, PAD_RCX, PAD_RSP, 8);
	assembler_alu_load(code, ASM_CMP, PAD_RCX, PAD_BLOCK(heap.cfa));
	ret->unusual = assembler_jump_if(code, ASM_NOT_EQUAL);
	ret->full = pad_cost_jump_if_full(draft, 1);
	if (messages)
		sum_messages(draft);
	pad_cost_begin_event(draft, PAD_EVENT_STREAM_END, ret->probe->cost->number);
	assembler_load(code, PAD_RAX, PAD_EVENT(at), 8);
	assembler_store(code, PAD_BLOCK(stream.begin), PAD_RAX, 8);
	assembler_load(code, PAD_RAX,
		       messages ? PAD_BLOCK(stream.position) : pad_draft_saved(PAD_RAX), 8);
	assembler_store(code, PAD_EVENT(a), PAD_RAX, 8);
	assembler_load(code, PAD_RAX, PAD_BLOCK(stolen), 8);
	assembler_store(code, PAD_EVENT(b), PAD_RAX, 8);
	pad_cost_end_event(draft);
	assembler_store_constant(code, PAD_BLOCK(heap.cfa), 0, 8);
	charge_since(draft);
	pad_draft_finish(draft, ret);
}
