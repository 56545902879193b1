/* Catalogues as data: lookups and the text form. Building them is left to dwarf/. */
#include "core/catalogue.h"

#include <inttypes.h>

#include "base/text.h"

enum { INLINED_SHOWN = 8 };

void catalogue_destroy(struct catalogue *catalogue)
{
	if (catalogue)
		arena_destroy(catalogue->arena); /* the catalogue itself lives there too */
}

bool function_contains(const struct function *function, uint64_t addr)
{
	for (size_t i = 0; i < function->n_ranges; i++) {
		if (addr >= function->ranges[i].low_addr && addr < function->ranges[i].high_addr)
			return true;
	}
	return false;
}

static void feature_print(const struct feature *feature, FILE *out)
{
	fprintf(out, "    %-5s ", feature_type_name(feature->type));
	text_print_safe(out, feature->expression);
	fputs("  ", out);
	if (feature->absence != PRESENT)
		fprintf(out, "[%s] ", absence_name(feature->absence));
	text_print_safe(out, feature->explanation);
	fputc('\n', out);
}

static void inlined_print(const struct function *function, FILE *out)
{
	fputs("    inlined, and not measured there: ", out);
	for (size_t i = 0; i < function->n_inlined && i < INLINED_SHOWN; i++) {
		fputs(i ? ", " : "", out);
		text_print_safe(out, function->inlined[i].file ? function->inlined[i].file : "?");
		fprintf(out, ":%u", function->inlined[i].line);
	}
	if (function->n_inlined > INLINED_SHOWN)
		fprintf(out, " and %zu more", function->n_inlined - INLINED_SHOWN);
	fputc('\n', out);
}

/* Without @features they were not looked for, so there is nothing to count. */
static void function_print(const struct function *function, bool features, FILE *out)
{
	text_print_safe(out, function->name);
	fputs("  ", out);
	text_print_safe(out, function->file ? function->file : "?");
	fprintf(out, ":%u  ", function->line);
	if (function->unmeasurable) {
		fputs("not measurable: ", out);
		text_print_safe(out, function->unmeasurable);
	} else {
		fprintf(out, "0x%" PRIx64 "  %zu exit%s", function->probe_addr, function->n_exits,
			function->n_exits == 1 ? "" : "s");
		if (features)
			fprintf(out, "  %zu feature%s", function->n_features,
				function->n_features == 1 ? "" : "s");
		if (function->features_cut)
			fprintf(out, " and %zu left out", function->features_cut);
		if (function->symbol_only)
			fputs("  no debug information", out);
		if (function->n_inlined)
			fprintf(out, "  also inlined in %zu place%s", function->n_inlined,
				function->n_inlined == 1 ? "" : "s");
	}
	fputc('\n', out);
	if (function->n_inlined && features)
		inlined_print(function, out);
}

void catalogue_print(const struct catalogue *catalogue, bool features, FILE *out)
{
	for (size_t i = 0; i < catalogue->n_functions; i++) {
		const struct function *function = &catalogue->functions[i];

		function_print(function, features, out);
		for (size_t k = 0; features && k < function->n_features; k++)
			feature_print(&function->features[k], out);
	}
}
