/* The files with code of a process, opened once each, for as long as its frames are looked at. */
#pragma once

#include "dwarf/call_chain.h"
#include "dwarf/catalogue_build.h"
#include "trace/snapshot.h"

struct opened_file {
	const char *path; /* as `opens` of struct mapped_module, or its `path` */
	uint64_t low;
	struct call_sites *sites; /* NULL: see `why_not` */
	struct call_chains *chains;
	const char *why_not;
	uint64_t load_bias;
	const struct class_map *classes;
	const struct class_type *class_types;
	size_t n_class_types;
};

struct opened_files {
	const struct catalogue_request *request; /* borrowed; as of call_sites_open() */
	struct arena *arena;                     /* borrowed */
	struct opened_file **list;
	size_t n, capacity;
};

/* NULL: @module was not opened yet. */
struct opened_file *opened_files_find(const struct opened_files *files,
				      const struct mapped_module *module);

/* Open it, which may take long, and may fail. */
struct opened_file *opened_files_open(struct opened_files *files,
				      const struct mapped_module *module);
void opened_files_deinit(struct opened_files *files);
