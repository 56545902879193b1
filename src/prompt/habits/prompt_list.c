/* The command list. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/line_addresses.h"
#include "prompt/prompt_commands.h"
#include "prompt/prompt_inspect.h"
#include "prompt/prompt_text.h"

/* @n lines from prompt->listed_line on. */
static bool list_at(struct prompt *prompt, unsigned n, struct err *err)
{
	FILE *source = prompt_inspect_source(prompt, prompt->listed);
	unsigned shown;

	if (!source)
		return err_set(err, ERR_IO,
			       "the source file %s is not there: list FILE:LINE takes its path",
			       prompt->listed);
	shown = prompt_inspect_lines(source, prompt->listed_line, n, 0, stdout);
	fclose(source);
	if (!shown)
		return err_set(err, ERR_USAGE, "%s has no line %u", prompt->listed,
			       prompt->listed_line);
	prompt->listed_from = prompt->listed_line;
	prompt->listed_line += shown;
	return true;
}

static void list_from(struct prompt *prompt, const char *file, unsigned line)
{
	const unsigned before = prompt_list_size(prompt) / 2;

	prompt->listed = arena_strdup(prompt->arena, file);
	prompt->listed_from = prompt->listed_line = line > before ? line - before : 1;
}

static bool find_source(struct prompt *prompt, const char *pattern, struct err *err)
{
	struct catalogue *catalogue;
	bool found = false;

	if (!prompt_catalogue(prompt, pattern, &catalogue, err))
		return false;
	for (size_t i = 0; i < catalogue->n_functions && !found; i++) {
		const struct function *function = &catalogue->functions[i];

		found = function->file && function->line;
		if (found)
			list_from(prompt, function->file, function->line);
	}
	catalogue_destroy(catalogue);
	return found ||
	       err_set(err, ERR_NOT_FOUND, "where %.100s is in the source is not known", pattern);
}

/* The path in debug information of the source file that the user calls @file. */
static const char *full_name(struct prompt *prompt, const char *file)
{
	struct err ignored;

	return prompt->program && find_source(prompt, arena_printf(prompt->spare, "%s:*", file),
					      &ignored)
		       ? prompt->listed
		       : file;
}

/* The function whose code is at the link-time address *@addr; NULL: none. */
static const char *function_at(struct prompt *prompt, uint64_t *addr, struct arena *arena,
			       struct err *err)
{
	struct catalogue *catalogue;
	const char *ret = NULL;

	if (!prompt_catalogue(prompt, NULL, &catalogue, err))
		return NULL;
	for (size_t i = 0; i < catalogue->n_functions && !ret; i++) {
		const struct function *function = &catalogue->functions[i];

		if (function->block || !catalogue_contains(function, *addr))
			continue;
		ret = arena_strdup(arena, function->name);
		if (*addr >= function->entry_addr && *addr <= function->probe_addr)
			*addr = 0;
	}
	catalogue_destroy(catalogue);
	if (!ret)
		err_set(err, ERR_NOT_FOUND, "no function is known to have that line");
	return ret;
}

bool prompt_find_line(struct prompt *prompt, const char *text, struct arena *arena,
		      const char **ret, uint64_t *ret_addr, struct err *err)
{
	const bool is_number = *text && !text[strspn(text, "0123456789")];
	unsigned line = is_number ? (unsigned)strtoul(text, NULL, 10) : 0;
	const uint64_t *addrs;
	const char *file;
	size_t n;

	*ret = NULL;
	if (!is_number && !prompt_is_place(text, arena, &file, &line))
		return true;
	if (!prompt_needs_program(prompt, err) ||
	    (is_number && !prompt->listed && !find_source(prompt, "main", err)))
		return false;
	if (is_number)
		file = strrchr(prompt->listed, '/') ? strrchr(prompt->listed, '/') + 1
						    : prompt->listed;
	if (!line_addresses_find(prompt->path, prompt->options.debuginfo_path, file, line, arena,
				 &addrs, &n, err))
		return false;
	*ret_addr = addrs[0];
	*ret = function_at(prompt, ret_addr, arena, err);
	return *ret;
}

/* "A,B", "A," or ",B": lines of the file that was listed. False: none of these. */
static bool parse_range(const char *text, unsigned size, unsigned *ret_first, unsigned *ret_n)
{
	const char *comma = strchr(text, ',');
	const unsigned long first = strtoul(text, NULL, 10);
	const unsigned long last = comma ? strtoul(comma + 1, NULL, 10) : first + size / 2;

	if (!isdigit((unsigned char)text[text[0] == ',']) || text[strspn(text, "0123456789, ")] ||
	    first > UINT_MAX / 2 || last > UINT_MAX / 2)
		return false;
	*ret_first = !comma          ? (first > size / 2 ? first - size / 2 : 1)
		     : comma == text ? (last >= size ? last - size + 1 : 1)
		     : first         ? first
				     : 1;
	*ret_n = comma && comma > text && comma[1] ? last - *ret_first + 1 : size;
	return !comma || comma == text || !comma[1] || last >= *ret_first;
}

/* The lines before those that were listed last. */
static bool list_before(struct prompt *prompt, struct err *err)
{
	const unsigned size = prompt_list_size(prompt), from = prompt->listed_from;

	if (from <= 1)
		return err_set(err, ERR_USAGE, "%s begins there", prompt->listed);
	prompt->listed_line = from > size ? from - size : 1;
	return list_at(prompt, from - prompt->listed_line, err);
}

bool prompt_list(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const char *text = arguments->n ? arguments->words[0].text : "";
	unsigned first, n = prompt_list_size(prompt);
	const char *file;

	if (prompt_is_place(text, prompt->spare, &file, &first)) {
		list_from(prompt, full_name(prompt, file), first);
		return list_at(prompt, n, err);
	}
	if (!prompt->listed && (!*text || strchr("-,0123456789", *text)) &&
	    !find_source(prompt, "main", err))
		return false;
	if (!strcmp(text, "-"))
		return list_before(prompt, err);
	if (parse_range(arguments->text, n, &first, &n))
		prompt->listed_line = first;
	else if (*text && !find_source(prompt, text, err))
		return false;
	return list_at(prompt, n, err);
}
