#!/bin/sh
# A debugger is the oracle: no value of a parameter that gdb shows in a frame is missing, or another one, in fathom stack.
# not sanitized: it is about values, which the debugger reads slowly
. "$(dirname "$0")/lib"
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null; rm -rf "$scratch"' EXIT

if ! command -v gdb >/dev/null || ! gdb -batch -nx -ex 'python import json' >output 2>&1 </dev/null; then
	echo "gdb with python is not installed"
	exit 77
fi

# compares AT_LEAST WHAT: the stack of process $pid with gdb's.
compares() {
	STACK_VALUES=theirs timeout 100 gdb -batch -nx -ex 'set debuginfod enabled off' \
		-x "$top/tests/cli/stack_values.py" -p "$pid" >noise 2>&1 </dev/null || fail "gdb: $(tail -n 3 noise)"
	run 0 stack --json --max-features 200 "$pid"
	AT_LEAST=$1 python3 "$top/tests/cli/stack_values.py" theirs <output >outcome || {
		grep -v '^ ' outcome; : >output
		fail "$2: gdb shows more"
	}
	echo "$2: $(head -n 1 outcome)"
}

while read -r least source compiler options; do
	command -v "$compiler" >/dev/null || continue
	# shellcheck disable=SC2086 # words
	"$compiler" -g $options "$top/fixtures/dwarf/$source" -o callers 2>errors || fail "$compiler $options"
	mkfifo ready
	./callers >ready &
	pid=$!
	read -r _ <ready
	compares "$least" "$compiler $options $source"
	kill "$pid"
	rm ready
done <<-END
	30 callers.c gcc -O0
	9 callers.c gcc -O2
	9 callers.c gcc -O2 -gdwarf-4
	9 callers.c gcc -O2 -no-pie -fno-pie
	30 callers.c clang -O0
	2 callers.c clang -O2
	20 callers.cc g++ -O0
	8 callers.cc g++ -O2
	20 callers.cc clang++ -O0
	1 callers.cc clang++ -O2
END

# A real program: fathom itself, where it waits for what somebody types.
mkfifo typed
"$fathom" <typed >prompt 2>&1 &
pid=$!
exec 9>typed
for _ in $(seq 1200); do
	grep -q '(S' "/proc/$pid/stat" 2>missing || grep -q ') S' "/proc/$pid/stat" && break
	sleep 0.05
done
compares 5 "fathom itself"
exec 9>&-
