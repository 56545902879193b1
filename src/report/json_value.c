/* Texts, numbers and addresses as JSON values. */
#include "json_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"

/* 2^53: up to here a double holds every integer. */
#define WHOLE_MAX 9007199254740992.0

/*
 * The length of the character at @text; 0: invalid (stray or missing continuation byte, overlong,
 * surrogate, above U+10FFFF). Source: RFC 3629, section 4.
 */
static size_t character_length(const unsigned char *text)
{
	unsigned char low = 0x80;
	unsigned char high = 0xbf;
	size_t length = *text < 0x80 ? 1 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;

	if ((*text >= 0x80 && *text < 0xc2) || *text > 0xf4)
		return 0;
	if (*text == 0xe0)
		low = 0xa0;
	else if (*text == 0xf0)
		low = 0x90;
	else if (*text == 0xed)
		high = 0x9f;
	else if (*text == 0xf4)
		high = 0x8f;
	for (size_t i = 1; i < length; i++) {
		if (text[i] < low || text[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

json_t *json_value_text(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *valid;
	size_t n = 0;
	json_t *value;

	if (!text)
		return json_null();
	valid = mem_alloc(size_sum(size_product(strlen(text), strlen(replacement)), 1));
	while (*text) {
		size_t length = character_length((const unsigned char *)text);
		const char *from = length ? text : replacement;
		size_t size = length ? length : strlen(replacement);

		memcpy(valid + n, from, size);
		n += size;
		text += length ? length : 1;
	}
	value = json_stringn(valid, n);
	free(valid);
	return value;
}

json_t *json_value_texts(const char *const *texts, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_value_text(texts[i]));
	return array;
}

json_t *json_value_number(double number)
{
	if (!isfinite(number))
		return json_null();
	if (fabs(number) <= WHOLE_MAX && number == trunc(number))
		return json_integer((json_int_t)number);
	return json_real(number);
}

static json_t *of_runs(const struct run_spread *spread, unsigned side, double number)
{
	return spread->runs[side] ? json_value_number(number) : json_null();
}

json_t *json_value_runs(const struct run_spread *spread, size_t enough)
{
	json_t *object = json_object();

	json_object_set_new(object, "old", json_integer((json_int_t)spread->runs[0]));
	json_object_set_new(object, "new", json_integer((json_int_t)spread->runs[1]));
	json_object_set_new(object, "deviation", json_value_number(spread->deviation));
	json_object_set_new(object, "assumed", json_boolean(spread->is_assumed));
	json_object_set_new(object, "normal_old", of_runs(spread, 0, spread->normal[0]));
	json_object_set_new(object, "normal_new", of_runs(spread, 1, spread->normal[1]));
	json_object_set_new(object, "equal_variances",
			    spread->runs[0] ? of_runs(spread, 1, spread->equal) : json_null());
	json_object_set_new(object, "busy", json_boolean(run_spread_is_busy(spread)));
	json_object_set_new(object, "enough",
			    enough ? json_integer((json_int_t)enough) : json_null());
	return object;
}

json_t *json_value_address(uint64_t address)
{
	return json_sprintf("0x%llx", (unsigned long long)address);
}

struct indented {
	FILE *out;
	unsigned indent;
};

/*
 * Newlines within texts are escaped, so each one ends a line. So are the control characters from
 * U+007F to U+009F, which JSON may have as they are, and terminals obey.
 */
static int indented_add(const char *bytes, size_t n, void *self)
{
	const struct indented *indented = self;

	for (size_t i = 0; i < n; i++) {
		const bool is_c1 = i + 1 < n && bytes[i] == '\xc2' && bytes[i + 1] < '\xa0';

		i += is_c1;
		if (is_c1 || bytes[i] == 0x7f)
			fprintf(indented->out, "\\u%04X", (unsigned char)bytes[i]);
		else
			fputc(bytes[i], indented->out);
		if (bytes[i] == '\n')
			fprintf(indented->out, "%*s", (int)indented->indent, "");
	}
	return ferror(indented->out) ? -1 : 0;
}

bool json_value_write_within(json_t *value, unsigned indent, FILE *out)
{
	struct indented indented = {out, indent};
	const bool ok = !json_dump_callback(value, indented_add, &indented,
					    JSON_INDENT(2) | JSON_ENCODE_ANY);

	json_decref(value);
	return ok;
}

bool json_value_write(json_t *root, FILE *out, struct err *err)
{
	bool ok;

	errno = 0;
	ok = json_value_write_within(root, 0, out) && fputc('\n', out) != EOF && !fflush(out);
	return ok || err_set_errno(err, ERR_IO, errno ? errno : EIO, "cannot write JSON");
}
