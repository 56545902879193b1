#!/bin/sh
# What others do with the processor is no cost of the calls: functions that take turns with busy loops cost what their processor time is.
. "$(dirname "$0")/lib"

cpu=$(taskset -p -c $$ | sed 's/.*[ ,-]//')
printf '#!/bin/sh\ntaskset -p -c %s $$ >/dev/null\nexec "$@"\n' "$cpu" >pinned
chmod +x pinned
for rival in 1 2; do
	timeout 100 ./pinned sh -c 'while :; do :; done' &
	rivals="${rivals:-} $!"
done
trap 'kill $rivals; rm -rf "$scratch"' EXIT
for probes in pads stops; do
	run 0 run -q --probes $probes --max-overhead none -m time,cpu -f quadratic -f cubic -o $probes.fathom -- \
		./pinned "$build/fixtures/plain-spinning-gcc-O2" 60 1 account quadratic cubic
	[ "$(sqlite3 $probes.fathom 'SELECT count(*) FROM quadratic')" -eq 60 ] || fail "$probes: not all calls"
	waited=$(sqlite3 $probes.fathom 'SELECT count(*) FROM quadratic WHERE waited_ns > 0')
	[ "$waited" -gt 0 ] || { echo "switches are not told here"; exit 77; }
	# They had a third of the processor each: without that the time would be three times as long.
	[ "$(sqlite3 $probes.fathom 'SELECT sum("time") < 2 * sum(cpu) FROM quadratic')" -eq 1 ] ||
		fail "$probes: $(sqlite3 $probes.fathom 'SELECT sum("time"), sum(cpu), sum(waited_ns) / 1000 FROM quadratic')"
	says 'waited for a processor that others had'
done
