/*
 * The comments of an annotation: where its function is, ranges and aliases of features, the support
 * of models; the others become notes. Private to the parser, whose state within one annotation is
 * struct reader.
 */
#pragma once

#include "annotation.h"
#include "scan.h"

/* What a feature's comments begin with: names of equal, affine and correlated features. */
#define ANNOTATION_EQUAL  "the same as "
#define ANNOTATION_AFFINE "the same, with "
#define ANNOTATION_KIN    "goes along with "

/* In place of the class of a constant that explains nothing. */
#define ANNOTATION_UNEXPLAINED "unexplained"
#define ANNOTATION_REST        "the rest"
#define ANNOTATION_CURVE       "Curve, "

/* A case while its models are read. */
struct open_case {
	struct condition *scope;
	size_t n_conditions;
	struct model *models;
	size_t n_models, capacity;
	double probability; /* sum over the models so far, if they have one */
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

/* Would the comment @text name the function's place? Notes like that must be quoted. */
bool annotation_comments_is_place(const char *text);

/* Store the comments read, from number @from on, as notes or the function's place. */
void annotation_comments_notes(struct reader *reader, size_t from);

/* Parse those behind and below a condition that calls fulfil. */
void annotation_comments_where(struct reader *reader);

/* Parse those behind and below a feature's line. */
void annotation_comments_feature(struct reader *reader, struct annotation_feature *feature);

/* Parse those behind and below a distribution. */
void annotation_comments_model(struct reader *reader, struct model *model);
