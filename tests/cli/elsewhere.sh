#!/bin/sh
# The commands of doc/sidecar.md, doc/service.md and doc/ci.md, as far as one machine goes: namespaces in place of containers, a
# systemctl that knows one process. FATHOM_FULL=1: the static executable alone in an empty root, where no terminal is described.
. "$(dirname "$0")/lib"

[ "$(id -u)" -eq 0 ] && unshare --mount --pid --fork --mount-proc true 2>errors ||
	{ echo "SKIPPED: namespaces cannot be made here"; exit 77; }
program=$build/fixtures/elements-old
# taken PAGE PATTERN: the page's commands that match, as they stand there
taken() {
	sed -n '/^```/,/^```/p' "$top/doc/$1" | grep -e "$2" | grep . || fail "doc/$1 has no $2"
}

# A container: the program is process 1 of its namespace, with a root of its own; the sidecar shares that namespace alone.
mkdir -p root/proc root/bin side/out
cp "$program" root/bin/program
for library in $(ldd "$program" | grep -o '/[^ ]*'); do mkdir -p "root/$(dirname "$library")" && cp "$library" "root/$library"; done
cat >sidecar <<'END'
set -eu
mount -t proc proc /proc
setpriv --bounding-set -all,+sys_ptrace --inh-caps -all,+sys_ptrace sh -c "$1"
END
unshare --mount --pid --fork --kill-child --mount-proc="$scratch/root/proc" chroot root /bin/program 1000000 10 1000 >/dev/null &
outer=$!
inner=
for _ in $(seq 100); do
	inner=$(pgrep -P "$outer" program) && break
	sleep 0.1
done
[ -n "$inner" ] || fail 'the program in a namespace did not start'
taken sidecar.md '^docker run' | sed 's/.* fathom \(stack\|attach\)/fathom \1/; s/handle/work/g; s/--for 10/--for 1/' >commands
[ "$(wc -l <commands)" -eq 2 ] || fail 'doc/sidecar.md has other commands than expected'
sed -i "s|^fathom|$fathom|; s|/out/|$scratch/side/out/|" commands
nsenter --target "$inner" --pid unshare --mount sh sidecar ". ./commands" >output 2>errors || fail 'in the sidecar'
says 'work  elements.c:'
says 'n;  // '
kill -9 "$inner" && wait "$outer" 2>/dev/null

# A service: its main process is asked of systemctl.
printf '#!/bin/sh\necho "$PID"\n' >systemctl
chmod +x systemctl
"$program" 1000000 10 1000 >/dev/null &
PID=$!
export PID
taken service.md '^pid=\|^fathom' | sed "s/handle/work/g; s/--for 30/--for 1/; s|^fathom|$fathom|" >commands
PATH=$scratch:$PATH sh -e commands >output 2>errors || fail 'doc/service.md'
says 'work  elements.c:'
says 'n;  // '
kill "$PID"
timeout 60 "$fathom" $(taken service.md '^ExecStart=/' | sed 's/.*fathom run/run/; s/handle/work/g; s|/var/lib/NAME/|./|; s/--its-own.*//; s|/usr/sbin/NAME|'"$program"'|; s/'"'"'//g') >output 2>errors ||
	fail 'ExecStart of doc/service.md'
[ -s work.fathom ] || fail 'ExecStart of doc/service.md keeps no profile'

# A build server: a baseline, and a build that keeps to it.
git init -q . && cp "$program" program
taken ci.md '^fathom\|^git' | sed "s|^fathom|$fathom|; s/program 300/program/; s/compare /compare --runs 3 /; s|\./old 300|./program|; s|\./new 300|./program|" >commands
sh -e commands >output 2>errors || fail 'doc/ci.md'
[ -s perf/program.ann ] || fail 'doc/ci.md makes no baseline'

[ -n "${FATHOM_FULL:-}" ] || exit 0
"$top/tools/build" --static "$scratch/static" >output 2>errors || fail 'the static executable cannot be built'
mkdir -p empty/proc empty/tmp
cp static/fathom empty/
gcc -g -O1 -static "$top/fixtures/trace/elements.c" -lm -o empty/program || fail 'a static program cannot be built'
cat >within <<'END'
mount -t proc proc empty/proc
chroot empty /fathom run -q -f work -o /tmp/work.fathom -r /tmp/work.ann -- /program &&
	chroot empty /fathom -batch -ex 'probe work stop if n > 900' -ex run -ex 'print n' /program &&
	TERM=vt100 timeout 20 script -qc 'chroot empty /fathom explore /tmp/work.fathom' screen </dev/null
END
unshare --mount --pid --fork sh within >output 2>errors
says 'n = 9'
grep -q 'linear' empty/tmp/work.ann || fail 'the static executable finds no law'
grep -q work screen || fail 'the explorer shows nothing on a vt100 without description'
