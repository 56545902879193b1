#!/bin/sh
# Programs built with sanitizers are measured without harm, or refused with a line that says what to do.
. "$(dirname "$0")/lib"

built=0
for compiler in gcc clang; do
	for sanitizer in address leak thread undefined; do
		program=$scratch/args-$compiler-$sanitizer
		$compiler -g -O1 -pthread -fsanitize=$sanitizer "$top/fixtures/trace/args.c" -lm -o "$program" 2>errors &&
			"$program" >alone 2>errors || continue # not installed, or it does not run here
		built=$((built + 1))
		rm -f san.fathom
		case $sanitizer in
		address | leak)
			run 2 run -f integers -o san.fathom -- "$program"
			complains 'LSAN_OPTIONS=detect_leaks=0'
			export LSAN_OPTIONS=detect_leaks=0
			;;
		esac
		run 0 run -f integers -o san.fathom --no-models -- "$program"
		unset LSAN_OPTIONS
		same alone output
		grep -q 'exited with status 0' errors || fail "$compiler, $sanitizer: its status changed"
		[ "$(sqlite3 san.fathom 'SELECT calls FROM account')" = "$(grep -c '^integers' alone)" ] ||
			fail "$compiler, $sanitizer: calls are missing"
	done
done
[ $built -gt 0 ] || {
	echo 'no sanitizers are installed'
	exit 77
}
