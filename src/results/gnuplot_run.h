/*
 * Running gnuplot, if it is installed.
 */
#pragma once

#include "base/err.h"

enum gnuplot_answer {
	GNUPLOT_DONE,
	GNUPLOT_MISSING, /* it is not installed */
	GNUPLOT_FAILED,
};

/*
 * Have it execute @commands in @folder, without anybody's settings and without a terminal.
 * GNUPLOT_FAILED: @err has the last line that it said.
 */
enum gnuplot_answer gnuplot_run(const char *folder, const char *commands, struct err *err);
