#!/bin/sh
# That others had the processor when a sleep was over is no cost of the calls that slept, by the kernel's sum of what a thread waited.
. "$(dirname "$0")/lib"

cpu=$(taskset -p -c $$ | sed 's/.*[ ,-]//')
printf '#!/bin/sh\ntaskset -p -c %s $$ >/dev/null\nexec "$@"\n' "$cpu" >pinned
chmod +x pinned
for rival in 1 2 3 4; do
	timeout 500 ./pinned sh -c 'while :; do :; done' &
	rivals="${rivals:-} $!"
done
trap 'kill $rivals 2>/dev/null; rm -rf "$scratch"' EXIT
for probes in pads stops; do
	run 0 run -q --probes $probes --max-overhead none --no-models --samples all -f linear_int -o $probes.fathom -- \
		./pinned "$build/fixtures/plain-sleeping-gcc-O2" 200 1 account linear_int
	[ "$(sqlite3 $probes.fathom 'SELECT count(*) FROM linear_int')" -eq 200 ] || fail "$probes: not all calls"
	[ "$(sqlite3 $probes.fathom 'SELECT count(*) FROM linear_int WHERE waited_ns > 0')" -gt 0 ] || { echo "switches are not told here"; exit 77; }
	run 0 export --csv -f linear_int -o $probes.csv $probes.fathom
	python3 - $probes <<'END'
import csv, sys

# Each line has the time without that in which the thread waited for a processor; fathom's has what reading clocks took, too.
truth = [float(line.split()[1]) for line in open("account")]
times = [float(row["time"]) for row in csv.DictReader(open(sys.argv[1] + ".csv"))]
ratios = sorted(mine / true for mine, true in zip(times, truth))
assert ratios[len(ratios) // 5] > 0.5 and ratios[len(ratios) * 4 // 5] < 1.5, "three of five calls cost what they slept: %s" % ratios
END
	[ $? -eq 0 ] || fail "$probes: waits are costs"
done
