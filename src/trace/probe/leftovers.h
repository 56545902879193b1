/*
 * What a fathom that was killed, and its supervisor and keeper with it, has left in a running
 * program: jumps to its pads, and int3s. They do nothing any more, but are not the program's code.
 */
#pragma once

#include "base/err.h"
#include "trace/target/target.h"

/*
 * Restore the code of the process of the stopped @tid from its files, before anything is planted.
 * *@ret: the places. ERR_TARGET: a file with such jumps is not there any more.
 */
bool leftovers_remove(const struct target *target, pid_t tid, size_t *ret, struct err *err);
