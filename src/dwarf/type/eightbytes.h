/*
 * How the ABI passes and returns a type: the classes of its eightbytes.
 *
 * Source: System V x86-64 psABI, section 3.2.3; Itanium C++ ABI, sections 3.1.2 and 3.1.4.
 */
#pragma once

#include "type.h"

enum eightbyte_class {
	EIGHTBYTE_NONE, /* padding */
	EIGHTBYTE_INTEGER,
	EIGHTBYTE_SSE,
	EIGHTBYTE_SSE_UPPER, /* upper part of the previous one's vector register */
	EIGHTBYTE_X87,
	EIGHTBYTE_MEMORY,
};

/* Can objects of a C++ class be in registers at all? */
enum eightbyte_copy {
	EIGHTBYTE_BY_VALUE,
	EIGHTBYTE_BY_REFERENCE, /* copying or destroying it is not trivial */
	EIGHTBYTE_UNCERTAIN,    /* the debug information does not say */
};

struct eightbytes {
	enum eightbyte_class classes[2]; /* MEMORY: both */
	uint64_t size;                   /* of the type, in bytes */
};

/* Classify @type. False: it is not understood, and *@ret_why is a phrase with the reason. */
bool eightbytes_classify(const struct type *type, struct eightbytes *ret, const char **ret_why);

enum eightbyte_copy eightbytes_copy(const struct type *type);
