/*
 * Types that written expressions name in casts. Private to written_feature.h.
 */
#pragma once

#include "feature_search.h"

/* A type, and pointers to it that the debug information need not have. */
struct written_type {
	struct type type;
	unsigned pointers;
};

/*
 * The type @name ("unsigned long", "struct node", "ns::Node", a typedef), for the function @die: of
 * its unit, else of any unit of its module. False: there is none.
 */
bool written_type_find(struct feature_search *finder, Dwarf_Die *die, const char *name,
		       struct type *ret);

/* What it points to. False: it is no pointer. */
bool written_type_target(struct feature_search *finder, const struct written_type *pointer,
			 struct written_type *ret);

/* Its size in bytes. False: it has none. */
bool written_type_size(const struct written_type *type, uint64_t *ret);

/*
 * The offset of the base class @base in objects of class @derived. False: it is none, or a virtual
 * one, whose offset depends on the object.
 */
bool written_type_base(struct feature_search *finder, const struct type *derived,
		       const struct type *base, uint64_t *ret);

/* "struct node", "node *", for messages; in the finder's arena. */
const char *written_type_name(struct feature_search *finder, const struct written_type *type);
