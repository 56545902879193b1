#!/bin/sh
# Annotations that were made once say what a call will cost; and what they cannot say, they say too.
. "$(dirname "$0")/lib"

cat >some.ann <<'END'
sort(int *, long).time {
features:
  int n = n;  // 10 .. 1000
    // the same as list->size
  enum how = how;
annotations:
  [how == MERGE] Norm(10 + 2*n, 1);  // linear: 20 samples
  [how == QUICK && n < 500] {
    {0.5} Norm(100, 0);  // constant: 20 samples
    {0.5} Norm(200, 0);  // constant: 20 samples
  }
}
sort(int *, long).mem {
features:
  int n = n;
annotations:
  Norm(8*n, 0);
}
END
run 0 predict some.ann sort -m time n=100 how=MERGE
says 'sort(int *, long).time: 210 µs; 95 % of the calls between 208.04 and 211.96'
run 0 predict some.ann sort list-\>size=100 how=QUICK -m time
says 'time: 150 µs; 95 % of the calls between 100 and 200'
run 0 predict some.ann sort n=5000 how=MERGE
mv output plainly
run 0 predict some.ann sort n=5,000 how=MERGE
cmp output plainly || fail 'n=5,000 is another number'
run 2 predict some.ann sort n=5,00 how=MERGE
run 0 predict some.ann sort n=5000 how=MERGE
says 'time: 10010 µs'
says 'mem: 40000 bytes'
complains 'n=5000 is outside of what was observed (10 .. 1000)'
run 0 predict --json some.ann sort n=5000 how=MERGE -m time
says '"outside": ['
says '"mean": 10010'
run 2 predict some.ann sort n=600 how=QUICK -m time
complains 'no case of sort(int *, long) holds there'
run 2 predict some.ann sort n=100 n=200 how=MERGE
complains 'n is given twice'
run 2 predict some.ann sort n=100 how=MERGE -m cpu
complains 'but not of that metric'
run 2 predict some.ann sort how=MERGE -m time
complains 'n must be known'
run 2 predict some.ann sort m=5
complains 'has a feature m'
run 2 predict some.ann sort n=many
complains 'n=many: that is not a number'
run 2 predict some.ann sort n
complains 'NAME=VALUE'
run 2 predict some.ann walk n=5
complains 'has no annotation of walk'
cat >names.ann <<'END'
"f(int).time {".time {
features:
  int n = "a;b = c";
  enum kind = kind;
annotations:
  [kind == "A && B"] Norm(2*n, 0);
  [kind == "7"] Norm(3*n, 0);
  [kind == 7] Norm(4*n, 0);
}
"bell\x07".time {
features:
annotations:
  Norm(1, 0);
}
END
run 0 predict names.ann 'f(int).time {' n=5 'kind=A && B'
says '"f(int).time {".time: 10 µs'
run 0 predict names.ann '"f\x28int).time {"' '"a;b = c"=5' 'kind="A && B"'
says 'time: 10 µs'
run 0 predict names.ann 'f(int).time {' n=5 'kind="7"'
says 'time: 15 µs'
run 0 predict names.ann 'f(int).time {' n=5 kind=7
says 'time: 20 µs'
run 0 predict names.ann '"bell\x07"'
says '"bell\x07".time: 1 µs'
run 2 predict names.ann 'f(int).time {' n=5 'kind="\q"'
complains 'escapes within quotes are'
run 2 predict none.ann sort n=5
complains 'No such file'
: >empty.ann
run 2 predict empty.ann sort n=5
complains 'holds no annotation'
printf 'f.time {\nfeatures:\n  int n = n;\nannotations:\n  Norm(m, 1);\n}\n' >wrong.ann
run 2 predict wrong.ann f n=5
complains 'wrong.ann: line 5, column 8: expected a number, a function or one of the features'

# What annotate writes predicts.
awk 'BEGIN { print "function,time,n"; for (i = 1; i <= 1000; i++) print "work," 3 + 0.5 * i "," i }' >line.csv
run 0 import -q -o line.fathom line.csv
run 0 annotate line.fathom -r made.ann
run 0 predict made.ann work n=500
says 'work.time: 253 µs; 95 % of the calls between 253 and 253'

# A line leads below 0 somewhere; a cost does not.
printf 'f().mem {\nfeatures:\n  int n = n;\nannotations:\n  Norm(8*n - 100, 1);\n}\n' >below.ann
run 0 predict below.ann f n=2
says 'f().mem: 0 bytes; 95 % of the calls between 0 and 0'

# What is exactly a multiple gives the value, converted; what merely goes along is refused, and why is said.
awk 'BEGIN { srand(5); print "function,time,b,all,near"
	for (i = 1; i <= 400; i++) {
		b = 1 + int(99 * rand())
		print "f," 10 + 2 * b + rand() "," b "," 100 * b "," 100 * b + int(9 * rand())
	} }' >scaled.csv
run 0 import -q -o scaled.fathom scaled.csv
run 0 annotate scaled.fathom -r scaled.ann
says_file() {
	grep -qF -- "$2" "$1" || fail "$1 does not say: $2"
}
says_file scaled.ann '    // the same, with all = 100*b'
says_file scaled.ann '    // goes along with near'
run 0 predict scaled.ann f b=50
cp output by_name
run 0 predict scaled.ann f all=5000
same by_name output
run 0 predict scaled.ann f all=5000 b=50
same by_name output
run 2 predict scaled.ann f all=5000 b=60
complains 'another argument gives b=50'
run 2 predict scaled.ann f near=5000
complains 'near went along with b in the samples, but does not give its value: give b'
run 0 annotate scaled.fathom --json
python3 - output <<'END' || fail 'JSON tells it otherwise'
import json, sys
feature, = json.load(open(sys.argv[1]))["annotations"][0]["features"]
assert feature["aliases"] == [], feature
assert feature["affine"] == [{"expression": "all", "scale": 100, "offset": 0}], feature
assert feature["correlated"] == ["near"], feature
END

# Of two that go along, the cause is told by the costs, whatever the names; where they do not tell it, that is said.
companions() {
	awk -v noise="$1" 'BEGIN { srand(7); print "function,time,a,b"
		for (i = 1; i <= 400; i++) {
			b = 1 + int(120 * rand())
			print "f," (10 + 2 * b) * (1 + noise * (rand() - 0.5)) "," 100 * b + int(60 * (rand() - 0.5)) "," b
		} }' >two.csv
	rm -f two.fathom
	run 0 import -q -o two.fathom two.csv
}
companions 0.002
run 0 predict two.fathom f b=50
says 'f.time: 110'
run 2 predict two.fathom f a=5000
complains 'a went along with b in the samples, but does not give its value: give b'
companions 0.2
run 0 predict two.fathom f a=5000
complains 'b went along with a in the samples: this holds only where it still does'

# New samples may have only the multiple; what merely goes along is not taken for it.
cut -d, -f1,2,4 scaled.csv >multiple.csv
cut -d, -f1,2,5 scaled.csv >along.csv
run 0 import -q -o multiple.fathom multiple.csv
run 0 check scaled.ann multiple.fathom
says 'f.time: conforms'
run 0 import -q -o along.fathom along.csv
run 2 check scaled.ann along.fathom
complains 'b'

# Whether something could be read follows from its value; that it cannot be is said.
cat >null.ann <<'END'
f.time {
features:
  int n = list->n;
  bool list = list != 0;
  int k = k;
annotations:
  [list] Norm(2*n, 1);
  [!list && defined(k)] Norm(3*k, 1);
  [!list && !defined(k)] Norm(5, 1);
}
END
run 0 predict null.ann f n=100
says 'f.time: 200 µs'
run 0 predict null.ann f list=0 k=100
says 'f.time: 300 µs'
run 0 predict null.ann f list=0 k=absent
says 'f.time: 5 µs'
run 2 predict null.ann f list=0
complains 'it depends on k'
run 2 predict null.ann f k=1 k=absent list=0
complains 'k is given twice'

# A distance is known by its ends, too, and may be given itself.
cat >range.ann <<'END'
sort.time {
features:
  int hi_lo = r->hi - r->lo;
  int n = n;
annotations:
  Norm(2*hi_lo + n, 1);
}
END
run 0 predict range.ann sort n=1 'r->lo=10' 'r->hi=60'
says 'sort.time: 101 µs'
run 0 predict range.ann sort n=1 hi_lo=50
says 'sort.time: 101 µs'
run 2 predict range.ann sort n=1 'r->hi=60'
complains 'no annotation of sort has a feature r->hi'
run 2 predict range.ann sort n=1 'r->hi=60' 'r->lo=few'
complains 'r->lo=few: that is not a number'
run 2 predict range.ann sort n=1 'r->hi=60' 'r->lo=absent'
complains 'hi_lo must be known'

# A misspelt name gets the nearest one.
cat >near.ann <<'END'
checkout.time {
features:
  int n = n;
annotations:
  Norm(2*n, 1);
}
END
run 2 predict near.ann chekout n=3
complains 'the nearest name is checkout'
