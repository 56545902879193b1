/*
 * Reading features: from memory and registers when a call begins and ends, and from the system.
 * Features that cannot be read have no plan and cost nothing: their reason is known beforehand.
 */
#include "feature_reading.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "branches.h"
#include "core/catalogue/rare.h"
#include "trace/kernel/registers.h"

static void feature_read_memory(void *self, struct memory_read *reads, size_t n)
{
	const struct tracee_memory *memory = self;
	const struct target *target = &memory->session->target;

	memory->session->account.reads += target->ops->read(target->self, memory->tid, reads, n);
}

/* The word below the CFA; that of a @block is below its function's. */
static const struct read_plan *return_address_plan(const struct session *session,
						   const struct read_plan *cfa, unsigned block)
{
	struct plan_step *steps = arena_array(session->arena, struct plan_step, cfa->n_steps + 2);
	struct read_plan *plan = arena_new(session->arena, struct read_plan);

	memcpy(steps, cfa->steps, cfa->n_steps * sizeof(*steps));
	steps[cfa->n_steps] = (struct plan_step){PLAN_ADD, (int)block - 8};
	steps[cfa->n_steps + 1] = (struct plan_step){PLAN_LOAD, 8};
	*plan = (struct read_plan){steps, cfa->n_steps + 2, PLAN_UNSIGNED, 8};
	return plan;
}

static void plan_set_init(struct session *session, struct plan_set *set, size_t capacity)
{
	set->plans = arena_array(session->arena, const struct read_plan *, capacity);
	set->features = arena_array(session->arena, unsigned, capacity);
}

static void plan_set_add(struct plan_set *set, const struct read_plan *plan, unsigned feature)
{
	set->features[set->n] = feature;
	set->plans[set->n++] = plan;
	set->uses_xmm |= read_plan_uses_xmm(plan);
}

static void set_up_entry(struct measured_function *measured, unsigned index)
{
	const struct feature *feature = &measured->function->features[index];

	plan_set_add(&measured->at_entry, &feature->plan, index);
	if (feature->is_rare)
		measured->blank[index].absence = ABSENT_NOT_ASKED;
	else
		plan_set_add(&measured->few, &feature->plan, index);
}

/* Put a readable feature into its set. */
static void set_up_feature(struct measured_function *measured, unsigned index)
{
	const struct feature *feature = &measured->function->features[index];

	measured->blank[index].absence =
		feature->absence == PRESENT ? ABSENT_NOT_MEASURED : feature->absence;
	if (feature->absence != PRESENT)
		return;
	if (feature->provenance == FROM_SYSTEM)
		measured->system[measured->n_system++] = index;
	else if (!feature->plan.n_steps)
		measured->blank[index].absence = ABSENT_OPTIMIZED_OUT;
	else if (feature->provenance == FROM_RETURN)
		plan_set_add(&measured->at_return, &feature->plan, index);
	else
		set_up_entry(measured, index);
}

/* The word behind the features is the return address. */
static void set_up_return_address(struct session *session, struct measured_function *measured)
{
	const struct function *function = measured->function;
	const unsigned index = (unsigned)function->n_features;
	const struct read_plan *plan =
		return_address_plan(session, &function->cfa, function->block);
	const bool is_any_rare = measured->few.n < measured->at_entry.n;

	plan_set_add(&measured->at_entry, plan, index);
	if (is_any_rare)
		plan_set_add(&measured->few, plan, index);
	else
		measured->few.n = 0;
}

static void set_up_function(struct session *session, const struct function *function,
			    struct measured_function *ret)
{
	size_t n = function->n_features;
	unsigned i;

	ret->function = function;
	if (function->unmeasurable)
		return;
	ret->strings = PLAN_STRING_MAX;
	ret->blank = arena_array(session->arena, struct value, n + 1);
	ret->system = arena_array(session->arena, unsigned, n);
	plan_set_init(session, &ret->at_entry, n + 1);
	plan_set_init(session, &ret->few, n + 1);
	plan_set_init(session, &ret->at_return, n);
	for (i = 0; i < n; i++)
		set_up_feature(ret, i);
	set_up_return_address(session, ret);
	branches_set_up(session, ret);
}

void feature_reading_set_up(struct session *session, struct image *image)
{
	size_t n = image->catalogue->n_functions;
	unsigned *blocks = arena_array(session->arena, unsigned, n);
	size_t i;

	image->blocks = blocks;
	image->n_blocks = 0;
	image->functions = arena_array(session->arena, struct measured_function, n);
	for (i = 0; i < n; i++)
		set_up_function(session, &image->catalogue->functions[i], &image->functions[i]);
	for (unsigned number = CATALOGUE_BLOCKS_MAX; number; number--)
		for (i = 0; i < n; i++)
			if (image->catalogue->functions[i].block == number)
				blocks[image->n_blocks++] = (unsigned)i;
}

void feature_reading_context(struct session *session, const struct tracee *tracee, unsigned index,
			     struct tracee_memory *memory, struct plan_context *ret)
{
	unsigned module = tracee->inferior->image->functions[index].function->module;

	*memory = (struct tracee_memory){session, tracee->tid};
	*ret = (struct plan_context){.load_bias = tracee->inferior->modules[module].load_bias,
				     .classes = &tracee->inferior->class_map,
				     .memory = {feature_read_memory, memory}};
	registers_by_number(&tracee->registers, ret->registers);
	ret->registers[PLAN_FS_BASE] = tracee->registers.fs_base;
}

/* Run @set's plans; @values: [features]. */
static void run_set(struct session *session, const struct tracee *tracee,
		    const struct plan_set *set, struct plan_context *context, struct value *values)
{
	const struct target *target = &session->target;
	size_t i;

	if (set->uses_xmm)
		target->ops->get_xmm(target->self, tracee->tid, &context->registers[PLAN_XMM0]);
	session->values = mem_grow(session->values, &session->values_capacity, set->n,
				   sizeof(*session->values));
	plan_runner_run(session->runner, set->plans, set->n, context, session->values);
	for (i = 0; i < set->n; i++)
		values[set->features[i]] = session->values[i];
}

static struct value system_value(const struct tracee *tracee, enum system_value which,
				 uint64_t now_ns, uint64_t before)
{
	const struct target *target = &tracee->inferior->session->target;

	switch (which) {
	case SYSTEM_THREADS:
		return (struct value){.number = tracee->inferior->n_threads};
	case SYSTEM_CALL:
		return (struct value){.number = before};
	case SYSTEM_CPU_CLOCK:
	case SYSTEM_LOAD:
	case SYSTEM_FREE_MEMORY:
	case SYSTEM_MEMORY_LIMIT:
	case SYSTEM_MEMORY_LEFT:
	case SYSTEM_PRESSURE_CPU:
	case SYSTEM_PRESSURE_MEMORY:
	case SYSTEM_PRESSURE_IO:
	case SYSTEM_PROCESSORS:
	case SYSTEM_NETWORK:
	case SYSTEM_VALUE_COUNT:
		break;
	}
	return target->ops->machine(target->self, tracee->tid, which, now_ns);
}

void feature_reading_system(const struct tracee *tracee, const struct measured_function *measured,
			    uint64_t now_ns, uint64_t before, struct value *values)
{
	for (size_t i = 0; i < measured->n_system; i++) {
		const unsigned feature = measured->system[i];

		values[feature] = system_value(tracee, measured->function->features[feature].system,
					       now_ns, before);
	}
}

void feature_reading_entry(struct session *session, const struct tracee *tracee,
			   struct plan_context *context, struct open_call *call)
{
	const struct measured_function *measured =
		&tracee->inferior->image->functions[call->function];
	const bool is_all = !measured->few.n || rare_is_read(call->rank);
	size_t n = measured->function->n_features;
	struct value *values = mem_alloc((n + 1) * sizeof(*values));

	memcpy(values, measured->blank, (n + 1) * sizeof(*values));
	run_set(session, tracee, is_all ? &measured->at_entry : &measured->few, context, values);
	feature_reading_system(tracee, measured, tracee->stop_ns, measured->begun, values);
	call->features = values;
	call->return_address = values[n].absence == PRESENT ? (uint64_t)values[n].number : 0;
}

void feature_reading_left(const struct tracee *tracee, unsigned index, struct value *values)
{
	const struct plan_set *set = &tracee->inferior->image->functions[index].at_return;
	size_t i;

	for (i = 0; i < set->n; i++)
		values[set->features[i]] = (struct value){.absence = ABSENT_NOT_REACHED};
}

void feature_reading_return(struct session *session, const struct tracee *tracee, unsigned index,
			    struct value *values)
{
	const struct measured_function *measured = &tracee->inferior->image->functions[index];
	struct tracee_memory memory;
	struct plan_context context;

	if (!measured->at_return.n)
		return;
	feature_reading_context(session, tracee, index, &memory, &context);
	run_set(session, tracee, &measured->at_return, &context, values);
}
