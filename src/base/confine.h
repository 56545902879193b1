/*
 * Giving up rights: what a file of others makes of its reader can then use memory and time, and no
 * more.
 *
 * No program is started, no process traced, signalled or read, no connection made (seccomp), and
 * nothing is written but below the given folders and those of temporary files (Landlock). Of these
 * the kernel does what it has.
 */
#pragma once

#include <stddef.h>

/*
 * For the rest of this process and its threads, of which there may be none yet but idle ones of
 * libraries. @written: paths of files or folders, some perhaps NULL, that are written; so are those
 * beside them.
 */
void confine_self(const char *const *written, size_t n);
