/* A target that fails in every way that the driver is to notice, as the first byte says. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static volatile char *volatile grown;

	switch (n ? bytes[0] : 0) {
	case 'c':
		*(volatile char *)NULL = 1;
		break;
	case 'h':
		for (volatile int i = 0; i >= 0; i = 1)
			;
		break;
	case 'm':
		for (int i = 0; i < 1 << 11; i++) {
			grown = malloc(1 << 20);
			if (!grown)
				abort();
			memset((char *)grown, 1, 1 << 20);
		}
		break;
	case 'a':
		abort();
	}
	return 0;
}
