/* Names and phrases for the reasons why a value can be absent. */
#include "value.h"

#include <string.h>

static const struct {
	const char *name;
	const char *meaning;
	bool is_missing;
} absences[ABSENCE_COUNT] = {
	[PRESENT] = {"present", "it was read"},
	[ABSENT_NULL] = {"null", "a pointer on the way is null", true},
	[ABSENT_UNREADABLE] = {"unreadable", "its memory cannot be read", true},
	[ABSENT_OPTIMIZED_OUT] = {"optimized-out", "optimised out at the probe address"},
	[ABSENT_UNSUPPORTED] = {"unsupported", "its type or location cannot be read by fathom"},
	[ABSENT_TOO_LONG] = {"too-long", "the string has no end within the limit", true},
	[ABSENT_NOT_FINITE] = {"not-finite", "it is infinite or not a number", true},
	[ABSENT_NOT_MEASURED] = {"not-measured", "the run did not read it"},
	[ABSENT_OTHER_CLASS] = {"other-class", "the object is of another class", true},
	[ABSENT_UNKNOWN_CLASS] = {"unknown-class", "no symbol says which class the object has",
				  true},
	[ABSENT_OTHER_THREAD] = {"other-thread",
				 "the call ended in another thread than it began in"},
	[ABSENT_CALLEE] = {"callee", "what a measured callee cost is not known"},
	[ABSENT_NOT_COUNTED] = {"not-counted", "there was no counter for it during the whole call"},
	[ABSENT_NOT_REACHED] = {"not-reached", "the call did not come there", true},
	[ABSENT_LOOPED] = {"looped", "a call came to the branch more than once"},
	[ABSENT_UNCERTAIN] = {"uncertain", "what was seen has more than one explanation"},
	[ABSENT_WRITTEN] = {"written", "the function writes it before it reads it"},
	[ABSENT_EMPTY] = {"empty", "the container is empty", true},
	[ABSENT_TOO_DEEP] = {"too-deep", "deeper than --max-depth"},
	[ABSENT_CUT] = {"cut", "beyond --max-features"},
	[ABSENT_INCOMPLETE] = {"incomplete", "no debug information that is here defines it"},
	[ABSENT_CORRUPT] = {"corrupt", "the container's parts contradict each other", true},
	[ABSENT_VARIOUS] = {"various", "there are too many different texts"},
	[ABSENT_NOT_ASKED] = {"not-asked",
			      "as it had not mattered, it was read in a tenth of the calls"},
	[ABSENT_UNMATCHED] = {"unmatched", "which calls of servers worked for it is not known"},
	[ABSENT_UNKNOWN_REGISTER] = {"unknown-register",
				     "it was in a register that calls further in have used"},
};

const char *value_absence_name(enum absence absence)
{
	return absences[absence].name;
}

const char *value_absence_meaning(enum absence absence)
{
	return absences[absence].meaning;
}

bool value_is_missing(enum absence absence)
{
	return absences[absence].is_missing;
}

bool value_is_left_out(enum absence absence)
{
	return absence == ABSENT_TOO_DEEP || absence == ABSENT_CUT || absence == ABSENT_INCOMPLETE;
}

enum absence value_absence_parse(const char *name)
{
	enum absence absence;

	for (absence = PRESENT; absence < ABSENCE_COUNT; absence++)
		if (!strcmp(absences[absence].name, name))
			return absence;
	return ABSENCE_COUNT;
}
