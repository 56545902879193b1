/* Reading CSV (RFC 4180) record by record, in bounded memory. */
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
	size_t line; /* where it begins, from 1 */
};

struct csv_reader;

/* @file is borrowed; @path is for messages. Skips a byte order mark. */
struct csv_reader *csv_reader_create(FILE *file, const char *path);
void csv_reader_destroy(struct csv_reader *reader); /* NULL is fine */

/* Begin again; the file is seekable. */
void csv_reader_rewind(struct csv_reader *reader);

/*
 * The next non-empty record. *@ret_more: there was one. ERR_FORMAT, with the line: an unterminated
 * quote, too many fields, a record too long, a zero byte. ERR_IO.
 */
bool csv_reader_next(struct csv_reader *reader, struct csv_record *ret, bool *ret_more,
		     struct err *err);

/* Write one field, quoted if needed. */
void csv_reader_write_field(const char *text, FILE *out);
