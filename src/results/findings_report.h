/* Findings in the formats that options ask for. */
#pragma once

#include "cli/options.h"
#include "core/verdict/findings.h"

/* Do they ask for another one than text and JSON, on standard output or in a page? */
bool findings_report_wanted(const struct options *options);

/*
 * Write the page of --html, and print what --junit, --github or --markdown want, with pictures
 * beside -r; *@printed: there was such a one. Files of functions become relative to the repository,
 * if they are in it. ERR_IO; ERR_USAGE: a file is there and is not ours.
 */
bool findings_report_print(struct findings *findings, const struct options *options, FILE *out,
			   bool *printed, struct err *err);

struct figure;

/* Write a page with @text and @figure to the file @path. ERR_IO. */
bool findings_report_page(const char *path, const struct figure *figure, const char *text,
			  struct err *err);
