/*
 * Features: the values that a cost may depend on.
 *
 * A feature is known by its native expression, which a programmer of the target would write in the
 * function's scope and a debugger would understand: `this->_M_impl._M_node._M_size`,
 * `strlen(zSql)`.
 */
#pragma once

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

/* Where a feature comes from. */
enum provenance {
	FROM_PARAMETER, /* parameters, `this`, and what is reached from them */
	FROM_GLOBAL,
	FROM_SYSTEM,
	FROM_RETURN, /* known only when the call ends */
	FROM_IMPORT, /* a column of an imported table */
	PROVENANCE_COUNT,
};

/* A name of one of a categorical feature's values: an enumerator, a class. */
struct label {
	double number;
	const char *name;
};

/* Features of FROM_SYSTEM: what the machine and the process were doing when the call began. */
enum system_value {
	SYSTEM_CPU_CLOCK,   /* MHz, of the processor that the thread ran on */
	SYSTEM_THREADS,     /* of the process */
	SYSTEM_LOAD,        /* runnable threads of the machine, average of a minute */
	SYSTEM_FREE_MEMORY, /* bytes that no one uses */
	SYSTEM_CALL,        /* calls of the function before this one, in this run */
	SYSTEM_VALUE_COUNT,
};

struct system_info {
	const char *expression; /* "system.cpu_clock" */
	enum feature_type type;
	const char *explanation;
};

const struct system_info *feature_system_info(enum system_value value);

const char *feature_type_name(enum feature_type type);
const char *feature_provenance_name(enum provenance provenance);

/* The value called @name; FEATURE_TYPE_COUNT or PROVENANCE_COUNT if there is none. */
enum feature_type feature_type_parse(const char *name);
enum provenance feature_provenance_parse(const char *name);
