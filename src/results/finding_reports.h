/* Findings in the formats that options ask for. */
#pragma once

#include "cli/options.h"
#include "core/verdict/finding.h"

/* Do they ask for another one than text and JSON, on standard output or in a page? */
bool finding_reports_wanted(const struct options *options);

/*
 * Write the page of --html, and print those of --junit, --github or --markdown, with pictures beside
 * -r; files of functions become relative to the repository, if they are in it. @printed: there was
 * such a one. ERR_IO; ERR_USAGE: a file is there and is not ours.
 */
bool finding_reports_print(struct findings *findings, const struct options *options, FILE *out,
			   bool *printed, struct err *err);
