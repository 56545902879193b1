#!/bin/sh
# not sanitized: CPython's interpreter is measured in interpreters.sh, and other tests read debug information.
# What a Lua interpreter's function costs is told for each function that it interprets, by its source and line.
. "$(dirname "$0")/lib"

build_real lua5.4
cat >costs.lua <<'END'
local function small(i) return string.rep("x", 100000) end
local function large(i) return string.rep("x", 500000) end
for i = 1, 100 do
  string.gsub("a", "a", ({small, large})[i % 2 + 1])
end
END
for way in pads stops; do
	rm -f a.fathom
	run 0 run -q --no-models --probes $way --globals none --max-depth 1 --max-overhead none --samples all -m mem -f luaV_execute -o a.fathom \
		-- "$real" costs.lua
	[ "$(sqlite3 a.fathom 'SELECT "lua.line", count(*), min(mem / 100000), max(mem / 100000) FROM luaV_execute
		WHERE "lua.line" > 0 GROUP BY 1' | sed 's/\.[0-9]*//g' | tr '\n' ' ')" = '1|50|2|2 2|50|10|10 ' ] ||
		fail "$way: $(sqlite3 a.fathom 'SELECT "lua.line", count(*), min(mem), max(mem) FROM luaV_execute GROUP BY 1')"
	run 0 export --csv -o a.csv a.fathom
	[ "$(grep -c '@costs.lua' a.csv)" = 101 ] || fail "$way: $(head -3 a.csv)"
done
run 0 annotate -q -m mem --where 'lua.line > 0' a.fathom
says '[line == 1] Norm(2000' '[line == 2] Norm(10000'
