#!/bin/sh
# mem.at: what each line of the code has allocated in a call is what the program counts itself, by pads and by stops, and has
# a model of its own; what several sites have allocated is all of `mem`; only when asked for.
. "$(dirname "$0")/lib"

cat >program.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define APART __attribute__((noinline, noipa))
static void *kept[4];
APART static void *wrapped(size_t size)
{
	void *block = malloc(size); /* WRAPPED */
	memset(block, 1, size);
	return block;
}
APART static void inner(unsigned n)
{
	kept[0] = wrapped(3 * n + 1);
	kept[1] = calloc(n + 1, 5); /* CALLOC */
	free(kept[0]);
	free(kept[1]);
}
APART static void outer(unsigned n, unsigned mode)
{
	kept[2] = malloc(8 * n + 16); /* FIRST */
	kept[3] = NULL;
	if (mode)
		kept[3] = malloc(100); /* SOME */
	for (unsigned i = 0; i < n % 3; i++)
		inner(i);
	kept[2] = realloc(kept[2], 16 * n + 32); /* REALLOC */
	free(kept[2]);
	free(kept[3]);
}
/* More than a thread notes at once. */
APART static void many(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		void *volatile block = malloc(i + 1); /* MANY */
		free(block);
	}
}
int main(void)
{
	for (unsigned i = 0; i < 5; i++)
		many(2000 + i);
	for (unsigned i = 0; i < 300; i++) {
		const unsigned n = i * 7 % 50, mode = i % 4 == 3, k = n % 3;
		unsigned wrapped = 0, array = 0;
		for (unsigned j = 0; j < k; j++) {
			wrapped += 3 * j + 1;
			array += 5 * (j + 1);
		}
		outer(n, mode);
		printf("%u %u %u %u %u\n", 8 * n + 16, mode ? 100 : 0, wrapped, array, 16 * n + 32);
	}
	return 0;
}
EOF
cc -g -O1 -o program program.c
line() {
	awk -v mark="$1" 'index($0, "/* " mark " */") { print NR }' program.c
}
column() {
	echo "mem.at(program.c:$(line "$1"))"
}
for probes in pads stops; do
	rm -f sites.fathom
	run 0 run -q --probes=$probes --max-overhead none -m mem.at -f outer -f inner -f many --samples all -o sites.fathom -r report -- ./program
	mv output truth
	[ "$(sqlite3 sites.fathom 'SELECT count(*) FROM outer')" -eq 300 ] || fail "$probes: not 300 calls"
	sqlite3 -separator ' ' sites.fathom "SELECT CAST(\"$(column FIRST)\" AS INTEGER), CAST(\"$(column SOME)\" AS INTEGER),
		CAST(\"$(column WRAPPED)\" AS INTEGER), CAST(\"$(column CALLOC)\" AS INTEGER),
		CAST(\"$(column REALLOC)\" AS INTEGER) FROM outer ORDER BY id" >seen
	same truth seen
	[ "$(sqlite3 sites.fathom "SELECT count(*) FROM outer WHERE mem <> \"$(column FIRST)\" +
		\"$(column SOME)\" + \"$(column WRAPPED)\" + \"$(column CALLOC)\" + \"$(column REALLOC)\"")" -eq 0 ] || fail "$probes: the sites' sum is not mem"
	[ "$(sqlite3 sites.fathom "SELECT group_concat(CAST(\"$(column MANY)\" AS INTEGER)) FROM (SELECT * FROM many ORDER BY id)")" = \
		2001000,2003001,2005003,2007006,2009010 ] || fail "$probes: of many in one call some are missing"
	mv report output
	says "outer.mem.at(program.c:$(line FIRST))" '16 + 8*n' "inner.mem.at(program.c:$(line CALLOC))"
done

# Annotations are read back, checked, and found again by diff.
run 0 annotate -q sites.fathom
mv output annotations
run 0 check annotations sites.fathom
says "outer.mem.at(program.c:$(line REALLOC))"
run 0 diff sites.fathom sites.fathom
says "outer.mem.at(program.c:$(line REALLOC))"

# A place's metric is named as it is printed; as a function's, as it was before; and what was printed before is still read.
run 0 annotate -q -m "mem.at(program.c:$(line REALLOC))" sites.fathom
mv output named
grep -qF "outer.mem.at(program.c:$(line REALLOC)) {" named && [ "$(grep -c '^[a-z].*{$' named)" -eq 1 ] || fail "$(cat named)"
run 0 annotate -q -f "outer.at(program.c:$(line REALLOC))" -m mem sites.fathom
same named output
sed 's/outer\.mem\.\(at([^)]*)\)/outer.\1.mem/' named >before
run 0 check before sites.fathom
says "outer.mem.at(program.c:$(line REALLOC)): conforms"

# Threads that allocate at once, calls that are left by exceptions, what the library allocates for these: the same by both,
# and all of it.
cat >threads.cc <<'EOF'
#include <cstdlib>
#include <thread>
#include <vector>
#define APART __attribute__((noinline, noipa))
APART static void deep(unsigned n)
{
	char *volatile block = new char[n + 1];
	delete[] block;
	if (n % 3 == 0)
		throw 1;
}
APART static void work(unsigned n)
{
	std::vector<int> list;
	for (unsigned i = 0; i < n; i++)
		list.push_back(i);
	try {
		deep(n);
	} catch (int) {
	}
	void *volatile block = malloc(n * 2 + 7);
	free(block);
}
int main()
{
	std::vector<std::thread> threads;
	for (unsigned k = 0; k < 4; k++)
		threads.emplace_back([k] {
			for (unsigned i = 0; i < 100; i++)
				work((i * 7 + k) % 60);
		});
	for (std::thread &thread : threads)
		thread.join();
}
EOF
c++ -g -O1 -pthread -o threads threads.cc
for probes in pads stops; do
	run 0 run -q --probes=$probes --max-overhead none --no-models -m mem.at -f work -f deep --samples all -o $probes.fathom -- ./threads
	sqlite3 $probes.fathom "SELECT function.name, variable.name FROM variable JOIN function ON function.id = function
		WHERE role = 'key' ORDER BY function.name, variable.name" | while IFS='|' read -r name site; do
		sqlite3 $probes.fathom "SELECT '$name', '$site', count(\"$site\"), CAST(sum(\"$site\") AS INTEGER) FROM \"$name\""
	done >by_$probes
	sqlite3 $probes.fathom "SELECT CAST(sum(mem) AS INTEGER) FROM \"$(sqlite3 $probes.fathom \
		"SELECT name FROM function WHERE name LIKE 'work%'")\"" >all
	[ "$(awk -F'|' '$1 ~ /^work/ { sum += $4 } END { print sum }' by_$probes)" = "$(cat all)" ] || fail "$probes: not all of $(cat all)"
done
[ "$(grep -c '|400|' by_pads)" -ge 4 ] || fail "not 4 sites that are known of 400 calls: $(cat by_pads)"
same by_pads by_stops

# Nobody asked: no columns.
run 0 run -q -m mem -f outer -o plain.fathom -- ./program
sqlite3 plain.fathom 'SELECT name FROM variable' | grep -F 'mem.at(' && fail "sites without being asked"

# A place costs what is told by place, and nothing is said of other metrics.
rm -f both.fathom
run 0 run -q --max-overhead none -m time,mem.at -f outer -o both.fathom -r report -- ./program
grep -q '^outer\.mem\.at(' report && grep -q '^outer\.time {' report || fail 'a metric is missing'
! grep -q '^outer\.time\.at(' report || fail 'a place has a metric that nobody measured'
exit 0
