/*
 * Call sites of one file: for addresses in the middle of functions, what the debug information says
 * of the frames there.
 */
#pragma once

#include "core/catalogue/call_site.h"
#include "catalogue_build.h"

struct call_sites;

/*
 * Open the file @path with @request's limits, globals and debuginfo_path (its patterns are ignored;
 * its required features are borrowed). The file may lack debug information and symbols. Errors as
 * for catalogue_build().
 */
bool call_sites_open(const char *path, const struct catalogue_request *request,
		     struct call_sites **ret, struct err *err);
void call_sites_close(struct call_sites *sites); /* NULL is fine */

/* The first loaded segment's link-time address, rounded down to its page. */
uint64_t call_sites_base(const struct call_sites *sites);

/*
 * The site at the link-time address @addr: that of an instruction, or for a frame that called
 * another, the return address minus 1, which is within the call. It lives as long as @sites.
 */
const struct call_site *call_sites_find(struct call_sites *sites, uint64_t addr);

/*
 * Only the row of that site: this takes microseconds, as call frame information is read on opening.
 */
const struct unwind_row *call_sites_row(struct call_sites *sites, uint64_t addr);

/*
 * The variable whose symbol spans @addr, demangled in @arena: `vtable for Circle`; *@ret_offset:
 * from its beginning. NULL: none.
 */
const char *call_sites_variable(const struct call_sites *sites, uint64_t addr, struct arena *arena,
				uint64_t *ret_offset);

/* What the program calls that byte of the variable: as variable_path_find(). */
const char *call_sites_variable_path(const struct call_sites *sites, uint64_t addr, bool whole,
				     struct arena *arena);

/* The site at @addr if it was found before, else NULL. */
const struct call_site *call_sites_known(const struct call_sites *sites, uint64_t addr);

/*
 * Only which function with code of its own is at @addr, from debug information or symbols: nothing
 * is looked for in it. It lives as long as @sites, once for each function.
 */
const struct call_place *call_sites_function(struct call_sites *sites, uint64_t addr);

/*
 * The classes that features of the sites found so far may refer to, in a module loaded with
 * @load_bias; valid until the next call. *@ret_classes: their names, [*@ret_n_classes].
 */
const struct class_map *call_sites_classes(struct call_sites *sites, uint64_t load_bias,
					   const struct class_type **ret_classes,
					   size_t *ret_n_classes);
