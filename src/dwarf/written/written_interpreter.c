/*
 * The table of interpreters. Names of functions are part of the program, not data that it works
 * on, so they are categories without --strings.
 */
#include "written_interpreter.h"

#include <string.h>

#include "written_compile.h"
#include "written_scope.h"

/*
 * Expressions of written_parse.h: where the characters of the name are, and how many; and a number
 * that tells functions of one name apart, if the language does not name them. Of the rows of a
 * function the first counts whose names exist, so versions stand side by side.
 */
static const struct interpreter_row {
	const char *function, *feature, *text, *length;
	const char *line_feature, *line; /* NULL: none */
} interpreter_rows[] = {
	/*
	 * CPython. A name that is not ASCII lies elsewhere: dividing by 0 leaves it absent. From
	 * 3.11 on, calls from Python to Python stay within one call of this function.
	 */
	{"_PyEval_EvalFrameDefault", "python.function",
	 "(char *)((PyASCIIObject *)frame->f_code->co_name + 1)",
	 "((PyASCIIObject *)frame->f_code->co_name)->length / "
	 "((PyASCIIObject *)frame->f_code->co_name)->state.ascii",
	 NULL, NULL},
	{"_PyEval_EvalFrameDefault", "python.function",
	 "(char *)((PyASCIIObject *)f->f_code->co_name + 1)",
	 "((PyASCIIObject *)f->f_code->co_name)->length / "
	 "((PyASCIIObject *)f->f_code->co_name)->state.ascii",
	 NULL, NULL},
	/*
	 * Lua: from 5.4.5 on, 5.4, 5.2 and 5.3, 5.1. Its functions have no names, but a source
	 * ("@FILE", or the text itself) and the line they begin in; 0: its own code. Calls from Lua
	 * to Lua stay within one call.
	 */
	{"luaV_execute", "lua.source",
	 "(char *)((LClosure *)ci->func.p->val.value_.gc)->p->source->contents",
	 "strlen((char *)((LClosure *)ci->func.p->val.value_.gc)->p->source->contents)", "lua.line",
	 "((LClosure *)ci->func.p->val.value_.gc)->p->linedefined"},
	{"luaV_execute", "lua.source",
	 "(char *)((LClosure *)ci->func->val.value_.gc)->p->source->contents",
	 "strlen((char *)((LClosure *)ci->func->val.value_.gc)->p->source->contents)", "lua.line",
	 "((LClosure *)ci->func->val.value_.gc)->p->linedefined"},
	{"luaV_execute", "lua.source",
	 "(char *)(((LClosure *)L->ci->func->value_.gc)->p->source + 1)",
	 "strlen((char *)(((LClosure *)L->ci->func->value_.gc)->p->source + 1))", "lua.line",
	 "((LClosure *)L->ci->func->value_.gc)->p->linedefined"},
	{"luaV_execute", "lua.source",
	 "(char *)(((LClosure *)L->ci->func->value.gc)->p->source + 1)",
	 "strlen((char *)(((LClosure *)L->ci->func->value.gc)->p->source + 1))", "lua.line",
	 "((LClosure *)L->ci->func->value.gc)->p->linedefined"},
	/* MuJS: each call is one. */
	{"jsR_run", "javascript.function", "(char *)F->name", "strlen((char *)F->name)",
	 "javascript.line", "F->line"},
};

static bool compile_loaded(struct feature_search *finder, struct written_scope *scope,
			   const char *expression, struct written_value *ret)
{
	const struct written *tree;
	struct err ignored;

	return written_parse(expression, finder->arena, &tree, NULL, &ignored) &&
	       written_compile(&scope->maker, tree, ret) &&
	       written_value_load(&scope->maker, ret) && !ret->at.steps.overflow;
}

/* An enumeration without names: no order of lines explains a cost. */
static void interpreter_add_line(struct feature_search *finder, struct written_scope *scope,
				 const struct interpreter_row *row)
{
	const struct node node = {.expression = row->line_feature,
				  .explanation = "the line in which that function begins"};
	const struct read_plan shape = {.result = PLAN_SIGNED, .size = 8};
	struct written_value line;

	if (row->line && compile_loaded(finder, scope, row->line, &line))
		feature_search_emit(finder, &node, &line.at, FEATURE_ENUM, shape);
}

static bool interpreter_add(struct feature_search *finder, Dwarf_Die *die,
			    struct written_roots *roots, const struct interpreter_row *row)
{
	struct written_scope scope = {
		.maker = {.finder = finder, .function = die, .find = written_scope_find},
		.roots = roots};
	struct node name = {.object = row->feature,
			    .explanation = "what names the function that it interprets"};
	struct written_value text, length;

	if (!compile_loaded(finder, &scope, row->text, &text) ||
	    !compile_loaded(finder, &scope, row->length, &length))
		return false;
	feature_search_text(finder, &text.at, &name.text);
	finder->provenance = FROM_PARAMETER;
	feature_search_emit_name(finder, &name, &length.at.steps);
	interpreter_add_line(finder, &scope, row);
	return true;
}

void written_interpreter_find(struct feature_search *finder, Dwarf_Die *die)
{
	const char *function = dwarf_diename(die);
	struct written_roots roots = written_scope_roots(finder);

	finder->full = false;
	for (size_t i = 0; function && i < sizeof(interpreter_rows) / sizeof(*interpreter_rows);
	     i++)
		if (!strcmp(interpreter_rows[i].function, function) &&
		    interpreter_add(finder, die, &roots, &interpreter_rows[i]))
			break;
	feature_search_deinit(&roots.search);
}
