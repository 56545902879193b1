/*
 * Runs gnuplot, if it is installed.
 */
#pragma once

#include "base/err.h"

enum gnuplot_answer {
	GNUPLOT_DONE,
	GNUPLOT_MISSING, /* it is not installed */
	GNUPLOT_FAILED,
};

/*
 * Execute @commands in @folder, without user settings and terminal. GNUPLOT_FAILED: ERR_IO with
 * gnuplot's last line.
 */
enum gnuplot_answer gnuplot_run(const char *folder, const char *commands, struct err *err);
