/* Joins the scope of a call site with the compiler of expressions. */
#include "call_shown.h"

#include "call_scope.h"
#include "dwarf/written/written_shown.h"

static bool spot_open(const struct call_spot *spot, struct call_scope *scope,
		      struct written_place *ret, struct err *err)
{
	if (!call_sites_scope(spot->sites, spot->addr, spot->place, scope))
		return err_set(err, ERR_NOT_FOUND,
			       "nothing is known there: there is no debug information");
	*ret = (struct written_place){
		.function = scope->function,
		.addr = spot->addr,
		.frame = &scope->frame,
		.sources = scope->sources,
		.limits = &scope->limits,
	};
	return true;
}

bool call_shown_make(const struct call_spot *spot, const char *expression, struct arena *arena,
		     struct shown *ret, struct err *err)
{
	struct written_place place;
	struct call_scope scope;

	return spot_open(spot, &scope, &place, err) &&
	       written_shown_make(&place, expression, arena, ret, err);
}

bool call_shown_type(const struct call_spot *spot, const char *text, struct arena *arena,
		     const char **ret, struct err *err)
{
	struct written_place place;
	struct call_scope scope;

	return spot_open(spot, &scope, &place, err) &&
	       written_shown_type(&place, text, arena, ret, err);
}

size_t call_shown_names(const struct call_spot *spot, bool parameters, struct arena *arena,
			const char *const **ret)
{
	struct written_place place;
	struct call_scope scope;
	struct err ignored;

	return spot_open(spot, &scope, &place, &ignored)
		       ? written_shown_names(&place, parameters, arena, ret)
		       : 0;
}
