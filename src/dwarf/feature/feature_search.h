/*
 * The finder: what the files that look for features share. Private to function_features.h.
 *
 * A node is something with a location and a type that has not been looked at. Nodes wait in a
 * queue, so that what is near is found first; looking at one finds features and pushes the nodes
 * that are a step away.
 */
#pragma once

#include "function_features.h"
#include "dwarf/type/members.h"
#include "dwarf/type/type.h"

enum { FINDER_NAME_MAX = 256, FINDER_DEPTH_COUNTS = 64 };

struct node {
	const char *expression;  /* NULL: it cannot be written, and is passed over */
	const char *explanation; /* of its feature; NULL: where it is */
	const char *name;        /* of the member or parameter, NULL if it is neither */
	const struct base_path *base;
	struct location at;
	struct type type;
	struct member_bits bits;
	unsigned depth;
	bool in_union;
	bool is_reference; /* reached through one: its class is known only at run time */
	bool is_this;      /* never null */
	bool is_const;     /* something around it says that it does not change */
	bool is_shadow;    /* a member that is not wanted, but whose name is taken */
};

/* A feature before the limit on their number. */
struct found_feature {
	struct feature feature;
	struct type type; /* whose enumerators are the labels */
	size_t order;
};

struct feature_search {
	struct arena *arena; /* of all that the search needs; what is kept is copied */
	const struct frame_base *frame;
	const struct function_features *sources;
	const struct feature_limits *limits;
	enum provenance provenance; /* of what is found now */
	struct node *queue;
	size_t n_queued, queue_capacity, next;
	struct found_feature *found;
	size_t n_found, found_capacity;
	size_t n_earlier;                       /* features with a plan, of other provenances */
	size_t n_at_depth[FINDER_DEPTH_COUNTS]; /* the same of this one, by depth */
	/*
	 * The limit is reached: what is still found is only counted, and nothing is looked up for
	 * it.
	 */
	bool full;
	bool wished_only; /* what nobody wishes for by name is passed over */
	size_t n_counted; /* nodes looked at since */
	size_t cut;       /* nodes that were not looked at */
	size_t deep;      /* places not looked into */
	struct seen *seen;
	struct qualified *qualified;
};

void feature_search_deinit(struct feature_search *finder);

/* Is there room for another node? */
bool feature_search_has_room(const struct feature_search *finder);

/* Remember an expression; false: it is there already. */
bool feature_search_claim(struct feature_search *finder, const char *expression);

/* What @die says about its type, looked up in other units if its own only declares it. */
struct type feature_search_type(struct feature_search *finder, Dwarf_Die *die);

/* The name of the class @die with its scopes; it lives as long as the finder. */
const char *feature_search_qualified(struct feature_search *finder, Dwarf_Die *die);

/* False: there is no room. */
bool feature_search_push(struct feature_search *finder, const struct node *node);

/*
 * Add the feature @node->expression, whose value @at's steps leave on the stack as @shape's result
 * and size say; if @at is nowhere, as one that cannot be read.
 */
void feature_search_emit(struct feature_search *finder, const struct node *node,
			 const struct location *at, enum feature_type type, struct read_plan shape);

/* Add the feature @node->expression as one that cannot be read. */
void feature_search_tell(struct feature_search *finder, const struct node *node,
			 enum absence absence, const char *why);

/*
 * May there be something a step away from @node? If not, that is counted, and told of a variable
 * that yields nothing at all, when @why is not NULL.
 */
bool feature_search_step(struct feature_search *finder, const struct node *node, const char *why);

/* Is something a step away from @node looked for, or something further that is wished for? */
bool feature_search_goes_on(const struct feature_search *finder, const struct node *node);

/* Is a feature that is wished for not found so far? */
bool feature_search_lacks_required(const struct feature_search *finder);

/* Does a feature that is wished for begin with, or go through, @expression? */
bool feature_search_leads_there(const struct feature_search *finder, const char *expression);
bool feature_search_is_required(const struct feature_limits *limits, const char *expression);

/*
 * A reference reads as what it refers to, under the same name. False: there is no end of them, or
 * it cannot be read.
 */
bool feature_search_references(struct feature_search *finder, struct node *node);

/* `(*p)` of `*p`, so that something can stand behind it. */
const char *feature_search_operand(struct feature_search *finder, const char *expression);

/* From now on what is found is of @provenance. */
void feature_search_begin(struct feature_search *finder, enum provenance provenance);

/* Look at all nodes in the queue: @visit finds features of one, and pushes what is a step away. */
typedef void node_visitor(struct feature_search *finder, struct node *node);
void feature_search_run(struct feature_search *finder, node_visitor *visit);
