/*
 * Bounded demangling by libiberty, and names built from scopes. core/cxx_name.c makes the canonical
 * form.
 */
#include "die_name.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/cxx_name.h"
#include "die.h"

enum {
	MANGLED_MAX = 4096,    /* the demangler's stack grows with its input */
	DEMANGLED_MAX = 65536, /* a short mangled name can expand without bound */
};

struct demangling {
	struct text text;
	jmp_buf stop;
};

/*
 * The demangler has no way to abort; it holds no resources but its stack, so a longjmp out is safe.
 */
static void piece_add(const char *piece, size_t n, void *self)
{
	struct demangling *demangling = self;

	if (demangling->text.n + n > DEMANGLED_MAX)
		longjmp(demangling->stop, 1);
	text_add(&demangling->text, piece, n);
}

static bool demangle(const char *linkage, struct demangling *demangling)
{
	const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP | DMGL_NO_RECURSE_LIMIT;

	if (setjmp(demangling->stop))
		return false;
	/* Rust's older mangling is C++'s plus a final hash, which only this call removes. */
	if (rust_demangle_callback(linkage, options, piece_add, demangling))
		return true;
	text_cut(&demangling->text, 0);
	return cplus_demangle_v3_callback(linkage, options, piece_add, demangling);
}

const char *die_name_demangle(const char *linkage, struct arena *arena)
{
	struct demangling *demangling;
	const char *ret = NULL;

	if (linkage[0] != '_' || (linkage[1] != 'Z' && linkage[1] != 'R') ||
	    strlen(linkage) > MANGLED_MAX)
		return NULL;
	demangling = mem_alloc(sizeof(*demangling));
	if (demangle(linkage, demangling) && demangling->text.n)
		ret = arena_strdup(arena, demangling->text.bytes);
	text_deinit(&demangling->text);
	free(demangling);
	return ret;
}

static const char *scoped(const char *scope, const char *name, struct arena *arena)
{
	return *scope ? arena_printf(arena, "%s::%s", scope, name) : name;
}

/* The suffix of a split-off part, or of a copy for certain arguments: `f.part.0`. */
static const char *clone_suffix(const char *symbol, const char *linkage)
{
	const size_t n = strlen(linkage);

	return symbol && !strncmp(symbol, linkage, n) && symbol[n] == '.' ? symbol + n : NULL;
}

bool die_name(const struct elf_file *image, Dwarf_Die *die, const char *scope, uint64_t entry_addr,
	      struct arena *arena, struct die_naming *ret)
{
	const char *plain = dwarf_diename(die);
	const char *linkage = die_linkage(die);
	const char *symbol = NULL, *suffix, *demangled;

	if (!plain || !*plain)
		return false;
	if (entry_addr)
		symbol = elf_file_symbol(image, entry_addr, linkage ? linkage : plain);
	if (!linkage)
		linkage = symbol && die_name_demangle(symbol, arena) ? symbol : plain;
	demangled = die_name_demangle(linkage, arena);
	ret->name = cxx_name_canonical(arena, demangled ? demangled : scoped(scope, plain, arena));
	suffix = clone_suffix(symbol, linkage);
	if (suffix)
		ret->name = arena_printf(arena, "%s [clone %s]", ret->name, suffix);
	ret->linkage = arena_strdup(arena, suffix ? symbol : linkage);
	return true;
}
