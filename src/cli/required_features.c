/* Collects required features; dwarf/call_sites.c finds them in frames. */
#include "required_features.h"

#include <string.h>

#include "core/cxx_name.h"
#include "core/feature.h"
#include "core/verdict/stack_annotations.h"
#include "message.h"

/* Read anyway. */
static bool is_of_system(const char *expression)
{
	const enum system_value value = feature_system_find(expression);

	return value < SYSTEM_VALUE_COUNT && !feature_system_info(value)->is_asked;
}

void required_features_add(const struct annotation_list *annotations, uint64_t metrics,
			   struct arena *arena, const struct required_feature **required, size_t *n)
{
	struct required_feature *all;
	size_t n_all = *n;

	for (size_t i = 0; i < annotations->n; i++)
		n_all += annotations->list[i]->n_features;
	all = arena_array(arena, struct required_feature, n_all + 1);
	if (*n)
		memcpy(all, *required, *n * sizeof(*all));
	n_all = *n;
	for (size_t i = 0; i < annotations->n; i++) {
		const struct annotation *each = annotations->list[i];

		for (size_t j = 0; j < each->n_features && metrics >> each->metric & 1; j++)
			if (!is_of_system(each->features[j].expression))
				all[n_all++] = (struct required_feature){
					cxx_name_canonical(arena, each->function),
					each->features[j].expression};
	}
	*required = all;
	*n = n_all;
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
