#!/bin/sh
# Models are made once: the profile keeps them, for the same samples and options; --no-models makes none.
. "$(dirname "$0")/lib"

measure() {
	run 0 run -q -f work -r report "$@" -- "$build/fixtures/elements-old" 500 10 1000
	mv report output
}
# What is kept gets a mark, by which it is known where it is used.
mark() {
	sqlite3 kept.fathom "UPDATE model SET annotation =
		CAST(replace(CAST(annotation AS TEXT), 'as large in every call', 'AS LARGE IN EVERY CALL') AS BLOB)"
}
is_kept() {
	grep -q 'AS LARGE IN EVERY CALL' output || fail "$1 made what is kept again"
}
is_new() {
	! grep -q 'AS LARGE IN EVERY CALL' output || fail "$1 used what is kept of others"
	says 'as large in every call'
}

measure -o kept.fathom
cp output first
run 0 annotate kept.fathom
same first output
run 0 annotate kept.fathom --json
cp output first.json
mark
run 0 annotate kept.fathom
is_kept annotate
run 0 annotate kept.fathom --json
is_kept 'annotate --json'
run 0 export kept.fathom --json
is_kept 'export --json'
run 0 export kept.fathom --html page.html
grep -q 'AS LARGE IN EVERY CALL' page.html || fail 'export --html made what is kept again'
grep '^  int .*10 ' first | sed 's/^ *int \([a-z_]*\) = .*/\1/' | head -1 >feature
for of in first kept.fathom; do
	run 0 predict $of work "$(cat feature)=500"
	mv output "predicted-$of"
done
same predicted-first predicted-kept.fathom
run 0 annotate kept.fathom --min-r2 0.8
is_new 'another option'
run 0 diff kept.fathom kept.fathom

# More samples: the models are of all, and then these are kept.
measure -o kept.fathom
is_new 'a second run'
[ "$(sqlite3 kept.fathom 'SELECT count(*) FROM model')" -eq 1 ] || fail 'it keeps more than one model'
cp output both
run 0 annotate kept.fathom
same both output

# What another build made, or what is damaged, is made again, and makes no difference.
for change in "maker = 'another'" "annotation = 'x'" "annotation = x'00'" "samples = NULL"; do
	mark
	sqlite3 kept.fathom "UPDATE model SET $change"
	run 0 annotate kept.fathom
	same both output
done

measure --no-models -o samples.fathom
[ ! -s output ] || fail 'models were made'
[ "$(sqlite3 samples.fathom 'SELECT count(*) FROM model')" -eq 0 ] || fail 'models were kept'
[ "$(sqlite3 samples.fathom 'SELECT count(*) FROM work')" -gt 0 ] || fail 'no samples were kept'
cp samples.fathom other.fathom
run 0 annotate samples.fathom
says 'Norm('
for profile in samples other; do
	[ "$(sqlite3 $profile.fathom 'SELECT count(*) FROM model')" -eq 1 ] || fail "$profile.fathom does not keep what was made"
	[ $profile = other ] || run 0 diff samples.fathom other.fathom
done
run 0 run --no-models -f work -- "$build/fixtures/elements-old" 500 10 1000
[ "$(sqlite3 fathom.fathom 'SELECT count(*) FROM work')" -gt 0 ] || fail 'the samples are not kept'

# The dearest function comes first.
run 0 run -q -r output -f linear_int -f cubic -o order.fathom -- "$build/fixtures/plain-spinning-gcc-O2" 60 1 account cubic linear_int
first=$(sed -n '1s/\..*//p' output)
[ "$(sqlite3 order.fathom 'SELECT name FROM function JOIN account ON function = function.id ORDER BY time_ns DESC LIMIT 1')" = "$first" ] ||
	fail "$first is first"
