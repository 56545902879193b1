/*
 * The functions' run-time addresses here serve as link-time addresses, and AT_ENTRY as the entry:
 * the copy has the same layout but for its load bias.
 */
#include "calibrate_copy.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "base/mem.h"
#include "core/catalogue/catalogue.h"

struct calibrate_copy {
	struct session *session;
	enum role first; /* of the catalogue */
	struct catalogue catalogue;
	struct module module;
	struct function functions[ROLE_COUNT];
	struct address_range ranges[ROLE_COUNT];
	struct exit_site exits[ROLE_COUNT];
	struct feature features[CALIBRATE_RICH_FEATURES];
	struct cost_function costs[ROLE_COUNT - ROLE_MEASURED_COUNT];
	uint64_t cost_exits[ROLE_COUNT - ROLE_MEASURED_COUNT];
};

static struct jump_site site_between(void (*begin)(void), void (*end)(void))
{
	return (struct jump_site){.addr = (uint64_t)begin,
				  .size = (uint8_t)((uint64_t)end - (uint64_t)begin)};
}

static void make_function(struct calibrate_copy *copy, enum role role, size_t n_features)
{
	static const struct plan_step cfa[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
	const struct calibrate_role *from = &calibrate_roles[role];
	const uint64_t entry = (uint64_t)from->entry;
	struct jump_site head = {0}, tail = {0};

	copy->ranges[role] = (struct address_range){entry, (uint64_t)from->end};
	if (role != ROLE_BEGUN)
		head = site_between(from->entry, from->body);
	if (role != ROLE_ENDED)
		tail = site_between(from->tail, from->end);
	copy->exits[role] =
		(struct exit_site){.addr = (uint64_t)from->exit, .kind = EXIT_RETURN, .site = tail};
	copy->functions[role] = (struct function){.name = from->name,
						  .linkage = from->name,
						  .ranges = &copy->ranges[role],
						  .n_ranges = 1,
						  .entry_addr = entry,
						  .probe_addr = entry,
						  .site = head,
						  .cfa = {cfa, 2, PLAN_UNSIGNED, 8},
						  .exits = &copy->exits[role],
						  .n_exits = 1,
						  .features = copy->features,
						  .n_features = n_features};
}

static void make_features(struct calibrate_copy *copy)
{
	static const struct plan_step steps[] = {{PLAN_REG, 5}};

	for (size_t i = 0; i < CALIBRATE_RICH_FEATURES; i++)
		copy->features[i] = (struct feature){.expression = "rdi",
						     .type = FEATURE_INT,
						     .plan = {steps, 1, PLAN_SIGNED, 8}};
}

static void make_cost_function(struct calibrate_copy *copy, enum role role, unsigned totals)
{
	static const enum cost_call_kind kinds[ROLE_COUNT] = {[ROLE_TAKE] = COST_ALLOCATE,
							      [ROLE_NEST] = COST_ALLOCATE,
							      [ROLE_LOCK] = COST_LOCK_TAKE,
							      [ROLE_UNLOCK] = COST_LOCK_RELEASE};
	const size_t index = copy->catalogue.n_cost_functions;

	if (!cost_call_is_wanted(kinds[role], totals, false))
		return;
	copy->catalogue.n_cost_functions++;
	copy->cost_exits[index] = copy->exits[role].addr;
	copy->costs[index] = (struct cost_function){.name = calibrate_roles[role].name,
						    .kind = kinds[role],
						    .entry_addr = copy->functions[role].entry_addr,
						    .entry_site = copy->functions[role].site,
						    .exits_known = true,
						    .exits = &copy->cost_exits[index],
						    .exit_sites = &copy->exits[role].site,
						    .n_exits = 1};
}

static size_t features_of(enum role role)
{
	if (role == ROLE_RICH)
		return CALIBRATE_RICH_FEATURES;
	return role == ROLE_WORK ? CALIBRATE_WORK_FEATURES : 0;
}

struct calibrate_copy *calibrate_copy_launch(const struct session_options *options,
					     void (*calls)(void), struct err *err)
{
	const bool pads = options->probes == PROBES_PADS || options->probes == PROBES_AUTO;
	const enum role first = pads ? ROLE_STOPS_COUNT : 0;
	const enum role end = pads                                 ? ROLE_MEASURED_COUNT
			      : options->probes == PROBES_HARDWARE ? ROLE_BARE
								   : ROLE_STOPS_COUNT;
	struct calibrate_copy *copy = mem_alloc(sizeof(*copy));

	copy->first = first;
	copy->module = (struct module){
		.path = "/proc/self/exe", .relocatable = true, .entry_addr = getauxval(AT_ENTRY)};
	copy->catalogue = (struct catalogue){
		.modules = &copy->module,
		.n_modules = 1,
		.functions = copy->functions + first,
		.n_functions = end - first,
		.cost_functions = copy->costs,
	};
	make_features(copy);
	for (enum role role = 0; role < ROLE_COUNT; role++)
		make_function(copy, role, features_of(role));
	for (enum role role = ROLE_MEASURED_COUNT; role < ROLE_COUNT; role++)
		make_cost_function(copy, role, options->metrics);
	if (session_launch_copy(&copy->catalogue, calls, options, &copy->session, err))
		return copy;
	free(copy);
	return NULL;
}

struct session *calibrate_copy_session(const struct calibrate_copy *copy)
{
	return copy->session;
}

enum role calibrate_copy_role(const struct calibrate_copy *copy, const struct call_record *call)
{
	return copy->first + call->function;
}

void calibrate_copy_destroy(struct calibrate_copy *copy)
{
	session_destroy(copy->session);
	free(copy);
}

bool calibrate_keep_to(int processor, cpu_set_t *ret_before)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	return sched_getaffinity(0, sizeof(*ret_before), ret_before) == 0 &&
	       sched_setaffinity(0, sizeof(one), &one) == 0;
}
