#!/bin/sh
# Pads harm no program: they are planted and lifted while it is busy with all that is dangerous for that. FATHOM_FULL=1 does so often.
# not sanitized: it is about signals, and long
. "$(dirname "$0")/lib"
. "$top/tests/cli/tally_lib"

# Signals that come all the time, jumps, exceptions, coroutines, children of all kinds, libraries that come and go: nothing is lost.
plugin=$build/fixtures/plugin-gcc.so
functions="leaf deep handled switched round_about thrown $plugin:plugin_work"
measured "$build/fixtures/torment-gcc-O2" 500

# The same while it is attached to and left again and again, and while threads are cancelled. Nobody is there in the end.
cycles=2
[ -z "${FATHOM_FULL:-}" ] || cycles=500 # 10,000 are quicker in test_patch_cycles
"$build/fixtures/torment-gcc-O2" $((cycles * 2500)) cancel >printed &
target=$!
for _ in $(seq $cycles); do
	rm -f often.fathom
	kill -0 $target 2>/dev/null || break
	"$fathom" attach -q --probes pads --for 0.05 --max-overhead none --samples 20 -f leaf -f deep -f handled -f jumped -f thrown -f switched -f round_about \
		-f "$plugin:plugin_work" \
		-o often.fathom --no-models $target 2>errors
	! grep '^TracerPid:' "/proc/$target/status" 2>/dev/null | grep -vq '[[:space:]]0$' || fail 'somebody is still there'
done
wait $target || fail "status $? of what was attached to: $(cat printed)"
grep -qx 'gs 0' printed || fail 'its gs base is not 0'

# Text and mappings are those of before.
count=1
[ -z "${FATHOM_FULL:-}" ] || count=200
timeout 1200 python3 "$top/tests/cli/guard.py" "$fathom" "$build/fixtures/guarded-gcc-O2" 8 nobody 0 $count ||
	fail 'it is not as before'

# Bad pointers among features are absent; the program gets its own faults, at its own PC.
for way in '' blocked; do
	for probes in pads stops; do
		rm -f faulty.fathom
		run 0 run --probes $probes --max-overhead none --samples all -f look -f first -f second -f divide \
			-o faulty.fathom --no-models -- "$build/fixtures/faulty" $way
		says 'wrong 0'
		sqlite3 faulty.fathom "SELECT name, calls FROM account JOIN function ON function.id = function ORDER BY name;
			SELECT count(*), count(\"thing->number\"), sum(\"thing->number\") FROM look" >$probes
	done
	same stops pads
done

# Where there can be no pads, calls are measured by stops; where the program takes what they need, it is said.
counted() {
	rm -f ground.fathom
	run 0 run --probes pads --max-overhead none --samples 50 -f work -o ground.fathom --no-models -- "$build/fixtures/ground" "$1"
	says 'wrong 0'
	! grep -qF "$2" errors || return 0
	fail "$1: it does not say '$2'"
}
all() {
	calls=$(sed -n 's/^calls work \([0-9]*\) .*/\1/p' output)
	[ "$(sqlite3 ground.fathom 'SELECT calls FROM account')" = "$calls" ] || fail "not all $calls calls were counted"
}
for way in early late nowhere; do
	counted $way 'the program uses the gs register itself'
	all
done
# Some virtual machines take the order, and read the clock all the same: then nothing is amiss, and there is nothing to say.
cat >tsc.c <<'END2'
#include <sys/prctl.h>
#include <x86intrin.h>
int main(void)
{
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	return __rdtsc() == 0;
}
END2
cc tsc.c -o tsc || fail 'cannot compile'
forbidden='it has forbidden itself to read the time stamp counter'
! ./tsc 2>missing || forbidden='exited with status 0'
counted clock "$forbidden"
all
counted mmap 'exited with status 0'
all
counted limited "there is no memory for another thread's records"

# Code that changes itself, or is moved; what is forbidden without a call of the C library; signals of faults that are blocked; 2,000 threads.
for way in patches exchanges makes clock calls blocks handles learns crowd; do
	rm -f rough.fathom
	run 0 run --probes pads --max-overhead none --samples 50 -f work -f look -o rough.fathom --no-models -- "$build/fixtures/rough" "$way"
	says 'wrong 0'
	calls=$(sed -n 's/^calls work \([0-9]*\) .*/\1/p' output)
	[ "$(sqlite3 rough.fathom "SELECT calls FROM account JOIN function ON function.id = function WHERE name = 'work'")" = "$calls" ] ||
		fail "$way: not all $calls calls were counted"
done
exit 0
