#!/bin/bash
# Profiles are their owner's alone, and what goes wrong with a file is told by its cause.
. "$(dirname "$0")/lib"
umask 022

{
	echo 'function,time,n'
	for n in $(seq 5); do echo "f,$((3 * n + 1)),$n"; done
} >f.csv

# A new one is private, one that is there keeps its mode; annotations are for others, too.
run 0 import -q -o f.fathom f.csv
[ "$(stat -c %a f.fathom)" = 600 ] || fail 'a profile can be read by others'
run 0 annotate -q -r f.txt f.fathom
[ "$(stat -c %a f.txt)" = 644 ] || fail 'a report does not follow the umask'
chmod 640 f.fathom
run 0 import -q -o f.fathom f.csv
[ "$(stat -c %a f.fathom)" = 640 ] || fail 'a profile does not keep its mode'

# Who reads profiles, which may be of others, gives up rights first.
run 0 annotate -q -r f.ann f.fathom
for words in 'annotate -q f.fathom' 'advise f.fathom' 'check f.ann f.fathom' 'diff f.fathom f.fathom' 'predict f.ann f n=2' \
	'import -q -o g.fathom f.csv' 'export --csv f.fathom' 'scrub g.fathom'; do
	# shellcheck disable=SC2086 # words
	ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" strace -f -o system -e trace=seccomp "$fathom" $words >output 2>errors ||
		fail "fathom $words: status $?"
	grep -q 'SECCOMP_SET_MODE_FILTER.*= 0$' system || fail "fathom $words keeps its rights"
done
strace -f -o system -e trace=seccomp "$fathom" causal f.fathom 2>errors
grep -q 'SECCOMP_SET_MODE_FILTER.*= 0$' system || fail 'fathom causal keeps its rights to print what a profile has'

# Where others can write, a link may be theirs.
mkdir shared
chmod 1777 shared
echo precious >precious
ln -s ../precious shared/p.fathom
ln -s ../made shared/q.fathom
ln -s f.fathom own.fathom
for name in p q; do
	run 2 import -q -o shared/$name.fathom f.csv
	complains 'is a symbolic link in a folder that others can write'
done
for words in 'annotate -q -r' 'export --csv -o'; do
	run 2 $words shared/p.fathom f.fathom
	complains 'is a symbolic link in a folder that others can write'
done
[ "$(cat precious)" = precious ] && [ ! -e made ] || fail 'a link of somebody else was followed'
run 0 import -q -o own.fathom f.csv

run 2 import -q -o '' f.csv
complains 'the name of a file is empty'
long=$(printf '%0200d' 0)
mkdir -p "$long/$long/$long"
run 2 import -q -o "$long/$long/$long/f.fathom" f.csv
complains 'more than the 512 bytes that SQLite takes'

# What a limit cuts short is said first, also by who is to say nothing but results and errors.
(
	ulimit -t 60
	exec setpriv --bounding-set -sys_resource --inh-caps -sys_resource "$fathom" run -q --no-models -f work -o limited.fathom -- "$build/fixtures/hot-gcc-O2" spin:100000
) >output 2>errors || fail "a program with a limit is not measured: $(cat errors)"
grep -q 'the measurement ends when this process has used [0-9]* s of processor time' errors || fail "a limit is not told: $(cat errors)"

# zstd: read with libzstd, or said.
program=$build/fixtures/guarded-gcc-O2
if objcopy --compress-debug-sections=zstd "$program" compressed 2>/dev/null; then
	if "$fathom" list compressed >output 2>errors; then
		"$fathom" list "$program" >plain
		same plain output
		# Likewise in a file of its own.
		objcopy --only-keep-debug "$program" whole.debug && objcopy --compress-debug-sections=zstd whole.debug apart.debug &&
			objcopy --strip-all "$program" apart && objcopy --add-gnu-debuglink=apart.debug apart && rm whole.debug ||
			fail 'objcopy cannot'
		run 0 list ./apart
		same plain output
	else
		complains 'compressed with zstd'
		! ldconfig -p | grep -q 'libzstd\.so\.1 .*x86-64' || fail 'libzstd is there, and is not asked'
	fi
fi
exit 0
