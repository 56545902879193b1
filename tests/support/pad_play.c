#include "pad_play.h"

#include <asm/prctl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/mem.h"

enum { ROOM = 1 << 20, PADS_MAX = 64, JUMP = 5, PAGE = 4096, STEPPED_MAX = 4096 };

struct player {
	struct pad_play play;
	struct insn_decoder *decoder;
	struct pad {
		uint8_t *at; /* replaced code */
		uint8_t was[PAD_RUN_MAX * INSN_SIZE_MAX];
		size_t size;
		uint64_t address;
		struct pad_code code;
		bool restarted[STEPPED_MAX];
	} pads[PADS_MAX];
	size_t n_pads, used;
	/* The stretch that the last step was in, and its pad; NULL: in none. */
	const struct pad_window *stretch;
	const struct pad *stretch_pad;
};

/* Near the code, as pads must be. */
static uint8_t room[ROOM] __attribute__((aligned(PAGE)));
static struct player *playing; /* for the handlers */

__asm__(".text\n"
	".globl pad_play_run\n"
	".type pad_play_run, @function\n"
	"pad_play_run:\n"
	"push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"push %rsi\n push %rdi\n"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"movups 128 + 16 * \\n(%rdi), %xmm\\n\n"
	".endr\n"
	"mov 0(%rdi), %rax\n mov 8(%rdi), %rdx\n mov 16(%rdi), %rcx\n mov 24(%rdi), %rbx\n"
	"mov 32(%rdi), %rsi\n mov 48(%rdi), %rbp\n"
	".irp n, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"mov 8 * \\n(%rdi), %r\\n\n"
	".endr\n"
	"push 384(%rdi)\n popf\n"
	"mov 40(%rdi), %rdi\n"
	"call *8(%rsp)\n"
	"xchg %rdi, (%rsp)\n"
	"pushf\n pop 384(%rdi)\n"
	"push $0\n popf\n" /* the trap flag ends */
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"movups %xmm\\n, 128 + 16 * \\n(%rdi)\n"
	".endr\n"
	"mov %rax, 0(%rdi)\n mov %rdx, 8(%rdi)\n mov %rcx, 16(%rdi)\n mov %rbx, 24(%rdi)\n"
	"mov %rsi, 32(%rdi)\n mov %rbp, 48(%rdi)\n"
	".irp n, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"mov %r\\n, 8 * \\n(%rdi)\n"
	".endr\n"
	"lea -8(%rsp), %rax\n mov %rax, 56(%rdi)\n"
	"pop %rax\n mov %rax, 40(%rdi)\n"
	"pop %rsi\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
	"ret\n"
	".size pad_play_run, . - pad_play_run\n");

static void hope(bool truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "pad_play: %s\n", what);
	abort();
}

/* NULL: the PC is in none. */
static struct pad *pad_at(uint64_t pc)
{
	for (size_t i = 0; i < playing->n_pads; i++)
		if (pc - playing->pads[i].address < playing->pads[i].code.size)
			return &playing->pads[i];
	return NULL;
}

static struct pad *find_pad(uint64_t pc)
{
	struct pad *pad = pad_at(pc);

	hope(pad, "a signal outside pads");
	return pad;
}

/* It is only left at its high. */
static void follow_stretch(const struct pad *pad, uint64_t offset)
{
	const struct pad_window *last = playing->stretch;

	if (last) {
		hope(pad == playing->stretch_pad && offset >= last->low && offset <= last->high,
		     "a stretch is left before its end");
		playing->play.stretches += offset == last->high;
	}
	playing->stretch = NULL;
	playing->stretch_pad = pad;
	for (size_t i = 0; pad && i < pad->code.n_stretches; i++)
		if (offset >= pad->code.stretches[i].low && offset < pad->code.stretches[i].high)
			playing->stretch = &pad->code.stretches[i];
}

/* Once for each instruction, else it would never end. */
static void step(greg_t *registers)
{
	struct pad *pad = pad_at(registers[REG_RIP]);
	const uint64_t offset = pad ? registers[REG_RIP] - pad->address : 0;

	follow_stretch(pad, offset);
	for (size_t i = 0; pad && i < pad->code.n_windows; i++) {
		const struct pad_window *window = &pad->code.windows[i];

		if (offset <= window->low || offset >= window->high || offset >= STEPPED_MAX ||
		    pad->restarted[offset])
			continue;
		pad->restarted[offset] = true;
		registers[REG_RIP] = (greg_t)(pad->address + window->low);
		playing->play.restarts++;
	}
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint64_t pc = registers[REG_RIP] - 1;
	const struct pad *pad;

	(void)number;
	if (info->si_code == TRAP_TRACE) {
		step(registers);
		return;
	}
	pad = find_pad(pc);
	playing->play.questions++;
	for (size_t i = 0; i < pad->code.n_questions; i++)
		if (pad->address + pad->code.questions[i].at == pc) {
			playing->play.last_question = pad->code.questions[i].probe;
			return;
		}
	hope(false, "an int3 that is no question");
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	const struct pad *pad = find_pad(*pc);

	(void)number, (void)info;
	playing->play.faults++;
	for (size_t i = 0; i < pad->code.faults.n; i++)
		if (pad->address + pad->code.faults.list[i].at == (uint64_t)*pc) {
			*pc = (greg_t)(pad->address + pad->code.faults.list[i].resume);
			return;
		}
	hope(false, "a fault that no pad expects");
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};

	action.sa_sigaction = handler;
	sigaction(number, &action, NULL);
}

static void make_writable(void *from, size_t size)
{
	const uintptr_t low = (uintptr_t)from & -(uintptr_t)PAGE;
	const size_t length = (uintptr_t)from + size - low;

	hope(mprotect((void *)low, length, PROT_READ | PROT_WRITE | PROT_EXEC) == 0, "mprotect");
}

static struct pad_block *create_block(void)
{
	uint8_t *bytes = mmap(NULL, PAD_BLOCK_SIZE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pad_frame *sentinel = (struct pad_frame *)(bytes + PAD_FRAMES_END - PAD_FRAME_SIZE);
	struct pad_block *block = (struct pad_block *)bytes;

	hope(bytes != MAP_FAILED, "mmap");
	sentinel->cfa = UINT64_MAX;
	sentinel->function = UINT32_MAX;
	*block = (struct pad_block){.magic = PAD_MAGIC,
				    .address = (uintptr_t)block,
				    .top = (uintptr_t)sentinel,
				    .stack_size = UINT64_MAX, /* all is of this thread */
				    .chance = 1};
	for (unsigned i = 0; i < PAD_FUNCTIONS_MAX; i++) {
		struct pad_sums *sums = (struct pad_sums *)(bytes + pad_block_sums(i));

		sums->limit = PAD_RANK_ALL;
		sums->strings = PLAN_STRING_MAX;
	}
	return block;
}

static int32_t *create_life(void)
{
	int32_t *life = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	hope(life != MAP_FAILED, "mmap");
	*life = PAD_PLAY_ALIVE;
	return life;
}

struct pad_play *pad_play_start(void)
{
	struct err err;

	playing = mem_alloc(sizeof(*playing));
	playing->play.block = create_block();
	playing->play.life = create_life();
	hope(insn_decoder_create(&playing->decoder, &err), "capstone");
	hope(syscall(SYS_arch_prctl, ARCH_SET_GS, playing->play.block) == 0, "gs");
	make_writable(room, sizeof(room));
	handle(SIGTRAP, on_trap);
	handle(SIGSEGV, on_fault);
	return &playing->play;
}

void pad_play_end(struct pad_play *play)
{
	struct player *player = (struct player *)play;

	while (player->n_pads) {
		struct pad *pad = &player->pads[--player->n_pads];

		memcpy(pad->at, pad->was, pad->size);
		pad_code_deinit(&pad->code);
	}
	signal(SIGTRAP, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
	syscall(SYS_arch_prctl, ARCH_SET_GS, NULL);
	munmap(play->block, PAD_BLOCK_SIZE);
	munmap(play->life, PAGE);
	insn_decoder_destroy(player->decoder);
	free(player);
	playing = NULL;
}

/* At least @wanted bytes. */
static size_t decode_run(const struct player *player, const uint8_t *at, size_t wanted,
			 struct insn *run, size_t *ret_size)
{
	size_t n = 0, size = 0;

	while (size < wanted && n < PAD_RUN_MAX) {
		hope(insn_decode(player->decoder, at + size, INSN_SIZE_MAX, (uintptr_t)at + size,
				 &run[n]),
		     "no instruction");
		size += run[n++].size;
	}
	*ret_size = size;
	return n;
}

/* Twice, as its size is known only then. */
static bool make_pad(struct player *player, struct pad_request *request, struct pad *pad,
		     struct err *err)
{
	size_t size;

	request->address = (uintptr_t)pad->at;
	if (!pad_code_make(request, &pad->code, err))
		return false;
	size = pad->code.size;
	pad_code_deinit(&pad->code);
	request->address = pad->address = (uintptr_t)room + player->used;
	hope(pad_code_make(request, &pad->code, err), "the second time it fails");
	hope(pad->code.size == size, "another size");
	hope(player->used + size <= ROOM, "no room");
	memcpy(room + player->used, pad->code.bytes, size);
	player->used += (size + 63) / 64 * 64;
	return true;
}

static void write_jump(struct pad *pad)
{
	const int32_t displacement = (int32_t)(pad->address - ((uintptr_t)pad->at + JUMP));

	memcpy(pad->was, pad->at, pad->size);
	make_writable(pad->at, pad->size);
	memset(pad->at, 0xcc, pad->size);
	pad->at[0] = 0xe9;
	memcpy(pad->at + 1, &displacement, sizeof(displacement));
}

static bool replace(struct player *player, void (*at)(void), size_t wanted,
		    const struct pad_probe *probes, size_t n_probes, struct err *err)
{
	struct pad *pad = &player->pads[player->n_pads];
	struct insn run[PAD_RUN_MAX];
	struct pad_request request = {.run = run,
				      .probes = probes,
				      .n_probes = n_probes,
				      .costs = player->play.costs,
				      .life = {.address = (int32_t)(uintptr_t)player->play.life,
					       .alive = PAD_PLAY_ALIVE}};

	hope(player->n_pads < PADS_MAX, "too many pads");
	pad->at = (uint8_t *)(uintptr_t)at;
	request.n_run = decode_run(player, pad->at, wanted, run, &pad->size);
	request.next = (uintptr_t)pad->at + pad->size;
	if (!make_pad(player, &request, pad, err))
		return false;
	write_jump(pad);
	player->n_pads++;
	return true;
}

void pad_play_stop_at_stretches(struct pad_play *play)
{
	struct player *player = (struct player *)play;

	for (size_t i = 0; i < player->n_pads; i++) {
		const struct pad *pad = &player->pads[i];

		for (size_t j = 0; j < pad->code.n_stretches; j++) {
			uint8_t *high =
				(uint8_t *)(uintptr_t)(pad->address + pad->code.stretches[j].high);

			hope(*high == PAD_NOP, "no nop behind a stretch");
			*high = PAD_INT3;
		}
	}
}

void pad_play_replace(struct pad_play *play, void (*at)(void), const struct pad_probe *probes,
		      size_t n_probes)
{
	struct err err;

	if (!replace((struct player *)play, at, JUMP, probes, n_probes, &err))
		hope(false, err.text);
}

void pad_play_replace_all(struct pad_play *play, void (*function)(void), void (*end)(void),
			  const struct pad_probe *probes, size_t n_probes)
{
	const size_t size = (uintptr_t)end - (uintptr_t)function + JUMP;
	struct err err;

	if (!replace((struct player *)play, function, size, probes, n_probes, &err))
		hope(false, err.text);
}

bool pad_play_can_replace(struct pad_play *play, void (*at)(void), struct err *err)
{
	return replace((struct player *)play, at, JUMP, NULL, 0, err);
}

void pad_play_call(struct pad_play *play, void (*function)(void), void (*end)(void),
		   const struct pad_function *ret)
{
	const struct pad_probe entry = {.kind = PAD_ENTRY, .function = ret};
	const struct pad_probe leave = {.kind = PAD_RETURN, .insn = 1, .function = ret};

	pad_play_replace(play, function, &entry, 1);
	pad_play_replace(play, end, &leave, 1);
}

uint64_t pad_play_alone(struct pad_play *play, const struct pad_probe *probe)
{
	struct player *player = (struct player *)play;
	struct pad *pad = &player->pads[player->n_pads++];
	struct pad_request request = {
		.probes = probe,
		.n_probes = 1,
		.costs = play->costs,
		.life = {.address = (int32_t)(uintptr_t)play->life, .alive = PAD_PLAY_ALIVE}};
	struct err err;

	hope(player->n_pads <= PADS_MAX, "too many pads");
	pad->at = room;
	pad->size = 0;
	request.next = (uintptr_t)room;
	if (!make_pad(player, &request, pad, &err))
		hope(false, err.text);
	return pad->address;
}

struct pad_sums *pad_play_sums(const struct pad_play *play, unsigned function)
{
	return (struct pad_sums *)((uint8_t *)play->block + pad_block_sums(function));
}

struct pad_frame *pad_play_top(const struct pad_play *play)
{
	return (struct pad_frame *)play->block->top;
}

const struct pad_frame *pad_play_record(const struct pad_play *play, uint64_t *offset)
{
	const uint64_t place = *offset & (PAD_RING_SIZE - 1);
	const struct pad_frame *record =
		(const struct pad_frame *)((uint8_t *)play->block + PAD_RING_OFFSET + place);

	if (*offset >= play->block->head)
		return NULL;
	*offset += record->previous;
	if (place + record->previous > PAD_RING_SIZE)
		*offset = (*offset | (PAD_RING_SIZE - 1)) + 1 - PAD_RING_SIZE;
	return record;
}
