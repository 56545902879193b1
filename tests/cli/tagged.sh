#!/bin/sh
# What objects of C are, by the static objects that they point to: the members of the structures that begin with what a function is declared
# to take are read where the tag says so, and nowhere else, by stops as by pads.
. "$(dirname "$0")/lib"

# KIND,N: what each call worked on, as fathom read it.
seen() {
	sqlite3 -separator ' ' "$1" 'SELECT "object->kind", "((struct list *)object)->n", "((struct sorted *)object)->keys",
		"((Text *)object)->length", "((Blob *)object)->size" FROM work ORDER BY id' | sed 's/_kind//; s/ *$//; s/  */ /g'
}

for program in $(built tagged); do
	for probes in stops pads; do
		rm -f it.fathom
		run 0 run -q --max-overhead none --probes $probes --samples all -f work -m mem -o it.fathom -r it.ann -- "$program" 280
		# What is of no static kind, or of an odd one, is none of these structures.
		awk '{ print $1 == "made" ? "" : $1, $1 == "sorted" ? $2 " " $2 : $1 ~ /odd|plain/ ? "" : $2 }' output |
			awk 'NR % 7 == 6 { print "unknown-class"; next } { sub(/ *$/, ""); print }' >wanted
		seen it.fathom | awk '$1 == "" || $1 == "unknown-class" { print "unknown-class"; next } { print }' >found
		same wanted found
		sed -i 's|//.*||' it.ann
		grep -qF '((struct list *)object)->n' it.ann || fail "$(basename "$program"): the cost of lists is by their size: $(cat it.ann)"
		grep -qF '((Text *)object)->length' it.ann || fail "$(basename "$program"): the cost of texts is by their length: $(cat it.ann)"
		grep -qF '((Blob *)object)->size' it.ann || fail "$(basename "$program"): the cost of blobs is by their size: $(cat it.ann)"
		grep -qF '((struct other *)' it.ann && fail 'what contradicts itself says nothing'
	done
done
exit 0
