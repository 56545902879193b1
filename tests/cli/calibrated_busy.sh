#!/bin/sh
# On a busy machine pads are calibrated, too: what they cannot tell from nothing are some ns, not the µs of stops.
# alone: it fills a processor
# sanitized by --full: it is about the processor
. "$(dirname "$0")/lib"

taskset -p -c "$(taskset -p -c $$ | sed 's/.*[ ,-]//')" $$ >/dev/null # all that follows shares one processor
for _ in $(seq 16); do
	timeout 300 sh -c 'while :; do :; done' &
	rivals="${rivals:-} $!"
done
trap 'kill $rivals 2>/dev/null; rm -rf "$scratch"' EXIT
# Others may have the processor for seconds; never for all of these.
for _ in 1 2 3 4; do
	run 0 run -q --probes pads --no-models -f handle -o busy.fathom -- "$build/fixtures/modes-gcc-O2" 20
done
[ "$(sqlite3 busy.fathom 'SELECT count(*) FROM pad_calibration WHERE resolution < 1')" -gt 0 ] || fail 'pads were not calibrated'
