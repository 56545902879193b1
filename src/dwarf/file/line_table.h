/*
 * The line table's rows of a function, where its prologue ends, and where its instructions come
 * from.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rows of the range that holds the entry, from the entry on. */
struct line_table {
	Dwarf_Lines *rows;
	size_t n, at; /* `at`: the next to look at */
	uint64_t low_addr, high_addr;
};

/* False: the function has no code or no line table. */
bool line_table_open(Dwarf_Die *function, struct line_table *ret);

/* The next row within the range. False: there is none. */
bool line_table_next(struct line_table *lines, Dwarf_Addr *ret_addr, bool *ret_prologue_end);

/*
 * Where the prologue ends: the row that says so (clang), else the second address that has a row
 * (gcc starts a row behind the prologue even if the line is the same); without rows the entry, 0
 * without code. libdw's dwarf_entry_breakpoints() wants another line for that, and takes the entry
 * of a function that is written on one line.
 */
uint64_t line_table_prologue_end(Dwarf_Die *function);

/*
 * The source line of the instruction at @addr, which is code of the unit of @function. *@ret_file
 * is libdw's, as long as the image is open. False: not known.
 */
bool line_table_source(Dwarf_Die *function, uint64_t addr, const char **ret_file,
		       unsigned *ret_line);
