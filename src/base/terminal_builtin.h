/* Lines of a terminal's name, a blank, and its compiled description in base 64. */
#pragma once

extern const char terminal_builtin[];
