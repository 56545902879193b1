/* Putting a pad together: probes and moved instructions in the order of the run. */
#include "pad_code.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "pad_draft.h"
#include "pad_moved.h"

enum { FIRST_CAPACITY = 4096, LAST_CAPACITY = 1 << 20 };

/* Written without a look at memory: a register and constants that are added to it. */
static bool check_cfa(const struct pad_function *function, struct err *err)
{
	const struct read_plan *plan = function->cfa.plan;
	bool plain =
		plan && plan->n_steps && plan->steps[0].op == PLAN_REG && plan->steps[0].arg <= 15;

	for (unsigned i = 1; plain && i < plan->n_steps; i++)
		plain = plan->steps[i].op == PLAN_ADD &&
			plan->steps[i].arg == (int32_t)plan->steps[i].arg;
	return plain || err_set(err, ERR_UNSUPPORTED,
				"the frame's address is not a register and a constant");
}

static bool is_branch(const struct insn *insn, const struct table_index *index)
{
	if (index)
		return insn->table_entry && index->scale && !(index->scale & (index->scale - 1)) &&
		       index->reg >= 0 && index->reg < 16;
	return insn->kind == INSN_JUMP_IF || insn->kind == INSN_LOOP;
}

static bool is_tail(const struct insn *insn)
{
	return insn->kind == INSN_JUMP || insn->kind == INSN_JUMP_IF ||
	       insn->kind == INSN_JUMP_INDIRECT;
}

bool pad_code_is_alone(enum pad_probe_kind kind)
{
	return kind == PAD_END || kind == PAD_RESUME;
}

static bool check_probe(const struct pad_request *request, const struct pad_probe *probe,
			struct err *err)
{
	const struct insn *insn;

	if (probe->kind == PAD_ASK || probe->kind == PAD_ASK_IF_OPEN || probe->kind == PAD_RESUME ||
	    probe->kind == PAD_LANDING || probe->cost)
		return true;
	if (pad_draft_frame_size(probe->function) > PAD_RECORD_MAX)
		return err_set(err, ERR_UNSUPPORTED, "its features need too much room");
	if (probe->kind == PAD_END)
		return true;
	insn = &request->run[probe->insn];
	if (probe->kind == PAD_BRANCH && !is_branch(insn, probe->index))
		return err_set(err, ERR_UNSUPPORTED, "a branch is another instruction");
	if (probe->kind == PAD_TAIL && !is_tail(insn))
		return err_set(err, ERR_UNSUPPORTED, "a tail call is another instruction");
	return probe->kind != PAD_ENTRY || check_cfa(probe->function, err);
}

/* What lies behind the run must be within reach from everywhere in the pad. */
static bool check_request(const struct pad_request *request, struct err *err)
{
	const int64_t distance = (int64_t)(request->next - request->address);

	if (request->n_run > PAD_RUN_MAX)
		return err_set(err, ERR_UNSUPPORTED, "the run is too long");
	if (distance < INT32_MIN + LAST_CAPACITY || distance > INT32_MAX)
		return err_set(err, ERR_UNSUPPORTED, "the run is out of reach");
	for (size_t i = 0; i < request->n_probes; i++)
		if (!check_probe(request, &request->probes[i], err))
			return false;
	return true;
}

static void write_probe(struct pad_draft *draft, struct pad_template *ret)
{
	switch (ret->probe->kind) {
	case PAD_ENTRY:
		pad_entry_write(draft, ret);
		break;
	case PAD_RETURN:
		pad_return_write(draft, ret);
		break;
	case PAD_BRANCH:
		pad_branch_write(draft, ret);
		break;
	case PAD_TURN:
		pad_branch_write_turn(draft, ret);
		break;
	case PAD_TAIL:
		pad_tail_write(draft, ret);
		break;
	case PAD_LANDING:
		pad_tail_write_landing(draft, ret);
		break;
	case PAD_END:
		pad_return_write_end(draft, ret);
		break;
	case PAD_RESUME:
		pad_draft_resume(draft);
		break;
	case PAD_ASK:
		pad_ask_write(draft, ret);
		break;
	case PAD_ASK_IF_OPEN:
		pad_ask_write_if_open(draft, ret);
		break;
	case PAD_COST_ENTRY:
		pad_cost_write_entry(draft, ret);
		break;
	case PAD_COST_EXIT:
		pad_cost_write_exit(draft, ret);
		break;
	case PAD_LOCK_ENTRY:
		pad_lock_write_entry(draft, ret);
		break;
	case PAD_LOCK_EXIT:
		pad_lock_write_exit(draft, ret);
		break;
	case PAD_STREAM_ENTRY:
		pad_stream_write_entry(draft, ret);
		break;
	case PAD_STREAM_EXIT:
		pad_stream_write_exit(draft, ret);
		break;
	case PAD_COST_JUMP:
	case PAD_LOCK_JUMP:
		pad_cost_write_jump(draft, ret);
		break;
	}
}

static void write_rest(struct pad_draft *draft, struct pad_template *template)
{
	pad_draft_skip(draft, template);
	switch (template->probe->kind) {
	case PAD_ENTRY:
		pad_entry_write_rest(draft, template);
		break;
	case PAD_RETURN:
		pad_return_write_rest(draft, template);
		break;
	case PAD_BRANCH:
		pad_branch_write_rest(draft, template);
		break;
	case PAD_TURN:
		pad_branch_write_turn_rest(draft, template);
		break;
	case PAD_TAIL:
		pad_tail_write_rest(draft, template);
		break;
	case PAD_LANDING:
		pad_tail_write_landing_rest(draft, template);
		break;
	case PAD_END:
		pad_return_write_end_rest(draft, template);
		break;
	case PAD_ASK:
	case PAD_RESUME:
		break;
	case PAD_ASK_IF_OPEN:
		pad_ask_write_if_open_rest(draft, template);
		break;
	case PAD_COST_ENTRY:
		pad_cost_write_entry_rest(draft, template);
		break;
	case PAD_STREAM_ENTRY:
		pad_stream_write_entry_rest(draft, template);
		break;
	case PAD_COST_EXIT:
	case PAD_STREAM_EXIT:
		pad_cost_write_exit_rest(draft, template);
		break;
	case PAD_LOCK_ENTRY:
		pad_lock_write_entry_rest(draft, template);
		break;
	case PAD_LOCK_EXIT:
		pad_lock_write_exit_rest(draft, template);
		break;
	case PAD_COST_JUMP:
	case PAD_LOCK_JUMP:
		pad_cost_write_jump_rest(draft, template);
		break;
	}
}

static bool is_call(const struct insn *insn)
{
	return insn->kind == INSN_CALL || insn->kind == INSN_CALL_INDIRECT;
}

/* In the pad: a call returns behind the run. */
static bool falls_through(const struct insn *insn)
{
	return insn->kind != INSN_RETURN && insn->kind != INSN_JUMP &&
	       insn->kind != INSN_JUMP_INDIRECT && !is_call(insn);
}

/* Jumps within a run, and where its instructions begin: at their probes. */
struct inner_jumps {
	struct asm_fixup fixups[PAD_RUN_MAX]; /* by instruction */
	size_t begins[PAD_RUN_MAX];
};

/* The instruction of the run, but not the first, that @insn jumps to; 0: none. */
static size_t inner_target(const struct pad_request *request, const struct insn *insn)
{
	if (insn->kind != INSN_JUMP && insn->kind != INSN_JUMP_IF && insn->kind != INSN_LOOP)
		return 0;
	for (size_t i = 1; i < request->n_run; i++)
		if (request->run[i].address == insn->target)
			return i;
	return 0;
}

static bool write_moved(struct pad_draft *draft, unsigned i, struct inner_jumps *jumps,
			struct err *err)
{
	const struct insn *insn = &draft->request->run[i];
	struct assembler *code = &draft->code;

	draft->lists->moved[i] = (uint32_t)code->size;
	if (inner_target(draft->request, insn))
		jumps->fixups[i] = pad_moved_jump(code, insn);
	else if (!pad_moved_write(code, insn, err))
		return false;
	draft->lists->moved_size[i] = (uint32_t)code->size - draft->lists->moved[i];
	return true;
}

static void aim_inner_jumps(struct pad_draft *draft, const struct inner_jumps *jumps)
{
	const struct pad_request *request = draft->request;

	for (size_t i = 0; i < request->n_run; i++) {
		const size_t target = inner_target(request, &request->run[i]);

		if (target)
			assembler_fix_to(&draft->code, jumps->fixups[i], jumps->begins[target]);
	}
}

static bool write_run(struct pad_draft *draft, struct pad_template *templates, struct err *err)
{
	static const struct insn nowhere;
	const struct pad_request *request = draft->request;
	struct assembler *code = &draft->code;
	struct inner_jumps jumps;
	size_t probe = 0;

	if (request->n_probes && pad_code_is_alone(request->probes[0].kind)) {
		templates[0] = (struct pad_template){.probe = request->probes, .insn = &nowhere};
		write_probe(draft, &templates[0]);
		return true;
	}
	for (unsigned i = 0; i < request->n_run; i++) {
		jumps.begins[i] = code->size;
		for (; probe < request->n_probes && request->probes[probe].insn == i; probe++) {
			templates[probe] = (struct pad_template){.probe = &request->probes[probe],
								 .insn = &request->run[i],
								 .number = (unsigned)probe};
			write_probe(draft, &templates[probe]);
		}
		if (i + 1 < request->n_run && is_call(&request->run[i]))
			return err_set(err, ERR_UNSUPPORTED,
				       "the call at 0x%" PRIx64 " would return into the run",
				       request->run[i].address);
		if (!write_moved(draft, i, &jumps, err))
			return false;
	}
	aim_inner_jumps(draft, &jumps);
	if (!request->n_run || falls_through(&request->run[request->n_run - 1]))
		assembler_jump_to(code, request->next);
	return true;
}

static void write_rests(struct pad_draft *draft, struct pad_template *templates)
{
	for (size_t i = 0; i < draft->request->n_probes; i++)
		write_rest(draft, &templates[i]);
}

/* False: it does not fit, or, with *@ret_unsupported, an instruction cannot be moved. */
static bool try_capacity(const struct pad_request *request, size_t capacity, struct pad_code *ret,
			 bool *ret_unsupported, struct err *err)
{
	struct pad_template *templates = mem_alloc((request->n_probes + 1) * sizeof(*templates));
	struct pad_draft draft = {.request = request, .lists = ret};

	ret->bytes = mem_alloc(capacity);
	draft.code = (struct assembler){
		.bytes = ret->bytes, .capacity = capacity, .address = request->address};
	*ret_unsupported = !write_run(&draft, templates, err);
	if (!*ret_unsupported)
		write_rests(&draft, templates);
	ret->size = draft.code.size;
	free(templates);
	return !draft.code.failed && !*ret_unsupported;
}

bool pad_code_make(const struct pad_request *request, struct pad_code *ret, struct err *err)
{
	bool unsupported;

	if (!check_request(request, err))
		return false;
	for (size_t capacity = FIRST_CAPACITY; capacity <= LAST_CAPACITY; capacity *= 4) {
		struct pad_code code = {0};

		if (try_capacity(request, capacity, &code, &unsupported, err)) {
			*ret = code;
			return true;
		}
		pad_code_deinit(&code);
		if (unsupported)
			return false;
	}
	return err_set(err, ERR_UNSUPPORTED, "its pad is too long");
}

void pad_code_deinit(struct pad_code *code)
{
	free(code->bytes);
	free(code->faults.list);
	free(code->windows);
	free(code->stretches);
	free(code->questions);
	*code = (struct pad_code){0};
}
