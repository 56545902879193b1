#!/bin/sh
# Crowds of threads, threads that end in the middle of calls, and children of every kind.
# not sanitized: signals.sh, ways.sh and images.sh lead through the same code of ours
. "$(dirname "$0")/lib"
. "$top/tests/cli/tally_lib"

for compiler in $(tally_compilers); do
	functions='brief ending leaving together'
	program=$build/fixtures/crowd-$compiler-O2
	measured "$program"
	if [ "$compiler" = gcc ] || [ -n "${FATHOM_FULL:-}" ]; then # how it ends is not the compiler's business
		for way in exit _exit last; do
			measured "$program" $way
		done
	fi
	functions=work
	measured "$build/fixtures/family-$compiler-O2"
done

# Nobody who was a child is left stopped.
for stat in /proc/[0-9]*/stat; do
	if grep -Eq '^[0-9]+ \((crowd|family)-[^)]*\) [Tt]' "$stat" 2>/dev/null; then
		case $(readlink "${stat%/stat}/exe") in
		"$build"/*) fail "$(cat "$stat") is stopped" ;;
		esac
	fi
done
