/*
 * What comments of an annotation say: where its function is, ranges and aliases of features, the
 * support of models. The others become notes. Private to the parser, like the reader, which is its
 * state within one annotation.
 */
#pragma once

#include "annotation.h"
#include "scan.h"

/* A case while its models are read. */
struct open_case {
	struct condition *scope;
	size_t n_conditions;
	struct model *models;
	size_t n_models, capacity;
	double probability; /* of the models so far, if they have one */
	bool continues;     /* more models may follow */
};

struct reader {
	struct scanner scanner;
	struct annotation *annotation;
	struct open_case *cases;
	size_t n_cases, capacity;
	const char **notes;
	size_t n_notes, notes_capacity;
};

/*
 * Would a comment that is @text say where the function is? Then a note that is must stand in
 * quotes.
 */
bool annotation_comments_is_place(const char *text);

/*
 * Take the comments that were read, from number @from on, for notes or the place of the function.
 */
void annotation_comments_notes(struct reader *reader, size_t from);

/* Those behind and below a feature's line, before the next. */
void annotation_comments_feature(struct reader *reader, struct annotation_feature *feature);

/* Those behind and below a distribution. */
void annotation_comments_model(struct reader *reader, struct model *model);
