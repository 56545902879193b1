#!/bin/sh
# Where nothing of ours can be mapped, neither for pads nor for the instructions that int3s replace, it is said why, and the program lives on:
# attached to when there is no room within reach of its code, and when it has forbidden itself mmap(2) and nobody is root.
. "$(dirname "$0")/lib"

cp "$build/fixtures/ground" ground && chmod 755 . ground || fail 'no fixture' # whoever runs it

# refused REASON WAY COMMAND...: run by COMMAND, in a folder that it can write to, `ground WAY` is attached to; REASON is told, and it ends well.
refused() {
	reason=$1
	way=$2
	shift 2
	mkdir -m 777 "$way" || fail "no folder $way"
	: >printed # not what is there from before
	"$@" "$scratch/ground" "$way" >printed &
	target=$!
	until grep -q ready printed; do
		kill -0 $target 2>/dev/null || fail "$way: $(cat printed)"
		sleep 0.05
	done
	(cd "$way" && timeout 60 "$@" "$fathom" attach --probes pads --for 0.1 --max-overhead none -f work -o ground.fathom --no-models $target) \
		>output 2>errors
	grep -qF "work is not measured: $reason" errors || fail "$way: it does not say '$reason'"
	kill -TERM $target
	wait $target || fail "$way: status $? of the program"
	grep -qx 'wrong 0' printed || fail "$way: its results are wrong"
}
refused 'no room for scratch memory near the code' full
nobody=
[ "$(id -u)" != 0 ] || nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
# shellcheck disable=SC2086 # several words
! $nobody test -x "$fathom" -a -x ground 2>missing ||
	refused 'the program could not be made to map scratch memory (where it has forbidden itself system calls, that takes root)' filter $nobody
exit 0
