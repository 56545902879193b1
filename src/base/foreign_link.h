/* Symbolic links that others could have made, or can make lead to any file of this user's. */
#pragma once

#include <stdbool.h>

struct err;

/* ERR_IO: @path is one, in a folder that others can write. Nothing is to be written through it. */
bool foreign_link_refuse(const char *path, struct err *err);
