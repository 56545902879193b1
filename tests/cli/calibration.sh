#!/bin/sh
# Signals that come while fathom calibrates, before the program was started or attached to, end it at once, by their usual status; no copy
# that it calibrates with is left, and the program is not begun, or goes on.
# not sanitized: it is about signals
. "$(dirname "$0")/lib"

timeout 1200 python3 "$top/tests/cli/calibration.py" "$fathom" "$build/fixtures/guarded-gcc-O2" || fail 'calibration.py'
