/*
 * A program without debug information and symbols: the input is one, and its function is that which
 * has the USDT probes, as .eh_frame, .gcc_except_table and its jumps tell.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const patterns[] = {"usdt:base:begin..end", "usdt:base:many",
					       "usdt:base:repaired"};
	const unsigned parts = fuzz_parts(bytes, n);

	fuzz_catalogue_bytes(
		bytes, n, patterns[(parts & FUZZ_DEEP ? 1 : 0) + (parts & FUZZ_WRITTEN ? 1 : 0)]);
	return 0;
}
