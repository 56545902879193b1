/*
 * Notes: what people should know about a model, a sentence each.
 */
#ifndef FATHOM_MODEL_NOTES_H
#define FATHOM_MODEL_NOTES_H

#include "core/annotation.h"
#include "model/fit.h"

/*
 * The notes for the model @fit (NULL: there is none); @loose is a model that was refused for
 * explaining too little, or NULL. Sets the annotation's notes, which live in its arena.
 */
void notes_write(struct annotation *annotation, const struct data *data, const struct fit *fit,
		 const struct fit *loose);

#endif
