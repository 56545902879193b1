/*
 * Features: the values that a cost may depend on.
 *
 * A feature is known by its native expression, which a programmer of the target would write in the
 * function's scope and a debugger would understand: `this->_M_impl._M_node._M_size`,
 * `strlen(zSql)`.
 */
#ifndef FATHOM_CORE_FEATURE_H
#define FATHOM_CORE_FEATURE_H

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

const char *feature_type_name(enum feature_type type);
const char *provenance_name(enum provenance provenance);

/* The value called @name; FEATURE_TYPE_COUNT or PROVENANCE_COUNT if there is none. */
enum feature_type feature_type_parse(const char *name);
enum provenance provenance_parse(const char *name);

#endif
