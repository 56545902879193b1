/*
 * Call sites of one file: for addresses in the middle of functions, what the debug information says
 * of the frames there.
 */
#pragma once

#include "core/catalogue/call_site.h"
#include "catalogue_build.h"

struct call_sites;

/*
 * Of the file @path, which @request's limits, globals and debuginfo_path are for (its patterns are
 * nobody's; what it wishes for is borrowed). It may have no debug information, and no symbols.
 * Errors as catalogue_build().
 */
bool call_sites_open(const char *path, const struct catalogue_request *request,
		     struct call_sites **ret, struct err *err);
void call_sites_close(struct call_sites *sites); /* NULL is fine */

/* Where the file's first segment that is loaded starts, down to its page; link-time. */
uint64_t call_sites_base(const struct call_sites *sites);

/*
 * The site at the link-time address @addr: that of an instruction, or, of a frame that called
 * another one, the return address minus 1, so that it is within the call. It lives as long as
 * @sites, and so does everything in it.
 */
const struct call_site *call_sites_find(struct call_sites *sites, uint64_t addr);

/*
 * The row of that site alone: call frame information is read when the file is opened, so that this
 * takes some microseconds only.
 */
const struct unwind_row *call_sites_row(struct call_sites *sites, uint64_t addr);

/* The site at @addr if it was found before; NULL: it was not. */
const struct call_site *call_sites_known(const struct call_sites *sites, uint64_t addr);

/*
 * The classes that features of the sites found so far may ask for, in a module loaded with
 * @load_bias; valid until the next call. *@ret_classes are the names.
 */
const struct class_map *call_sites_classes(struct call_sites *sites, uint64_t load_bias,
					   const struct class_type **ret_classes,
					   size_t *ret_n_classes);
