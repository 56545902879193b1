/*
 * Descriptions of the usual terminals, for a machine that has none of them: a container, a rescue
 * system.
 */
#pragma once

/*
 * If no description of the terminal $TERM is installed, and it is built in, hand it to ncurses and
 * readline through the environment, until terminfo_lend_end().
 */
void terminfo_lend(void);

/* Programs that are launched do not inherit what was lent. */
void terminfo_lend_end(void);
