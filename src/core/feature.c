/*
 * Names of feature types and provenances, and the table of system values. What reads them is in
 * trace/.
 */
#include "feature.h"

#include <string.h>

static const char *const types[FEATURE_TYPE_COUNT] = {
	[FEATURE_BOOL] = "bool",     [FEATURE_INT] = "int",   [FEATURE_FLOAT] = "float",
	[FEATURE_STRING] = "string", [FEATURE_ENUM] = "enum", [FEATURE_CLASS] = "class",
};

static const char *const provenances[PROVENANCE_COUNT] = {
	[FROM_PARAMETER] = "parameter", [FROM_GLOBAL] = "global", [FROM_SYSTEM] = "system",
	[FROM_RETURN] = "return",       [FROM_IMPORT] = "import",
};

const struct label feature_exit_labels[CALL_EXIT_COUNT] = {
	{CALL_RETURNED, "returned"}, {CALL_THROWN, "thrown"}, {CALL_JUMPED, "jumped"}};

static const struct system_info system_values[SYSTEM_VALUE_COUNT] = {
	[SYSTEM_CPU_CLOCK] = {"system.cpu_clock", FEATURE_FLOAT, "MHz of the thread's processor"},
	[SYSTEM_THREADS] = {"system.threads", FEATURE_INT, "threads of the process"},
	[SYSTEM_LOAD] = {"system.load", FEATURE_FLOAT, "load of the machine, of a minute"},
	[SYSTEM_FREE_MEMORY] = {"system.free_memory", FEATURE_INT, "bytes of free memory"},
	[SYSTEM_CALL] = {"system.call", FEATURE_INT, "calls of the function before this one"},
	[SYSTEM_MEMORY_LIMIT] = {"system.memory_limit", FEATURE_INT,
				 "bytes that the control group may have", true},
	[SYSTEM_MEMORY_LEFT] = {"system.memory_left", FEATURE_INT,
				"bytes that the control group may still have", true},
	[SYSTEM_PRESSURE_CPU] = {"system.pressure_cpu", FEATURE_FLOAT,
				 "% of 10 s in which some waited for a processor", true},
	[SYSTEM_PRESSURE_MEMORY] = {"system.pressure_memory", FEATURE_FLOAT,
				    "% of 10 s in which some waited for memory", true},
	[SYSTEM_PRESSURE_IO] = {"system.pressure_io", FEATURE_FLOAT,
				"% of 10 s in which some waited for disks", true},
	[SYSTEM_PROCESSORS] = {"system.processors", FEATURE_INT,
			       "processors that the thread may run on", true},
	[SYSTEM_NETWORK] = {"system.network", FEATURE_FLOAT,
			    "bytes a second through the network's interfaces", true},
};

const char *feature_layout_name(enum layout_part part)
{
	static const char *const names[LAYOUT_PARTS] = {"layout.stack", "layout.environment",
							"layout.heap", "layout.pages"};

	return names[part];
}

const struct system_info *feature_system_info(enum system_value value)
{
	return &system_values[value];
}

enum system_value feature_system_find(const char *expression)
{
	int i;

	for (i = 0; i < SYSTEM_VALUE_COUNT; i++)
		if (!strcmp(system_values[i].expression, expression))
			break;
	return i;
}

static int keyword_find(const char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return n;
}

const char *feature_type_name(enum feature_type type)
{
	return types[type];
}

const char *feature_provenance_name(enum provenance provenance)
{
	return provenances[provenance];
}

enum feature_type feature_type_parse(const char *name)
{
	return keyword_find(types, FEATURE_TYPE_COUNT, name);
}

enum provenance feature_provenance_parse(const char *name)
{
	return keyword_find(provenances, PROVENANCE_COUNT, name);
}
