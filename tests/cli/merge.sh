#!/bin/sh
# One call in two programs that know nothing of it: what the server cost is found by the bytes, and the parts add up.
# not sanitized: six programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"
asked=$build/fixtures/asked
measured='--no-models -q -m time,mem,remote --max-overhead none --samples all'

# measure NAME LAW CLIENTS: the server and so many clients at once, as NAME.server and NAME.1, NAME.2, …
measure() {
	rm -f port
	# shellcheck disable=SC2086
	timeout 120 "$fathom" run $measured -f handle -o "$1.server" -- "$asked" serve port >served 2>&1 &
	server=$!
	until [ -s port ] || ! kill -0 $server 2>gone; do sleep 0.05; done
	clients=
	for i in $(seq "$3"); do
		# shellcheck disable=SC2086
		timeout 120 "$fathom" run $measured -f do_stuff -o "$1.$i" -- "$asked" call port "$2" 2 >"$1.truth.$i" 2>&1 &
		clients="$clients $!"
	done
	for client in $clients; do wait "$client" || fail "a client failed: $(cat "$1".truth.*)"; done
	"$asked" call port end 1
	wait $server || fail "the server failed: $(cat served)"
}

# The laws of the seed: the sum over 0 … param, and param alone.
measure sum sum 2
measure one one 1
for pair in sum.1:sum.server:'param * (param + 1) / 2':'param + 1' sum.2:sum.server:'param * (param + 1) / 2':'param + 1' one.1:one.server:param:1; do
	IFS=: read -r client server k calls <<END
$pair
END
	run 0 merge "$client" "$server" -o joint --no-models -q
	[ "$(sqlite3 joint "SELECT count(*), sum(\"mem.server\" = 1000 * $k), sum(\"time.server\" >= 200 * $k),
		sum(abs(time - \"time.own\" - \"time.server\" - \"time.network\") < 0.001), sum(\"time.own\" > 90) FROM do_stuff")" = '20|20|20|20|20' ] ||
		fail "$client: $(sqlite3 joint 'SELECT param, "mem.server", time, "time.own", "time.server", "time.network" FROM do_stuff')"
	[ "$(sqlite3 joint "ATTACH '$client' AS c; SELECT sum(j.time) < sum(c.time) AND sum(j.time <= c.time OR j.\"time.network\" = 0) = 20
		FROM main.do_stuff AS j JOIN c.do_stuff AS c USING (start_ns)")" = 1 ] || fail 'stops of the server are in the time of the client'
	# Each is the sum of the calls that received its bytes, no other client's, until they answered.
	sqlite3 joint "ATTACH '$server' AS served; SELECT count(*) FROM do_stuff AS a WHERE
		(SELECT count(*) || ' ' || round(sum(min(coalesce(time, \"served.worked\" / 1000.0), \"served.worked\" / 1000.0)), 3) FROM served.handle AS s WHERE s.\"served.stream\" = a.\"asked.stream\"
		AND s.\"served.from\" >= a.\"asked.from\" AND s.\"served.to\" <= a.\"asked.to\") = ($calls) || ' ' || round(\"time.server\", 3)" >sums
	[ "$(cat sums)" = 20 ] || fail "$client: only $(cat sums) are the sums of what served them"
	[ "$(sqlite3 joint "SELECT sum(requests = $calls) FROM do_stuff")" = 20 ] || fail "$client: requests are not $calls"
done
[ "$(sqlite3 joint 'SELECT count(*) FROM do_stuff WHERE "handle.fd" > 0')" = 20 ] || fail 'the features of the only server call are not joined'

# A merged profile is a profile.
run 0 merge sum.1 sum.server -o joint
says 'do_stuff.mem.server {'
says 'Norm(500*param + 500*param^2, 0);'
says 'do_stuff.time.own {'
cp output annotations
grep -qE '^fathom: do_stuff.time = own [0-9]+ % \+ server [0-9]+ % \+ network [0-9]+ %$' errors || fail 'no shares'
run 0 annotate joint -m mem.server
says 'Norm(500*param + 500*param^2, 0);'
run 0 check annotations joint
run 0 diff joint joint
says 'do_stuff.time.network'
run 0 predict annotations do_stuff param=9 -m mem.server
says 'do_stuff.mem.server: 45000 bytes'
run 0 export joint --csv
cp output joint.csv
run 0 import joint.csv -o again
run 0 annotate again -m mem.server
says 'Norm(500*param + 500*param^2, 0);'

# Bad input: a line each.
run 2 merge sum.server sum.1 -o no -q
complains 'the functions of sum.server only serve requests'
run 2 merge sum.1 sum.1 -o no -q
complains 'the functions of sum.1 only make requests'
run 2 merge one.1 sum.server -o no -q
complains 'no call of one.1 could be matched'
run 2 merge sum.1 again -o no -q
complains 'no call in again served a request that could be followed'
run 2 merge sum.1 sum.server sum.server -o no -q
complains 'sum.server and sum.server are of the same run of a server: give each once'
cp sum.server copy
run 2 merge sum.1 one.server sum.server copy -o no -q
complains 'sum.server and copy are of the same run of a server: give each once'
for file in sum.1 sum.server; do
	sum=$(cksum <$file)
	run 2 merge sum.1 sum.server -o ./$file -q
	complains "the merged profile would replace $file"
	[ "$sum" = "$(cksum <$file)" ] || fail "$file is another one now"
done
cp sum.server newer
sqlite3 newer 'PRAGMA user_version = 99'
for pair in 'sum.1 newer' 'newer sum.server'; do
	# shellcheck disable=SC2086
	run 2 merge $pair -o no -q
	complains 'newer was written by a newer fathom'
done
run 2 merge again sum.server -o no -q
complains 'no call in again made a request that could be followed'
head -c 5000 sum.server >cut
run 2 merge sum.1 cut -o no -q
complains 'cut is damaged'
[ ! -e no ] || fail 'there is a merged profile of nothing'
run 2 merge sum.1 sum.server -q
complains 'give -o PROFILE'
run 2 merge sum.1 sum.server -o no --match 'do_stuff=handle'
complains "is not like 'call.id = handler.request->id'"
run 2 merge sum.1 sum.server -o no --match 'do_stuff.params = handle.fd'
complains 'sum.1 has no samples of do_stuff with the feature params'
run 2 run -m time.server -f do_stuff -- "$asked"
complains 'fathom merge finds'
[ ! -e no ] || fail 'a profile was written'

# Unix sockets and pipes: the kernel says who is connected with whom, and the order says which request is which. Where it does not
# say so, as for a socket of another network, the moment does. A server that goes on after its answer contradicts nothing.
mkfifo way.pipe way.pipe.back
for way in way.sock:2 way.pipe:2 port:1:LINGERS=1 away.sock:3:; do
	IFS=: read -r at rule lingers <<END
$way
END
	rm -f port
	apart='--'
	if [ "$rule" = 3 ]; then
		unshare -rn true 2>gone || continue
		apart='--follow-fork -- unshare -rn'
	fi
	# shellcheck disable=SC2086
	timeout 120 env ${lingers:-LINGER=} "$fathom" run $measured -f handle -o "$at.server" $apart "$asked" serve "$at" >served 2>&1 &
	server=$!
	until [ -s "$at" ] || [ -S "$at" ] || [ -p "$at" ] || ! kill -0 $server 2>gone; do sleep 0.05; done
	# shellcheck disable=SC2086
	timeout 120 "$fathom" run $measured -f do_stuff -o "$at.client" $apart "$asked" call "$at" sum 2 >truth 2>&1 || fail "$at: $(cat truth)"
	[ -p "$at" ] || "$asked" call "$at" end 1
	wait $server || fail "$at: the server failed: $(cat served)"
	run 0 merge "$at.client" "$at.server" -o joint --no-models
	[ "$(sqlite3 joint "SELECT count(*), sum(\"mem.server\" = 500 * param * (param + 1)), sum(\"time.server\" >= 100 * param * (param + 1)),
		sum(abs(time - \"time.own\" - \"time.server\" - \"time.network\") < 0.001), sum(requests = param + 1), sum(\"matched.by\" = $rule) FROM do_stuff")" = '20|20|20|20|20|20' ] ||
		fail "$at: $(sqlite3 joint 'SELECT param, "mem.server", time, "time.own", "time.server", "time.network", "matched.by" FROM do_stuff')"
done
# 220 transfers each; a pad asks about a pipe once.
for end in client server; do
	[ "$(sqlite3 way.pipe.$end 'SELECT stops < 40 FROM run')" = 1 ] || fail "the $end stops at pipes: $(sqlite3 way.pipe.$end 'SELECT stops FROM run') times"
done
[ "$(sqlite3 port.server 'SELECT sum(time - "served.worked" / 1000.0 > 3000) = count(*) - 1 FROM handle')" = 1 ] || fail 'the server does not linger'
# The seventh of them is not there: of its client's call nothing is known.
sqlite3 way.sock.server 'DELETE FROM sample_1 WHERE id = (SELECT id FROM sample_1 ORDER BY id LIMIT 1 OFFSET 6)'
run 0 merge way.sock.client way.sock.server -o joint --no-models
grep -q 'do_stuff: 19 of 20 calls are matched by their order on the connection' errors && grep -q 'do_stuff: 1 of 20 calls asked what no sample' errors ||
	fail 'a missing call is not missed'

# Moments of another clock, as of another host, say nothing of this one's.
v=v$(sqlite3 way.sock.server "SELECT id FROM variable WHERE name = 'clock' AND role = 'key'")
sqlite3 way.sock.server "UPDATE sample_1 SET $v = $v + 1"
run 2 merge way.sock.client way.sock.server -o no
grep -q "do_stuff: 20 of 20 calls asked over a connection of which only moments tell, and the servers' clocks are others" errors ||
	fail 'moments of different clocks are compared'

# One command for both ends: a server that it launches, and one that runs.
one() {
	run 0 run -f do_stuff -m mem -o joint --with "$1" --serve handle -- "$asked" call port one 2
	[ "$(sqlite3 joint 'SELECT count(*), sum("mem.server" = 1000 * param), sum("time.server" >= 200 * param), sum("matched.by" = 1) FROM do_stuff')" = '20|20|20|20' ] ||
		fail "with $1: $(sqlite3 joint 'SELECT param, "mem.server", "time.server" FROM do_stuff')"
	grep -qF 'do_stuff.mem.server {' output || fail 'no annotations'
}
rm -f port
one "'$asked' serve port"
rm -f port
"$asked" serve port &
server=$!
until [ -s port ]; do sleep 0.05; done
one $server
kill -0 $server || fail 'a server that was there before is not there any more'
python3 - $server <<'END' || fail 'the text of the server or of a library of it is another one afterwards'
import sys
with open(f'/proc/{sys.argv[1]}/maps') as maps, open(f'/proc/{sys.argv[1]}/mem', 'rb') as memory:
    texts = [(fields[0], int(fields[2], 16), fields[5]) for fields in map(str.split, maps)
             if 'x' in fields[1] and fields[5:] and fields[5].startswith('/')]
    assert any('libc' in path for _, _, path in texts)
    for addresses, offset, path in texts:
        low, high = (int(address, 16) for address in addresses.split('-'))
        memory.seek(low)
        with open(path, 'rb') as file:
            file.seek(offset)
            original = file.read(high - low)
        assert memory.read(high - low)[:len(original)] == original, path
END
"$asked" call port end 1
wait $server || fail 'the server was harmed'
run 2 run -f do_stuff -o no --with 1 -- "$asked" call port one 2
complains '--with needs -f FUNCTION'
run 2 run -f do_stuff -o no --with "true '" --serve handle -- "$asked" call port one 2
complains 'quote'

# By a feature that both have; a name that several have is refused.
printf 'function,time,key\ncall,100,1\ncall,200,2\ncall,300,3\ncall,400,3\ncall,500,9\n' >calls.csv
printf 'function,time,request\nserve,60,2\nserve,50,1\nserve,10,3\nserve,10,4\n' >serves.csv
"$fathom" import -q -o calls calls.csv && "$fathom" import -q -o serves serves.csv
run 0 merge calls serves -o named --match 'call.key = serve.request' --no-models
grep -q 'call: 2 of 5 calls are matched by the feature' errors && grep -q 'call: 2 of 5 calls have a number that other calls have' errors &&
	grep -q 'call: 1 of 5 calls have a number that no sample' errors || fail 'what was not matched is not counted'
[ "$(sqlite3 named 'SELECT group_concat(key || coalesce("time.server", "-")) FROM call')" = '150.0,260.0,3-,3-,9-' ] || fail "$(sqlite3 named 'SELECT * FROM call')"
# Functions of C++ are named as elsewhere, without their parameters.
sed -i 's/^call,/"at::call(int, long)",/' calls.csv
"$fathom" import -q -o calls.cxx calls.csv
run 0 merge calls.cxx serves -o named.cxx --match 'call.key = serve.request' --no-models
grep -q 'at::call(int, long): 2 of 5 calls are matched by the feature' errors || fail "a function of C++ is not named: $(cat errors)"
