/*
 * Reading CSV (RFC 4180): records of fields, one at a time, in memory that does not grow with the
 * file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

enum { CSV_FIELDS_MAX = 65536, CSV_RECORD_MAX = 1 << 22 /* bytes */ };

/* A record; valid until the next one is read. Strings hold no zero byte. */
struct csv_record {
	const char **fields;
	size_t n;
	size_t line; /* where it begins, counted from 1 */
};

struct csv_reader;

/* @file is borrowed; @path is for messages. A byte order mark is passed. */
struct csv_reader *csv_reader_create(FILE *file, const char *path);
void csv_reader_destroy(struct csv_reader *reader); /* NULL is fine */

/* Begin again; the file can be sought in. */
void csv_reader_rewind(struct csv_reader *reader);

/*
 * The next record that is not an empty line. *@ret_more: there was one. ERR_FORMAT: with the line;
 * a quote that does not end, too many fields, a record that is too long, a zero byte. ERR_IO.
 */
bool csv_reader_next(struct csv_reader *reader, struct csv_record *ret, bool *ret_more,
		     struct err *err);

/* Write one field, quoted where it must be. */
void csv_reader_write_field(const char *text, FILE *out);
