/* CSV records; csv_import.c interprets the fields. */
#include "csv_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct csv_reader {
	FILE *file;
	const char *path;
	size_t line; /* of the next character */
	char *bytes; /* of the record; fields end in zero bytes */
	size_t n_bytes, bytes_capacity;
	size_t *starts; /* of the fields in `bytes` */
	size_t n, starts_capacity;
	const char **fields;
	size_t fields_capacity;
};

struct csv_reader *csv_reader_create(FILE *file, const char *path)
{
	struct csv_reader *reader = mem_alloc(sizeof(*reader));

	reader->file = file;
	reader->path = path;
	csv_reader_rewind(reader);
	return reader;
}

void csv_reader_destroy(struct csv_reader *reader)
{
	if (!reader)
		return;
	free(reader->bytes);
	free(reader->starts);
	free(reader->fields);
	free(reader);
}

void csv_reader_rewind(struct csv_reader *reader)
{
	static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
	size_t i = 0;
	int c;

	rewind(reader->file);
	reader->line = 1;
	while (i < sizeof(mark) && (c = getc_unlocked(reader->file)) == mark[i])
		i++;
	if (i < sizeof(mark))
		rewind(reader->file);
}

static bool csv_refuse(const struct csv_reader *reader, size_t line, const char *why,
		       struct err *err)
{
	return err_set(err, ERR_FORMAT, "%s: line %zu: %s", reader->path, line, why);
}

static bool csv_add(struct csv_reader *reader, int c, struct err *err)
{
	if (reader->n_bytes == CSV_RECORD_MAX)
		return csv_refuse(reader, reader->line, "the record is too long", err);
	reader->bytes = mem_grow(reader->bytes, &reader->bytes_capacity, reader->n_bytes + 1, 1);
	reader->bytes[reader->n_bytes++] = (char)c;
	return true;
}

static bool begin_field(struct csv_reader *reader, struct err *err)
{
	if (reader->n == CSV_FIELDS_MAX)
		return csv_refuse(reader, reader->line, "there are too many fields", err);
	reader->starts = mem_grow(reader->starts, &reader->starts_capacity, reader->n + 1,
				  sizeof(*reader->starts));
	reader->starts[reader->n++] = reader->n_bytes;
	return true;
}

/* Starts behind the opening quote; @ret is the character behind the closing one. */
static bool read_quoted(struct csv_reader *reader, int *ret, struct err *err)
{
	const size_t line = reader->line;
	int c;

	for (;;) {
		c = getc_unlocked(reader->file);
		if (c == EOF)
			return csv_refuse(reader, line, "a quote begins here and does not end",
					  err);
		reader->line += c == '\n';
		if (c == '"') {
			c = getc_unlocked(reader->file);
			if (c != '"')
				break;
		}
		if (!c)
			return csv_refuse(reader, reader->line, "it is not text", err);
		if (!csv_add(reader, c, err))
			return false;
	}
	*ret = c;
	return true;
}

/* One field; @ret is what ended it: a comma, a newline, or EOF. */
static bool read_field(struct csv_reader *reader, int *ret, struct err *err)
{
	int c = getc_unlocked(reader->file);

	if (!begin_field(reader, err))
		return false;
	if (c == '"' && !read_quoted(reader, &c, err))
		return false;
	for (; c != ',' && c != '\n' && c != EOF; c = getc_unlocked(reader->file)) {
		if (!c)
			return csv_refuse(reader, reader->line, "it is not text", err);
		if (c != '\r' && !csv_add(reader, c, err))
			return false;
	}
	*ret = c;
	return csv_add(reader, '\0', err);
}

static bool read_record(struct csv_reader *reader, size_t *ret_line, int *ret, struct err *err)
{
	reader->n = reader->n_bytes = 0;
	*ret_line = reader->line;
	do
		if (!read_field(reader, ret, err))
			return false;
	while (*ret == ',');
	reader->line += *ret == '\n';
	return true;
}

bool csv_reader_next(struct csv_reader *reader, struct csv_record *ret, bool *ret_more,
		     struct err *err)
{
	size_t line;
	int end = EOF;

	do {
		if (!read_record(reader, &line, &end, err))
			return false;
	} while (reader->n == 1 && !*reader->bytes && end != EOF);
	if (ferror(reader->file))
		return err_set_errno(err, ERR_IO, errno, "cannot read %s", reader->path);
	*ret_more = reader->n > 1 || *reader->bytes;
	reader->fields = mem_grow(reader->fields, &reader->fields_capacity, reader->n,
				  sizeof(*reader->fields));
	for (size_t i = 0; i < reader->n; i++)
		reader->fields[i] = reader->bytes + reader->starts[i];
	*ret = (struct csv_record){reader->fields, reader->n, line};
	return true;
}

void csv_reader_write_field(const char *text, FILE *out)
{
	if (!text[strcspn(text, ",\"\r\n")] && *text) {
		fputs(text, out);
		return;
	}
	if (!*text)
		return;
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}
