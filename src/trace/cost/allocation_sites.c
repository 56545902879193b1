/*
 * A thread's list of sites grows while its calls are open: within the innermost of them each site
 * is in it once. When that ends, what is new is folded into what its caller has; so the list is as
 * long as the calls that are open have different sites, each for itself.
 */
#include "allocation_sites.h"

#include "base/mem.h"
#include "trace/state/engine.h"

/* Where the innermost open call began, but @ended. */
static size_t innermost(const struct tracee *tracee, const struct heap_scope *ended)
{
	const struct allocations *allocations = &tracee->allocations;
	size_t from = 0;

	for (size_t i = 0; i < tracee->calls.n; i++) {
		const struct heap_scope *scope = &tracee->calls.calls[i].allocations.scope;

		if (scope != ended && scope->sites > from)
			from = scope->sites;
	}
	for (size_t i = 0; i < allocations->n_framed; i++) {
		const struct heap_scope *scope = &allocations->framed[i].scope;

		if (scope->sites > from)
			from = scope->sites;
	}
	return from;
}

static void site_add(struct allocations *allocations, size_t from, struct allocation_site add)
{
	for (size_t i = allocations->n_sites; i > from; i--)
		if (allocations->sites[i - 1].return_address == add.return_address) {
			allocations->sites[i - 1].bytes += add.bytes;
			return;
		}
	allocations->sites = mem_grow(allocations->sites, &allocations->sites_capacity,
				      allocations->n_sites + 1, sizeof(*allocations->sites));
	allocations->sites[allocations->n_sites++] = add;
}

void allocation_sites_add(struct tracee *tracee, uint64_t return_address, uint64_t bytes)
{
	if (tracee->inferior->session->options.sites)
		site_add(&tracee->allocations, innermost(tracee, NULL),
			 (struct allocation_site){return_address, bytes});
}

/* Modules without code of their own in the catalogue's list are not told apart. */
static struct site_sum link_time(const struct inferior *inferior, struct allocation_site site)
{
	const size_t n = inferior->image->catalogue->n_modules;
	unsigned module = 0;

	for (size_t i = 1; i < n; i++)
		if (inferior->modules[i].mapped &&
		    site.return_address - inferior->modules[i].low <
			    inferior->modules[i].high - inferior->modules[i].low)
			module = (unsigned)i;
	return (struct site_sum){.module = module,
				 .addr = site.return_address - inferior->modules[module].load_bias,
				 .bytes = site.bytes};
}

static struct site_sums *sums_from(const struct tracee *tracee, size_t from)
{
	const struct allocations *allocations = &tracee->allocations;
	const size_t n = allocations->n_sites - from;
	struct site_sums *ret = mem_alloc(sizeof(*ret) + n * sizeof(*ret->list));

	for (size_t i = 0; i < n; i++)
		ret->list[ret->n++] = link_time(tracee->inferior, allocations->sites[from + i]);
	return ret;
}

static void fold_sites(struct allocations *allocations, size_t into, size_t from)
{
	const size_t n = allocations->n_sites;

	allocations->n_sites = from;
	for (size_t i = from; i < n; i++)
		site_add(allocations, into, allocations->sites[i]);
}

struct site_sums *allocation_sites_end(struct tracee *tracee, const struct heap_scope *scope,
				       bool is_known)
{
	struct allocations *allocations = &tracee->allocations;
	struct site_sums *ret = NULL;
	size_t from = scope->sites, into;

	if (!tracee->inferior->session->options.sites)
		return NULL;
	if (from > allocations->n_sites)
		return NULL;
	if (is_known)
		ret = sums_from(tracee, from);
	into = innermost(tracee, scope);
	if (into <= from)
		fold_sites(allocations, into, from);
	return ret;
}
