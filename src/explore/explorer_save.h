/* Saves what is on the screen into a new file in the current folder. */
#pragma once

#include "base/err.h"
#include "core/figure/study.h"
#include "explorer_source.h"
#include "tui/explorer.h"

enum { SAVE_NAME = 128 };

/* Name the new file in @ret_name. ERR_IO. */
bool explorer_save_annotation(const struct study *study, char ret_name[SAVE_NAME], struct err *err);
bool explorer_save_figure(const struct study *study, const struct figure *figure,
			  char ret_name[SAVE_NAME], struct err *err);
/* All samples of the function with the key @key. */
bool explorer_save_samples(const struct explorer_source *source, const struct study *study,
			   const char *key, char ret_name[SAVE_NAME], struct err *err);
