/*
 * The line table's rows of a function, the end of its prologue, and the source lines of its
 * instructions.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rows of the range that contains the entry, from the entry on. */
struct line_table {
	Dwarf_Lines *rows;
	size_t n, at; /* `at`: the next row */
	uint64_t low_addr, high_addr;
};

/* False: the function has no code or no line table. */
bool line_table_open(Dwarf_Die *function, struct line_table *ret);

/* The next row within the range. False: there is none. */
bool line_table_next(struct line_table *lines, Dwarf_Addr *ret_addr, bool *ret_prologue_end);

/*
 * The end of the prologue: the row that is marked so (clang), else the second address with a row
 * (gcc starts a row after the prologue even if the line is the same); the entry without rows, 0
 * without code. libdw's dwarf_entry_breakpoints() requires a different line, and returns the entry
 * for a function written on one line.
 */
uint64_t line_table_prologue_end(Dwarf_Die *function);

/*
 * The source line of the instruction at @addr, code of the unit of @function. libdw owns *@ret_file
 * while the image is open. False: unknown.
 */
bool line_table_source(Dwarf_Die *function, uint64_t addr, const char **ret_file,
		       unsigned *ret_line);
