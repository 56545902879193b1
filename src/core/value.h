/*
 * Values: a number read from the inferior, or the reason why there is none.
 * Absent is an answer, never 0 and never an error; doc/absence.md says where
 * each reason arises.
 */
#pragma once

#include <stdbool.h>

/* Profiles store the name (value_absence_name()); the numbers may change. */
enum absence {
	PRESENT = 0,
	ABSENT_NULL,             /* a pointer on the way to the value is null */
	ABSENT_UNREADABLE,       /* the memory is not mapped, or not readable */
	ABSENT_OPTIMIZED_OUT,    /* the compiler does not keep it at the probe address */
	ABSENT_UNSUPPORTED,      /* a DWARF operator or type that fathom does not read */
	ABSENT_TOO_LONG,         /* no end of a string within the limit */
	ABSENT_NOT_FINITE,       /* a float that is infinite or not a number */
	ABSENT_NOT_MEASURED,     /* the run that took the sample did not read it */
	ABSENT_OTHER_CLASS,      /* the object's run-time class has no such member */
	ABSENT_UNKNOWN_CLASS,    /* no vtable symbol says which class the object has */
	ABSENT_UNKNOWN_REGISTER, /* calls further in have since reused its register */
	ABSENT_OTHER_THREAD,     /* the call ended in another thread than it began in */
	ABSENT_CALLEE,           /* what a measured callee cost is not known */
	ABSENT_NOT_REACHED,      /* the call did not come to the branch, or to a return */
	ABSENT_LOOPED,           /* some call came to the branch more than once */
	/* no counter ran for the thread during the whole call */
	ABSENT_NOT_COUNTED,
	ABSENT_UNCERTAIN,  /* the observations have several explanations */
	ABSENT_WRITTEN,    /* the function writes it before it reads it: no input */
	ABSENT_EMPTY,      /* the container has no elements */
	ABSENT_TOO_DEEP,   /* a place that the search did not look into */
	ABSENT_CUT,        /* a feature beyond the limit of their number */
	ABSENT_INCOMPLETE, /* what is behind a pointer, which no debug information describes */
	ABSENT_CORRUPT,    /* the container's parts contradict each other */
	ABSENT_VARIOUS,    /* a text, of which there are too many different ones */
	ABSENT_UNMATCHED,  /* which calls of a server worked for the call is not known */
	ABSENT_NOT_ASKED,  /* it had not mattered, and was read in a tenth of the calls only */
	ABSENCE_COUNT,
};

struct value {
	double number; /* meaningful only when PRESENT */
	enum absence absence;
};

/* A word for machines ("null") and a phrase for people ("a pointer on the way
 * is null"). */
const char *value_absence_name(enum absence absence);
const char *value_absence_meaning(enum absence absence);

/* Is there nothing to read in the call, whoever looks? */
bool value_is_missing(enum absence absence);

/* Is it a limit of ours? Users can raise it. */
bool value_is_left_out(enum absence absence);

/* The absence of this name; ABSENCE_COUNT if there is none. */
enum absence value_absence_parse(const char *name);
