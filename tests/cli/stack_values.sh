#!/bin/sh
# A debugger is the oracle: no value of a parameter that gdb shows in a frame is missing, or another one, in fathom stack.
# not sanitized: it is about values, which the debugger reads slowly
. "$(dirname "$0")/lib"
. "$top/tests/cli/stack_lib"

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
	40 callers.c gcc -O0
	17 callers.c gcc -O2
	17 callers.c gcc -O2 -gdwarf-4
	13 callers.c gcc -O2 -DTWO_WAYS
	16 callers.c gcc -O2 -DROUND
	17 callers.c gcc -O2 -no-pie -fno-pie
	30 callers.c clang -O0
	2 callers.c clang -O2
	20 callers.cc g++ -O0
	11 callers.cc g++ -O2
	11 callers.cc g++ -O3 -no-pie -fno-pie
	20 callers.cc clang++ -O0
	6 callers.cc clang++ -O2
	5 lambdas.cc g++ -O0
	2 lambdas.cc g++ -O2
	5 lambdas.cc clang++ -O0
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
