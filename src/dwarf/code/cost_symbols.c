/* Reads both symbol tables of a file, and finds the exits of its cost functions. */
#include "cost_symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cost_jumps.h"
#include "cost_parts.h"
#include "function_code.h"
#include "dwarf/file/elf_check.h"

enum {
	FUNCTIONS_MAX = 512, /* per file */
	NAME_MAX_BYTES = 64,
};

void cost_symbols_deinit(struct cost_symbols *symbols)
{
	free(symbols->list);
	*symbols = (struct cost_symbols){0};
}

struct reader {
	const struct catalogue_request *request;
	struct insn_decoder *decoder;
	struct elf_file image;        /* only its ELF part is set */
	struct jump_targets *targets; /* NULL until needed */
	struct cost_symbols *symbols;
	size_t from; /* index of the file's first function */
	unsigned module;
	struct arena *arena;
};

/* Ignores a version suffix: pthread_cond_wait@GLIBC_2.2.5. */
static enum cost_call_kind cost_kind_of(const char *symbol, char name[NAME_MAX_BYTES])
{
	const size_t n = strcspn(symbol, "@");

	if (n >= NAME_MAX_BYTES)
		return COST_KIND_COUNT;
	memcpy(name, symbol, n);
	name[n] = '\0';
	return cost_call_kind(name);
}

/* The unwinder that is linked statically is hidden, so that its symbols are local. */
static bool is_callable(const GElf_Sym *symbol, enum cost_call_kind kind)
{
	return GELF_ST_TYPE(symbol->st_info) == STT_FUNC &&
	       (GELF_ST_BIND(symbol->st_info) != STB_LOCAL || cost_call_leaves(kind)) &&
	       symbol->st_shndx != SHN_UNDEF && symbol->st_value;
}

static struct cost_function *find_listed(const struct reader *reader, uint64_t addr)
{
	for (size_t i = reader->from; i < reader->symbols->n; i++)
		if (reader->symbols->list[i].entry_addr == addr)
			return &reader->symbols->list[i];
	return NULL;
}

/* Of several names prefer the plainest: malloc to an operator new, mmap to mmap64. */
static bool is_plainer(const char *name, const char *than)
{
	const bool mangled = name[0] == '_', was_mangled = than[0] == '_';

	return mangled != was_mangled ? was_mangled : strlen(name) < strlen(than);
}

/* With shadow stacks in mind, an unwinder may leave by a jump. */
static bool exit_is_probed(const struct cost_function *cost, enum exit_kind kind)
{
	return kind == EXIT_RETURN || (cost_call_leaves(cost->kind) && kind == EXIT_INDIRECT_JUMP);
}

/*
 * All its exits, or none. Calls of functions that have other ones than returns end at their return
 * addresses, unless pads see to them. Of an unwinder, those that can lead to another frame.
 */
static void exits_find(struct reader *reader, uint64_t size, struct cost_function *cost)
{
	struct code_source code;
	const struct address_range range = {cost->entry_addr, cost->entry_addr + size};
	struct function function = {.name = cost->name,
				    .ranges = &range,
				    .n_ranges = 1,
				    .entry_addr = cost->entry_addr,
				    .probe_addr = cost->entry_addr};
	struct jump_site *sites;
	struct cost_jump *jumps;
	uint64_t undecoded;
	uint64_t *exits;
	size_t n = 0, n_jumps = 0;

	cost->entry_site.why = "its symbol does not say how long it is";
	if (!size || size > COST_SIZE_MAX)
		return;
	if (!reader->targets)
		reader->targets = jump_targets_create(&reader->image);
	code = (struct code_source){&reader->image, reader->targets, reader->decoder, true};
	function_code_exits(&code, NULL, reader->arena, &function, &undecoded);
	cost->entry_site = function.site;
	cost->exits_known = cost->kind == COST_FREE; /* its end is not traced */
	if (cost->exits_known || undecoded || function.n_exits > COST_EXITS_MAX)
		return;
	exits = arena_array(reader->arena, uint64_t, function.n_exits);
	sites = arena_array(reader->arena, struct jump_site, function.n_exits);
	jumps = arena_array(reader->arena, struct cost_jump, function.n_exits);
	for (size_t i = 0; i < function.n_exits; i++) {
		const struct exit_site *exit = &function.exits[i];

		if (exit_is_probed(cost, exit->kind)) {
			sites[n] = exit->site;
			exits[n++] = exit->addr;
		} else if (!cost_call_leaves(cost->kind)) {
			jumps[n_jumps++] = (struct cost_jump){exit->addr, exit->site, false};
		}
	}
	cost->exits = exits;
	cost->exit_sites = sites;
	cost->n_exits = n;
	cost->jumps = jumps;
	cost->n_jumps = n_jumps;
	cost->exits_known = true;
	cost->ends_elsewhere = n_jumps;
}

static void cost_symbol_see(struct reader *reader, const GElf_Sym *symbol, const char *text)
{
	const struct catalogue_request *request = reader->request;
	struct cost_symbols *symbols = reader->symbols;
	struct cost_function cost = {.module = reader->module, .entry_addr = symbol->st_value};
	struct cost_function *listed;
	char name[NAME_MAX_BYTES];
	size_t room;

	if (!text)
		return;
	cost.kind = cost_kind_of(text, name);
	if (!is_callable(symbol, cost.kind) ||
	    !cost_call_is_wanted(cost.kind, metric_totals(request->metrics), request->mappings) ||
	    symbols->n - reader->from >= FUNCTIONS_MAX ||
	    !elf_file_code(&reader->image, cost.entry_addr, &room))
		return;
	listed = find_listed(reader, cost.entry_addr);
	if (listed && !is_plainer(name, listed->name))
		return;
	cost.name = arena_strdup(reader->arena, name);
	if (listed) {
		listed->name = cost.name;
		return;
	}
	exits_find(reader, symbol->st_size < room ? symbol->st_size : room, &cost);
	symbols->list = mem_grow(symbols->list, &symbols->capacity, symbols->n + 1, sizeof(cost));
	symbols->list[symbols->n++] = cost;
}

/* A valid file has one table of each type; ignore any others. */
static void table_read(struct reader *reader, GElf_Word type)
{
	Elf_Scn *section = NULL;
	Elf_Data *data = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while (!data && (section = elf_nextscn(reader->image.elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			data = elf_getdata(section, NULL);
	for (int i = 1; data && gelf_getsym(data, i, &symbol); i++)
		cost_symbol_see(reader, &symbol,
				elf_strptr(reader->image.elf, header.sh_link, symbol.st_name));
}

static int cost_address_order(const void *a, const void *b)
{
	const struct cost_function *x = a, *y = b;

	return x->entry_addr < y->entry_addr ? -1 : x->entry_addr > y->entry_addr;
}

static bool elf_open(const char *path, int *ret_fd, Elf **ret)
{
	struct err ignored;
	bool has_zstd;

	elf_version(EV_CURRENT);
	*ret = NULL;
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*ret_fd >= 0 && elf_check_file(path, *ret_fd, &has_zstd, &ignored))
		*ret = elf_begin(*ret_fd, ELF_C_READ_MMAP, NULL);
	return *ret;
}

static void follow_parts(struct reader *reader)
{
	const struct code_source code = {&reader->image, reader->targets, reader->decoder, true};

	cost_parts_follow(&code, reader->arena, reader->symbols->list + reader->from,
			  reader->symbols->n - reader->from);
}

size_t cost_symbols_find(struct cost_symbols *symbols, const char *path,
			 const struct elf_file *image, const struct catalogue_request *request,
			 struct insn_decoder *decoder, unsigned module, struct arena *arena,
			 struct module *ret)
{
	struct reader reader = {.request = request,
				.decoder = decoder,
				.symbols = symbols,
				.from = symbols->n,
				.module = module,
				.arena = arena};
	GElf_Ehdr header;
	int fd = -1;

	if (image)
		reader.image.elf = image->elf;
	if ((image || elf_open(path, &fd, &reader.image.elf)) &&
	    gelf_getehdr(reader.image.elf, &header)) {
		table_read(&reader, SHT_DYNSYM);
		table_read(&reader, SHT_SYMTAB);
		cost_jumps_resolve(&reader.image, decoder, symbols->list + reader.from,
				   symbols->n - reader.from);
		follow_parts(&reader);
		*ret = (struct module){.path = arena_strdup(arena, path),
				       .relocatable = header.e_type == ET_DYN,
				       .entry_addr = header.e_entry,
				       .base_addr = elf_file_first_page(&reader.image),
				       .symbols_only = true};
	}
	jump_targets_destroy(reader.targets);
	if (!image)
		elf_end(reader.image.elf);
	if (fd >= 0)
		close(fd);
	if (symbols->n > reader.from)
		qsort(symbols->list + reader.from, symbols->n - reader.from, sizeof(*symbols->list),
		      cost_address_order);
	return symbols->n - reader.from;
}
