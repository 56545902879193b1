/* The hash is part of what profiles mean: it must be the same in all programs and versions. */
#include "sample_key.h"

#include <string.h>

#include "base/random.h"

bool sample_key_chooses(const struct value *key, double share)
{
	struct random_state hash;
	double number = key->number + 0.0; /* -0 is 0 */

	if (key->absence != PRESENT)
		return false;
	memcpy(&hash.state, &number, sizeof(hash.state));
	return (double)(random_next(&hash) >> 11) * 0x1p-53 < share;
}
