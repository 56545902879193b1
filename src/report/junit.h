/* Findings for test servers and for services that host source. Texts are escaped. */
#pragma once

#include "base/err.h"
#include "core/verdict/findings.h"

/*
 * JUnit's XML: one test case for each finding, failed if that fails; its time is what a call costs
 * in the mean, in seconds. ERR_IO.
 */
bool junit_print(const struct findings *findings, FILE *out, struct err *err);

/*
 * Commands that GitHub's workflows read in a step's output: an annotation of the function's line
 * for each finding that fails, is inconclusive or better; a line for each other one. ERR_IO.
 */
bool junit_print_github(const struct findings *findings, FILE *out, struct err *err);
