/* Asks dwarf/file/leak_sanitizer.h for the detector; the environment may switch it off. */
#include "leak_check.h"

#include <stdlib.h>

#include "dwarf/file/leak_sanitizer.h"

static bool is_switched_off(enum leak_detector detector)
{
	bool off = false;

	switch (detector) {
	case LEAKS_UNCHECKED:
		return true;
	case LEAKS_BY_ADDRESS_SANITIZER:
		off = leak_sanitizer_is_off(getenv("ASAN_OPTIONS"), off);
		break;
	case LEAKS_BY_LEAK_SANITIZER:
		break;
	}
	return leak_sanitizer_is_off(getenv("LSAN_OPTIONS"), off);
}

bool leak_check(const char *path, struct err *err)
{
	if (is_switched_off(leak_sanitizer_detector(path)))
		return true;
	return err_set(err, ERR_UNSUPPORTED,
		       "%s looks for leaks when it ends, which fails under any tracer and changes "
		       "its exit status: set LSAN_OPTIONS=detect_leaks=0",
		       path);
}
