/* Collects required features; dwarf/call_sites.c finds them in frames. */
#include "required_features.h"

#include "core/cxx_name.h"
#include "core/verdict/stack_annotations.h"
#include "message.h"

void required_features_add(const struct annotation_list *annotations, struct arena *arena,
			   struct catalogue_request *request)
{
	struct required_feature *required;
	size_t n = 0;

	for (size_t i = 0; i < annotations->n; i++)
		n += annotations->list[i]->n_features;
	required = arena_array(arena, struct required_feature, n + 1);
	n = 0;
	for (size_t i = 0; i < annotations->n; i++) {
		const struct annotation *each = annotations->list[i];

		for (size_t j = 0; j < each->n_features && each->metric == METRIC_TIME; j++)
			required[n++] =
				(struct required_feature){cxx_name_canonical(arena, each->function),
							  each->features[j].expression};
	}
	request->required = required;
	request->n_required = n;
}

void required_features_say_none(const struct annotation_list *annotations, const char *path)
{
	struct arena *arena = arena_create();
	const char *functions = stack_annotations_list(annotations, arena);

	if (functions)
		message_note("no open call has an annotation of time in %s, which has some of %s",
			     path, functions);
	else
		message_note("%s has no annotation of time: how long calls take it does not say",
			     path);
	arena_destroy(arena);
}
