/* Source: opentelemetry-proto 1.x, trace.proto; "JSON Protobuf Encoding" of OTLP. */
#include "otlp.h"

#include <inttypes.h>
#include <string.h>

#include "report/json_value.h"

/* enum SpanKind */
enum { KIND_INTERNAL = 1, KIND_SERVER = 2, KIND_CLIENT = 3 };

static json_t *otlp_attribute(const char *key, const char *kind, json_t *value)
{
	json_t *object = json_object(), *any = json_object();

	json_object_set_new(any, kind, value);
	json_object_set_new(object, "key", json_value_text(key));
	json_object_set_new(object, "value", any);
	return object;
}

/* 64-bit integers are strings in this encoding. */
static json_t *otlp_integer(int64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, number);
	return json_string(text);
}

static json_t *otlp_id(uint64_t id)
{
	char text[20];

	snprintf(text, sizeof(text), "%016" PRIx64, id);
	return json_string(text);
}

/* The moment of the root, and its id. */
static json_t *otlp_trace(const struct span *root)
{
	char text[40];

	snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64, (uint64_t)root->start_ns,
		 (uint64_t)root->id);
	return json_string(text);
}

/* Calls of another process within it are what it asked for; one of another around it asked it. */
static int otlp_kind(const struct spans *spans, size_t at)
{
	const struct span *span = &spans->list[at];

	if (span->parent != SPAN_NONE && spans_are_apart(&spans->list[span->parent], span))
		return KIND_SERVER;
	for (size_t i = at + 1; i <= at + span->n_below; i++)
		if (spans->list[i].parent == at && spans_are_apart(&spans->list[i], span))
			return KIND_CLIENT;
	return KIND_INTERNAL;
}

static json_t *otlp_facts(const struct span *span)
{
	json_t *array = json_array();

	for (size_t i = 0; i < span->n_facts; i++) {
		const struct span_fact *fact = &span->facts[i];

		json_array_append_new(
			array, fact->label ? otlp_attribute(fact->name, "stringValue",
							    json_value_text(fact->label))
					   : otlp_attribute(fact->name, "doubleValue",
							    json_value_number(fact->number)));
	}
	json_array_append_new(array,
			      otlp_attribute("thread.id", "intValue", otlp_integer(span->thread)));
	return array;
}

static json_t *otlp_span(const struct spans *spans, size_t at)
{
	const struct span *span = &spans->list[at];
	const struct span *root = &spans->list[span->root];
	json_t *object = json_object();

	json_object_set_new(object, "traceId", otlp_trace(root));
	json_object_set_new(object, "spanId", otlp_id((uint64_t)span->id));
	if (span->parent != SPAN_NONE)
		json_object_set_new(object, "parentSpanId", otlp_id((uint64_t)span->parent_id));
	json_object_set_new(object, "name", json_value_text(span->name));
	json_object_set_new(object, "kind", json_integer(otlp_kind(spans, at)));
	json_object_set_new(object, "startTimeUnixNano", otlp_integer(span->start_ns));
	json_object_set_new(object, "endTimeUnixNano", otlp_integer(span->end_ns));
	json_object_set_new(object, "attributes", otlp_facts(span));
	return object;
}

/* Has a span before it the same resource? */
static bool otlp_is_listed(const struct spans *spans, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!spans_are_apart(&spans->list[i], &spans->list[at]))
			return true;
	return false;
}

/* All spans of the process and program that span @first is of. */
static json_t *otlp_resource(const struct spans *spans, size_t first)
{
	const struct span *of = &spans->list[first];
	const char *slash = strrchr(of->program, '/');
	json_t *object = json_object(), *resource = json_object(), *scope = json_object();
	json_t *attributes = json_array(), *list = json_array(), *scopes = json_array();
	json_t *fathom = json_object();

	json_array_append_new(attributes,
			      otlp_attribute("service.name", "stringValue",
					     json_value_text(slash ? slash + 1 : of->program)));
	json_array_append_new(attributes, otlp_attribute("process.executable.path", "stringValue",
							 json_value_text(of->program)));
	json_array_append_new(attributes,
			      otlp_attribute("process.pid", "intValue", otlp_integer(of->process)));
	json_object_set_new(resource, "attributes", attributes);
	for (size_t i = first; i < spans->n; i++)
		if (!spans_are_apart(&spans->list[i], of))
			json_array_append_new(list, otlp_span(spans, i));
	json_object_set_new(fathom, "name", json_string("fathom"));
	json_object_set_new(scope, "scope", fathom);
	json_object_set_new(scope, "spans", list);
	json_array_append_new(scopes, scope);
	json_object_set_new(object, "resource", resource);
	json_object_set_new(object, "scopeSpans", scopes);
	return object;
}

bool otlp_print(const struct spans *spans, FILE *out, struct err *err)
{
	json_t *root = json_object(), *resources = json_array();

	for (size_t i = 0; i < spans->n; i++)
		if (!otlp_is_listed(spans, i))
			json_array_append_new(resources, otlp_resource(spans, i));
	json_object_set_new(root, "resourceSpans", resources);
	return json_value_write(root, out, err);
}
