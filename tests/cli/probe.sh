#!/bin/sh
# At the probe address parameters read as what the program was called with, at every level of optimisation of
# both compilers. The fixture prints its arguments. What is absent must be said to be, and be seldom. Pairs of
# levels and variants cover each of both; FATHOM_FULL=1 tries all of them, and with sanitizers two will do.
. "$(dirname "$0")/lib"

source=$top/fixtures/trace
levels='-O0 -O1 -O2 -O3 -Os -Og'
variants='plain -fcf-protection -fomit-frame-pointer -pg -fPIE,-pie -static -static-pie'
pairs='-O0:plain -O0:-pg -O1:-fcf-protection -O2:-fomit-frame-pointer -O3:-pg -Os:-fPIE,-pie -Og:-static
	-O2:-static-pie'
[ -z "${FATHOM_SANITIZED:-}" ] || pairs='-O0:plain -O2:-static-pie'
if [ -n "${FATHOM_FULL:-}" ]; then
	pairs=
	for level in $levels; do
		for variant in $variants; do
			pairs="$pairs $level:$variant"
		done
	done
fi
functions='chars integers many floats many_floats wide wide_on_stack structures stack_structures bit_fields pointers
	consumed registers ns::references ns::objects ns::copies ns::Counter::count ns::templated'

# The flags of a pair
flags() {
	variant=$(echo "${1#*:}" | tr ',' ' ')
	[ "$variant" != plain ] || variant=
	echo "${1%%:*} $variant"
}

# compile CC CXX PAIR PROGRAM; the flags are words.
compile() {
	# shellcheck disable=SC2046
	"$1" -g $(flags "$3") -c "$source/arguments.c" -o "$4.c.o" 2>"$4.errors" &&
		"$2" -g $(flags "$3") -c "$source/arguments.cc" -o "$4.cc.o" 2>>"$4.errors" &&
		"$2" $(flags "$3") "$4.c.o" "$4.cc.o" -o "$4" 2>>"$4.errors"
}

# judge PROGRAM: compare what it printed with its profile.
cat >judge.py <<'END'
import collections, re, sqlite3, sys

program, printed, profile = sys.argv[1:]
db = sqlite3.connect(profile)
calls = collections.defaultdict(list)
for line in open(printed):
    if "|" in line:
        name, *pairs = line.rstrip("\n").split("|")
        calls[name].append([pair.split("=", 1) for pair in pairs])
wrong = values = absent = 0


def complain(text):
    global wrong
    wrong += 1
    if wrong <= 10:
        print("%s: %s" % (program, text))


def columns_of(function):
    return {name: (number, kind) for number, name, kind in db.execute(
        "SELECT id, name, type FROM variable WHERE function = ? AND role = 'feature'", (function,))}


def feature_of(expression, columns):
    """The feature itself, or the object that could not be read as a whole."""
    while expression not in columns and re.search(r"(\.|->)\w+$", expression):
        expression = re.sub(r"(\.|->)\w+$", "", expression)
    return columns.get(expression) or columns.get(expression.lstrip("*"))


for name, expected in calls.items():
    functions = db.execute("SELECT id FROM function WHERE name = ? OR name LIKE ? OR name LIKE ?",
                           (name, name + "(%", name + "<%")).fetchall()
    if len(functions) != 1:
        complain("%s is %d functions" % (name, len(functions)))
        continue
    function = functions[0][0]
    columns = columns_of(function)
    reasons = dict(db.execute("SELECT variable, reason FROM absence WHERE function = ?", (function,)))
    rows = db.execute("SELECT * FROM sample_%d ORDER BY id" % function)
    titles = [title[0] for title in rows.description]
    rows = rows.fetchall()
    if len(rows) != len(expected):
        complain("%s was called %d times, not %d" % (name, len(rows), len(expected)))
        continue
    for row, pairs in zip(rows, expected):
        cells = dict(zip(titles, row))
        for expression, number in pairs:
            found = feature_of(expression, columns)
            if not found:
                complain("%s of %s is no feature" % (expression, name))
                continue
            values += 1
            value = cells["v%d" % found[0]]
            if value is None:
                absent += 1
                if reasons.get(found[0]) != "optimized-out":
                    complain("%s of %s is %s" % (expression, name, reasons.get(found[0])))
            elif value != float(number):
                complain("%s of %s is %s, not %s" % (expression, name, value, number))
print("%s: %d values, %d of them optimised out" % (program, values, absent))
limit = 0 if "-O0" in program else 0.1 * values
if absent > limit:
    complain("too many are optimised out")
sys.exit(wrong != 0)
END

# measure CC CXX PAIR: build, run, judge; the outcome is a file of its own.
measure() {
	name=$1$(echo "$3" | tr -d ' ' | tr ':,' '__')
	mkdir "$name"
	compile "$1" "$2" "$3" "$name/program" || {
		echo "$name: it cannot be built here: $(head -n 1 "$name/program.errors")" >"$name.skipped"
		return
	}
	(
		cd "$name" || exit 1
		set --
		for function in $functions; do
			set -- "$@" -f "$function"
		done
		timeout 60 "$fathom" run -q "$@" -o profile --no-models -- ./program >printed 2>errors </dev/null || {
			cat errors
			echo "$name: fathom failed"
			exit 1
		}
		python3 "$scratch/judge.py" "$name" printed profile
	) >"$name.outcome" 2>&1 || mv "$name.outcome" "$name.failed"
	rm -rf "$name"
}

compilers='gcc:g++'
if command -v clang >/dev/null && command -v clang++ >/dev/null; then
	compilers="$compilers clang:clang++"
fi
for pair in $pairs; do
	for compiler in $compilers; do
		measure "${compiler%:*}" "${compiler#*:}" "$pair" &
	done
	wait
done
cat ./*.outcome ./*.skipped 2>/dev/null
cat ./*.failed 2>/dev/null && fail "arguments were not read as they are"
[ -n "$(ls ./*.outcome 2>/dev/null)" ] || {
	echo "nothing can be compiled here"
	exit 77
}
exit 0
