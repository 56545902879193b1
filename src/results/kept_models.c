/* Names what models depend on; that is also the build of fathom that makes them. */
#include "kept_models.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/annotation/annotation_store.h"
#include "profile/profile_models.h"

enum { MAKER_MAX = 2 * 64 + 1 };

/* The build id in the notes of one segment; false: there is none. */
static bool read_notes(const char *at, const char *end, char *ret)
{
	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		const char *name = at + sizeof(*note);
		const unsigned char *id =
			(const unsigned char *)name + (note->n_namesz + 3) / 4 * 4;

		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(name, "GNU", 4) && 2 * note->n_descsz < MAKER_MAX) {
			for (unsigned i = 0; i < note->n_descsz; i++)
				sprintf(ret + 2 * i, "%02x", id[i]);
			return true;
		}
		at = (const char *)id + (note->n_descsz + 3) / 4 * 4;
	}
	return false;
}

/* Of the first object, which is the program itself. */
static int find_build_id(struct dl_phdr_info *object, size_t size, void *ret)
{
	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		const char *at = (const char *)object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_NOTE && read_notes(at, at + segment->p_memsz, ret))
			break;
	}
	return 1;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 29;
}

static uint64_t mix_bytes(uint64_t hash, const void *bytes, size_t n)
{
	uint64_t word;

	for (; n >= sizeof(word); n -= sizeof(word), bytes = (const char *)bytes + sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = mix(hash, word);
	}
	word = 0;
	if (n) /* there may be no bytes at all: NULL */
		memcpy(&word, bytes, n);
	return mix(hash, word ^ (uint64_t)n << 56);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	return text ? mix_bytes(hash, text, strlen(text) + 1) : mix(hash, 1);
}

static uint64_t mix_column(uint64_t hash, const struct column *column, size_t n_rows)
{
	hash = mix_text(hash, column->name);
	hash = mix(hash, (uint64_t)column->role << 32 | column->metric);
	hash = mix(hash, (uint64_t)column->type << 32 | column->provenance);
	hash = mix(hash, (uint64_t)column->is_derived << 32 | column->depth);
	for (size_t i = 0; i < column->n_labels; i++) {
		hash = mix_bytes(hash, &column->labels[i].number, sizeof(double));
		hash = mix_text(hash, column->labels[i].name);
	}
	hash = mix_bytes(hash, column->numbers, n_rows * sizeof(*column->numbers));
	return mix_bytes(hash, column->absence, n_rows * sizeof(*column->absence));
}

static uint64_t hash_samples(const struct samples *samples)
{
	uint64_t hash = mix(samples->n_rows, samples->n_columns);

	hash = mix_text(hash, samples->function);
	hash = mix_text(hash, samples->linkage);
	hash = mix_text(hash, samples->file);
	hash = mix_text(hash, samples->module);
	hash = mix_text(hash, samples->where);
	hash = mix(hash, samples->where_of);
	hash = mix(hash, samples->line);
	hash = mix_bytes(hash, samples->resolution, sizeof(samples->resolution));
	hash = mix_bytes(hash, samples->keys, samples->n_rows * sizeof(*samples->keys));
	for (size_t i = 0; i < samples->n_columns; i++)
		hash = mix_column(hash, &samples->columns[i], samples->n_rows);
	return hash;
}

static void write_names(FILE *out, const char *what, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, " %s %zu:%s", what, strlen(names[i]), names[i]);
}

/* That of time depends on no other metric that is asked for. */
static uint64_t metrics_beside(uint64_t metrics, enum metric metric)
{
	return metric == METRIC_TIME ? METRIC_BIT(METRIC_TIME) : metrics;
}

void kept_models_init(struct kept_models *kept, const char *function, const struct samples *samples,
		      uint64_t metrics, const struct model_options *options)
{
	FILE *out;
	size_t size;

	*kept = (struct kept_models){.function = function, .metrics = metrics};
	snprintf(kept->samples, sizeof(kept->samples), "%016llx",
		 (unsigned long long)hash_samples(samples));
	out = open_memstream(&kept->options, &size);
	fprintf(out, "min-r2 %a correlation %a", options->min_r2, options->correlation);
	write_names(out, "preferred", options->preferred, options->n_preferred);
	write_names(out, "pinned", options->pinned, options->n_pinned);
	write_names(out, "excluded", options->excluded, options->n_excluded);
	fclose(out);
}

void kept_models_deinit(struct kept_models *kept)
{
	free(kept->options);
	kept->options = NULL;
}

/* What a row of the profile is found by; the caller frees its `options`. False: by nothing. */
static bool name_model(const struct kept_models *kept, enum metric metric, char *maker,
		       struct profile_model *ret)
{
	char *options = NULL;

	maker[0] = '\0';
	dl_iterate_phdr(find_build_id, maker);
	if (!*maker || asprintf(&options, "%s metrics %llx", kept->options,
				(unsigned long long)metrics_beside(kept->metrics, metric)) < 0)
		return false;
	*ret = (struct profile_model){.function = kept->function,
				      .metric = metric,
				      .options = options,
				      .samples = kept->samples,
				      .maker = maker};
	return true;
}

static struct annotation *find_one(const struct kept_models *kept, struct profile *profile,
				   enum metric metric)
{
	struct annotation *annotation = NULL;
	struct profile_model model;
	char maker[MAKER_MAX];
	struct err err;

	if (!name_model(kept, metric, maker, &model))
		return NULL;
	if (profile_find_model(profile, &model, &err) && model.bytes)
		annotation = annotation_store_read(model.bytes, model.size);
	free((char *)model.options);
	return annotation;
}

size_t kept_models_find(const struct kept_models *kept, struct profile *profile,
			struct annotation **ret)
{
	enum metric metric;
	size_t n = 0;

	for (metric = 0; metric < METRIC_COUNT; metric++) {
		if (!(kept->metrics & METRIC_BIT(metric)))
			continue;
		ret[n] = find_one(kept, profile, metric);
		if (ret[n]) {
			n++;
			continue;
		}
		while (n)
			annotation_destroy(ret[--n]);
		break;
	}
	return n;
}

void kept_models_keep(const struct kept_models *kept, struct profile *profile,
		      struct annotation *const *annotations, size_t n)
{
	struct profile_model models[METRIC_COUNT] = {{0}};
	char makers[METRIC_COUNT][MAKER_MAX];
	size_t n_models = 0;
	struct err err;

	for (size_t i = 0; i < n; i++) {
		struct profile_model *model = &models[n_models];

		if (!name_model(kept, annotations[i]->metric, makers[n_models], model))
			continue;
		model->bytes = annotation_store_write(annotations[i], &model->size);
		if (model->bytes)
			n_models++;
		else
			free((char *)model->options);
	}
	profile_keep_models(profile, models, n_models, &err);
	for (size_t i = 0; i < n_models; i++) {
		free((char *)models[i].options);
		free((char *)models[i].bytes);
	}
}

size_t kept_models_build(struct profile *profile, const char *key, const struct samples *samples,
			 uint64_t metrics, const struct model_options *options,
			 struct annotation **ret)
{
	struct kept_models kept;
	size_t n;

	kept_models_init(&kept, key, samples, metrics, options);
	n = kept_models_find(&kept, profile, ret);
	if (!n) {
		n = metric_models_build(samples, metrics, options, ret);
		kept_models_keep(&kept, profile, ret, n);
	}
	kept_models_deinit(&kept);
	return n;
}
