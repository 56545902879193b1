/* The text of containers.table. */
#pragma once

extern const char container_builtin[];
