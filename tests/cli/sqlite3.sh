#!/bin/sh
# A real program: what SQLite's parser costs is linear in the length of the statement.
# alone: it models times
# not sanitized: costs are for real
. "$(dirname "$0")/lib"

build_real sqlite3
shell=$real
"$top/fixtures/real/sqlite3-inserts" >inserts.sql

attempt() {
	rm -f parser.fathom
	timeout 120 "$fathom" run -f sqlite3RunParser -o parser.fathom -r report --json -- \
		"$shell" -batch :memory: <inserts.sql >output 2>errors || fail "status $?"
	python3 - report <<'END'
import json, sys
[annotation] = json.load(open(sys.argv[1]))["annotations"]
model, *rest = annotation["models"]
assert not rest or model["heuristic"] == "M", rest # what waited stands beside the trend
print(annotation["text"])
assert [f["expression"] for f in annotation["features"]] == ["strlen(zSql)"]
assert model["class"] == "linear", model["class"]
END
}
five_attempts 'the annotation is not linear in strlen(zSql) alone'

# What the program prints is not touched by measuring it.
"$shell" -batch :memory: <inserts.sql >alone
same alone output
