/*
 * Features: the values that a cost may depend on. A feature is known by its native expression, as a
 * programmer of the target would write it in the function's scope and a debugger would understand
 * it: `this->items.size()`, `strlen(zSql)`.
 */
#pragma once

#include <stdbool.h>

/* The types of the annotation language. */
enum feature_type {
	FEATURE_BOOL,
	FEATURE_INT,
	FEATURE_FLOAT,
	FEATURE_STRING,
	FEATURE_ENUM,
	FEATURE_CLASS,
	FEATURE_TYPE_COUNT,
};

enum provenance {
	FROM_PARAMETER, /* parameters, `this`, and what is reached from them */
	FROM_GLOBAL,
	FROM_SYSTEM,
	FROM_RETURN, /* known only when the call returns */
	FROM_IMPORT, /* a column of an imported table */
	PROVENANCE_COUNT,
};

/* The name of a value of a categorical feature: an enumerator, a class. */
struct label {
	double number;
	const char *name;
};

/* FROM_SYSTEM: what machine and process were doing when the call began. */
enum system_value {
	SYSTEM_CPU_CLOCK,    /* of the thread's processor, MHz */
	SYSTEM_THREADS,      /* of the process */
	SYSTEM_LOAD,         /* runnable threads of the machine, average of a minute */
	SYSTEM_FREE_MEMORY,  /* free memory, bytes */
	SYSTEM_CALL,         /* calls of the function before this one, in this run */
	SYSTEM_MEMORY_LIMIT, /* of the control group, bytes */
	SYSTEM_MEMORY_LEFT,  /* what the control group may still have, bytes */
	SYSTEM_PRESSURE_CPU, /* share of 10 s in which some waited for it, in %; as the next two */
	SYSTEM_PRESSURE_MEMORY, /* for memory that was taken away */
	SYSTEM_PRESSURE_IO,     /* for disks */
	SYSTEM_PROCESSORS,      /* that the thread may run on */
	SYSTEM_NETWORK,         /* bytes a second through all interfaces but lo */
	SYSTEM_VALUE_COUNT,
};

/*
 * How a call ended: known only at its end, so FROM_RETURN. A categorical feature, which samples
 * have only where some call did not return: without it, all did.
 */
enum call_exit {
	CALL_RETURNED,
	CALL_THROWN, /* an exception left it, or the end of its thread */
	CALL_JUMPED, /* longjmp left it */
	CALL_EXIT_COUNT,
};

#define FEATURE_EXIT "exit"

struct system_info {
	const char *expression; /* "system.cpu_clock" */
	enum feature_type type;
	const char *explanation;
	bool is_asked; /* read only if somebody names it */
};

/* Parts of a program that each run may have elsewhere; what is known of them is in core/run.h. */
enum layout_part { LAYOUT_STACK, LAYOUT_ENVIRONMENT, LAYOUT_HEAP, LAYOUT_PAGES, LAYOUT_PARTS };

/* "layout.stack", …: features of all calls of a run. */
const char *feature_layout_name(enum layout_part part);

const struct system_info *feature_system_info(enum system_value value);

/* The one with this expression; SYSTEM_VALUE_COUNT: none. */
enum system_value feature_system_find(const char *expression);

extern const struct label feature_exit_labels[CALL_EXIT_COUNT];

const char *feature_type_name(enum feature_type type);
const char *feature_provenance_name(enum provenance provenance);

/* The value of this name; FEATURE_TYPE_COUNT or PROVENANCE_COUNT if there is none. */
enum feature_type feature_type_parse(const char *name);
enum provenance feature_provenance_parse(const char *name);
