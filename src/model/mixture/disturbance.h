/*
 * Modes that are the machine's, not the function's.
 *
 * A neighbour on the same core, the processor's frequency or another program's use of the cache
 * slow down whatever is called meanwhile, and make a call cost no more than twice as much: in
 * spells, so that neighbouring calls cost alike, or for single calls, by anything, so that there is
 * no gap between them and the others, or those that had to wait for a processor. Calls of a
 * function that chooses by chance have no such order, and its modes are apart.
 */
#pragma once

#include "mixture.h"
#include "model/data/dataset.h"

/*
 * Do calls come in spells of component @a and of @b? @belongs ([n_rows], canonical order): the
 * component of each call. By the number of changes from one to the other in call order, which must
 * be far less than without order; only of times, as nothing else is the machine's.
 */
bool disturbance_in_spells(const struct dataset *data, const unsigned char *belongs, unsigned a,
			   unsigned b);

/* Are costs of the expected @low and @high so near that a machine may make one of the other? */
bool disturbance_is_near(double low, double high);

/*
 * Join neighbours of @mixture, of constants, that are a disturbance of each other. Its likelihood
 * and BIC stay: what competes with it must explain disturbances, too. Returns whether any was
 * joined; @ret_spells: by their order.
 */
bool disturbance_join(const struct dataset *data, struct mixture *mixture, bool *ret_spells);
