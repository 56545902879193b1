/* Gathers what features of all functions of an image are made with. */
#include "function_features.h"

void function_features_init(const struct elf_file *image, unsigned module, unsigned n_casts,
			    struct arena *arena, struct function_features *ret)
{
	struct type_names *names;

	*ret = (struct function_features){.image = image};
	if (!image->dwarf)
		return;
	names = type_names_create();
	*ret = (struct function_features){
		.image = image,
		.interned = interned_create(arena),
		.variables = variables_create(image, arena),
		.names = names,
		.classes = classes_create(image, names, module, n_casts, arena),
		.definitions = type_definitions_create(image, names),
	};
}

void function_features_deinit(struct function_features *sources)
{
	type_definitions_destroy(sources->definitions);
	classes_destroy(sources->classes);
	variables_destroy(sources->variables);
	type_names_destroy(sources->names);
	interned_destroy(sources->interned);
}
