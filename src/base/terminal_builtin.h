/* Lines of a terminal's name, a blank, and its description as the environment's TERMINFO has it. */
#pragma once

extern const char terminal_builtin[];
