/* One side of a merge: the functions that asked, or the calls that served. Private to merge/. */
#pragma once

#include "core/samples/samples.h"
#include "merge.h"

/* `expression` of `function` names a request. */
struct merge_name {
	char *function, *expression;
};

/* A call that worked for others. */
struct served_call {
	const struct samples *samples;
	size_t row;
	int64_t stop_ns;             /* what a stop costs beyond the time that is seen */
	double clock;                /* its host's; NAN: not known */
	uint64_t began_ns, ended_ns; /* by it; ended_ns 0: not known */
};

/* A profile of a side: its tables are those from the first on, until the next one's. */
struct merge_origin {
	size_t first;
	char *program; /* owned; NULL: not known */
	const char *path;
	int64_t started; /* its last run: seconds since 1970 */
};

/* A process of a run of a profile. */
struct merge_process {
	size_t origin;
	int64_t run, process;
};

struct merge_side {
	struct samples **tables; /* [n] owned */
	size_t n, capacity;
	struct merge_origin *origins; /* [n_origins] */
	size_t n_origins, origins_capacity;
	struct served_call *calls; /* [n_calls] of a server's side */
	struct message *messages;  /* [n_calls] what they were asked */
	size_t n_calls, calls_capacity, messages_capacity;
};

/*
 * The functions of the client's profile which asked, or with @name (or NULL) the one that it names.
 * Also ERR_USAGE: there are none.
 */
bool merge_side_clients(const struct merge_request *request, const struct merge_name *name,
			struct merge_side *ret, struct err *err);
/*
 * Add the calls of the server @path likewise. Those within others that serve are left out, unless
 * their functions are named and all of their calls are samples; so are those that nobody is known
 * to have asked, or on connections that are not known, of functions of which not all calls are.
 */
bool merge_side_add_server(const struct merge_request *request, const char *path,
			   const struct merge_name *name, struct merge_side *side, struct err *err);
void merge_side_deinit(struct merge_side *side);

/* The index of @samples among the tables, of which it is one. */
size_t merge_side_table(const struct merge_side *side, const struct samples *samples);

/* The index of the profile that the table is of. */
size_t merge_side_origin(const struct merge_side *side, size_t table);

/* The process that the call of a server is of. */
struct merge_process merge_side_process(const struct merge_side *servers,
					const struct served_call *call);
int merge_side_compare_processes(const struct merge_process *a, const struct merge_process *b);

/* Has any of its functions the metric? */
bool merge_side_measured(const struct merge_side *side, enum metric metric);

/* What the call @row of @samples asked, or by @name: @ret[MESSAGE_ASKED_MOST]. */
void merge_side_asked(const struct samples *samples, size_t row, const struct merge_name *name,
		      struct message *ret);

/* The host's clock that the call's moments are of; NAN: not known. */
double merge_side_clock(const struct samples *samples, size_t row);

/* The clock of a run, and when it began by it: kept from call to call, zeroed before the first. */
struct merge_run {
	const struct samples *samples;
	int64_t run;
	double clock; /* NAN: not known */
	uint64_t began_ns;
};

/* When the call began and ended, by its host's clock; false: it is not known. */
bool merge_side_when(const struct samples *samples, size_t row, struct merge_run *run,
		     uint64_t *ret_began_ns, uint64_t *ret_ended_ns);

/* The number in a cell; NAN: absent, or no such column. */
double merge_side_number(const struct samples *samples, size_t row, enum column_role role,
			 const char *name);
