#!/bin/sh
# A char * that leads into a large buffer is no string: looking for its end at every call would take thousands of times what the calls take.
# not sanitized: what strings cost beside calls is asked
. "$(dirname "$0")/lib"

cat >buffers.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	char *at;
	const char *name;
};

__attribute__((noipa)) int step(struct parser *parser)
{
	return parser->at[0] + parser->name[0];
}

int main(int argc, char **argv)
{
	static char name[1001];
	struct parser parser = {malloc(900001), name};
	int sum = 0;

	memset(parser.at, 'x', 900000);
	parser.at[900000] = 0;
	for (int i = 0; i < atoi(argv[argc - 1]); i++) {
		memset(name, 'n', i % 1000);
		name[i % 1000] = 0;
		sum += step(&parser);
	}
	printf("%d\n", sum);
	return 0;
}
END
cc -O2 -g buffers.c -o buffers || fail "no compiler"
"$fathom" run -f step --samples all -o out.fathom --no-models -- ./buffers 300000 2>said || fail "$(cat said)"
grep -q "strings that step can read are so long" said || fail "it is not told: $(cat said)"
"$fathom" export out.fathom --csv -o out.csv || fail "export"
python3 - out.csv <<'END' || fail "values"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
at = next(key for key in rows[0] if key == "strlen(parser->at)")
name = next(key for key in rows[0] if key == "strlen(parser->name)")
read = [row for row in rows if row[at]]
assert read and all(float(row[at]) == 900000 for row in read), "a wrong length"
assert len(read) < len(rows) / 2, "buffers are read at %d calls of %d" % (len(read), len(rows))
assert all(row[name] and float(row[name]) < 1000 for row in rows), "a string is lost"
END
