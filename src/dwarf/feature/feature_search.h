/*
 * The state of a search for features, shared by the files that find them. Private to
 * feature_list.h.
 *
 * A node is something with a location and a type, not visited yet. Nodes wait in a queue, so that
 * near ones come first; a visit finds features, and pushes the nodes one step away.
 */
#pragma once

#include "function_features.h"
#include "dwarf/type/members.h"
#include "dwarf/type/type.h"

enum { FINDER_NAME_MAX = 256, FINDER_DEPTH_COUNTS = 64 };

struct node {
	const char *expression;  /* NULL: it has none, and is skipped */
	const char *explanation; /* of its feature; NULL: its location */
	const char *object;      /* of which its feature is the length or size; NULL: none */
	struct read_plan text;   /* see struct feature */
	const char *name;        /* of the member or parameter, NULL if neither */
	const struct base_path *base;
	struct location at;
	struct type type;
	struct member_bits bits;
	unsigned depth;
	bool in_union;
	bool is_reference;    /* reached through one: its class may be known only at run time */
	bool is_this;         /* never null */
	const char *known_as; /* of a pointer: how its type is known better than by declaration */
	bool is_cast;         /* it has that type; the declared one has the null test */
	bool is_const;        /* it or something around it is const */
	bool is_shadow;       /* not wanted, but it takes its name */
	bool is_part;         /* shown with the container that it is in, beyond the limits */
};

/* What kind of expression names an object. */
enum operand {
	OPERAND_OBJECT,  /* the object: `o.m` */
	OPERAND_POINTER, /* a pointer to it: `p->m` */
};

/* A feature found, before the limit applies. */
struct found_feature {
	struct feature feature;
	struct type type; /* whose enumerators are the labels */
	size_t order;
};

struct feature_search {
	struct arena *arena; /* scratch; kept features are copied */
	const struct frame_base *frame;
	const struct function_features *sources;
	const struct feature_limits *limits;
	enum provenance provenance; /* of the features found now */
	struct node *queue;
	size_t n_queued, queue_capacity, next;
	struct found_feature *found;
	size_t n_found, found_capacity;
	size_t n_earlier;                       /* features with a plan, of earlier provenances */
	size_t n_at_depth[FINDER_DEPTH_COUNTS]; /* the same of this provenance, by depth */
	/* The limit is reached: the rest is only counted, without lookups. */
	bool full;
	bool required_only; /* skip all but required features and the way to them */
	size_t n_counted;   /* nodes visited since */
	size_t cut;         /* nodes not visited */
	size_t deep;        /* places beyond max_depth */
	size_t n_deep_named;
	size_t n_parts; /* elements of containers that are pushed as parts */
	/*
	 * Push what is read of a container, if @node is one (@node->expression: it, or a pointer to
	 * it). NULL: there are none.
	 */
	bool (*container)(struct feature_search *finder, const struct node *node,
			  enum operand operand);
	struct seen *seen;
	struct qualified *qualified;
};

void feature_search_deinit(struct feature_search *finder);

/* Can another node be pushed? */
bool feature_search_has_room(const struct feature_search *finder);

/* Record an expression; false: already taken. */
bool feature_search_claim(struct feature_search *finder, const char *expression);

/* The type of @die, completed from other units if only declared here. */
struct type feature_search_type(struct feature_search *finder, Dwarf_Die *die);

/* The qualified name of the class @die; it lives as long as the finder. */
const char *feature_search_qualified(struct feature_search *finder, Dwarf_Die *die);

/* False: no room. */
bool feature_search_push(struct feature_search *finder, const struct node *node);

/*
 * Add the feature @node->expression, whose value @at's steps leave on the stack, with @shape's
 * result and size; if @at is LOCATION_ABSENT, as an unreadable one.
 */
void feature_search_emit(struct feature_search *finder, const struct node *node,
			 const struct location *at, enum feature_type type, struct read_plan shape);

/* The plan that leaves the address at which @at's steps end; none if it is too long. */
void feature_search_text(struct feature_search *finder, const struct location *at,
			 struct read_plan *ret);

/* Steps from the address of a string to the length of what may be a category, in @size bytes. */
void feature_search_push_length(struct steps *steps, uint64_t size);

/*
 * Add the text of @length->object as a feature if strings are: behind the steps to @length->text,
 * those of @n leave its length.
 */
void feature_search_emit_text(struct feature_search *finder, const struct node *length,
			      const struct steps *n);

/* The same of a name in the program's own code, whatever its length, without being asked to. */
void feature_search_emit_name(struct feature_search *finder, const struct node *length,
			      const struct steps *n);

/* Add @node->expression as an unreadable feature. */
void feature_search_report(struct feature_search *finder, const struct node *node,
			   enum absence absence, const char *why);

/*
 * Name what would be looked into, one of the first such places: of a pointer `*p`, as its nullness
 * is known.
 */
void feature_search_leave_out(struct feature_search *finder, const struct node *node,
			      enum absence absence);

/*
 * May nodes one step away from @node be visited? If not, counts that, and if @why is not NULL adds
 * an unreadable feature for a variable that yields nothing at all.
 */
bool feature_search_step(struct feature_search *finder, const struct node *node, const char *why);

/* Does the search go one step beyond @node, within the limits or towards a required feature? */
bool feature_search_goes_on(const struct feature_search *finder, const struct node *node);

/* Is @expression found? */
bool feature_search_has(const struct feature_search *finder, const char *expression);

/* Is some required feature not found yet? */
bool feature_search_lacks_required(const struct feature_search *finder);

/* Does a required feature begin with, or go through, @expression? */
bool feature_search_leads_there(const struct feature_search *finder, const char *expression);
bool feature_search_is_required(const struct feature_limits *limits, const char *expression);

/*
 * Follow references: a reference's features have the target's values and its own name. False:
 * endless or unreadable.
 */
bool feature_search_references(struct feature_search *finder, struct node *node);

/* `(*p)` of `*p`, so that an operator can follow. */
const char *feature_search_operand(struct feature_search *finder, const char *expression);

/* Start the search for features of @provenance. */
void feature_search_begin(struct feature_search *finder, enum provenance provenance);

/*
 * Visit all nodes in the queue: @visit emits a node's features, and pushes the nodes one step away.
 */
typedef void node_visitor(struct feature_search *finder, struct node *node);
void feature_search_run(struct feature_search *finder, node_visitor *visit);
