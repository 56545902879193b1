#!/bin/sh
# A debugger is the oracle: in programs with many kinds of parameters, variables and results, every value that fathom
# read of a call is what gdb reads of the same call by the same expression, at the probe address.
# not sanitized: it is about values, which the debugger reads slowly
. "$(dirname "$0")/lib"

if ! command -v gdb >/dev/null || ! gdb -batch -nx -ex 'python import sqlite3' >output 2>&1 </dev/null; then
	echo "gdb with python is not installed"
	exit 77
fi

failed=

# gdb runs programs at the same addresses every time. So must fathom: the bytes of a union that are not in use may be
# what is left of an address.
measured=$fathom
if setarch -R true 2>noise; then
	printf '#!/bin/sh\nexec setarch -R "%s" "$@"\n' "$fathom" >steady
	chmod +x steady
	measured=./steady
fi

# oracle COMPILER SOURCE OPTION...
oracle() {
	compiler=$1 source=$2
	shift 2
	command -v "$compiler" >/dev/null || return 0
	rm -f program list profile
	"$compiler" -g "$@" "$top/fixtures/dwarf/$source" -o program 2>errors || fail "$compiler $source $*"
	run 0 list --raw --features --json ./program -r list # containers are another test's
	# What the source itself has, not what headers have: those differ from machine to machine.
	python3 -c '
import json, re, sys
for each in json.load(open("list"))["functions"]:
    begins = re.search(r"(\w+)::~?\1\(", each["name"])  # objects that hold nothing yet, or nothing any more
    if not begins and not each["unmeasurable"] and each["name"] != "main" and (
            each["file"] or "").endswith(sys.argv[1]):
        print(each["name"])' "$source" >functions
	[ -s functions ] || fail "$compiler $source $*: no functions"
	(fathom=$measured && run 0 run -q --raw -f @functions -o profile --no-models -- ./program) || exit 1
	ORACLE_LIST=list ORACLE_PROFILE=profile ORACLE_OUTPUT=output \
		timeout 100 gdb -batch -nx -x "$top/tests/cli/gdb_oracle.py" \
		./program >noise 2>&1 </dev/null || {
		sed -n '/Traceback/,$p' noise
		head -n 20 output
		failed="$failed; $compiler $source $*"
	}
	echo "$compiler $source $*: $(tail -n 1 output)"
	! grep "cannot say" output
}

for options in -O0 '-O2' '-O2 -no-pie -fno-pie'; do
	# shellcheck disable=SC2086 # words
	for compilers in 'gcc g++' 'clang clang++'; do
		[ -n "${FATHOM_FULL:-}" ] || [ "$compilers" = 'gcc g++' ] || [ "$options" = -O2 ] || continue
		oracle "${compilers% *}" oracle.c $options
		oracle "${compilers#* }" oracle.cc $options
	done
done
[ -z "$failed" ] || fail "${failed#; }"
