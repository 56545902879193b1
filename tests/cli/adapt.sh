#!/bin/sh
# --adapt: features and branches that never mattered are read in a tenth of the calls; one that begins to matter is found, and read in all
# again. Of what is known fewer calls are recorded.
# alone: it waits for models, which give way to whatever else runs: ten times as long
. "$(dirname "$0")/lib"

cat >said.h <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *volatile block;

/* How often a file says so. */
static int times_said(const char *path, const char *words)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "r");
	int times = 0;

	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	for (const char *at = text; (at = strstr(at, words)); at++)
		times++;
	return times;
}
END

# What `weight` allocates is nothing until the file says once that features are read less, and so
# soon after the beginning that most calls were not asked for it. Then the program goes on until the
# file says so a second time, and for 300 calls more.
cat >late.c <<'END'
#include "said.h"

struct part {
	int weight, colour;
	struct part *next;
};

__attribute__((noinline)) void work(int n, struct part *part)
{
	block = malloc(16 * n + 8 * part->next->weight);
	free(block);
}

int main(int argc, char **argv)
{
	const time_t end = time(NULL) + 100;
	struct part inner = {0, 0, NULL}, outer = {0, 0, &inner};
	long calls = 0, said = 0, since[3] = {0};

	for (; (said < 2 || calls < since[2] + 300) && time(NULL) < end; calls++) {
		if (said < 2 && calls % 20 == 0 && times_said(argv[1], "in a tenth") > said)
			since[++said] = calls;
		if (said && calls > since[1] + 400)
			inner.weight = calls * 101 % 97;
		inner.colour = calls * 13 % 7;
		outer.colour = calls * 29 % 31;
		work(1 + calls * 37 % 211, &outer);
		usleep(300);
	}
	printf("first %ld second %ld calls %ld\n", since[1], since[2], calls);
	return said < 2;
}
END
gcc -g -O1 late.c -o late || exit 77

asked() { # EXPRESSION FIRST N: the share of these calls that were asked for it, in %
	v=v$(sqlite3 late.fathom "SELECT id FROM variable WHERE name = '$1'")
	sqlite3 late.fathom "SELECT round(100.0 * count($v) / count(*)) FROM (SELECT $v FROM sample_1 ORDER BY id LIMIT $3 OFFSET $2)"
}
is_asked() { # EXPRESSION FIRST N LEAST MOST
	share=$(asked "$1" "$2" "$3")
	[ "${share%.*}" -ge "$4" ] && [ "${share%.*}" -le "$5" ] ||
		fail "by $probes, $share % of the $3 calls from call $2 on were asked for $1"
}

for probes in pads stops; do
	rm -f late.fathom
	run 0 run -m mem --period 50 --samples all --max-overhead none --adapt --probes $probes -f work -o late.fathom -r report \
		-- ./late "$scratch/errors"
	grep -q 'Norm(16\*n + 8\*weight, 0)' report || fail "by $probes: $(cat report)"
	# What is read in a tenth of 300 calls is read in 9 to 51 of them but for one time in 10,000.
	first=$(sed -n 's/^first \([0-9]*\) .*/\1/p' output)
	calls=$(sed -n 's/.*calls //p' output)
	is_asked n 0 "$calls" 100 100
	is_asked 'part->next->weight' 0 300 100 100
	is_asked 'part->next->weight' $((first + 50)) 300 3 17
	is_asked 'part->next->weight' $((calls - 200)) 200 100 100
	is_asked 'part->next->colour' $((calls - 300)) 300 3 17
	# Calls that were not asked for it are neither another case nor a violation.
	run 0 annotate -q late.fathom
	cp output laws
	run 0 check -q laws late.fathom
	says 'work.mem: conforms'
done

# Branches hint at conditions of features, in a tenth of the calls: that of `mode` begins to matter, that of `tint` never does.
cat >branch.c <<'END'
#include "said.h"

static volatile int touched;

__attribute__((noinline)) void pick(int n, int mode, int tint)
{
	int size = 16 * n;

	if (mode > 37) {
		size += 4096;
		__asm__ volatile("" : "+r"(size));
	}
	if (tint > 3)
		touched++;
	block = malloc(size);
	free(block);
}

int main(int argc, char **argv)
{
	const time_t end = time(NULL) + 100;
	long calls = 0, said = 0, since[3] = {0};

	for (; (said < 2 || calls < since[2] + 300) && time(NULL) < end; calls++) {
		if (said < 2 && calls % 20 == 0 && times_said(argv[1], "in a tenth") > said)
			since[++said] = calls;
		pick(1 + calls * 37 % 211, said && calls > since[1] + 400 ? calls * 101 % 97 : 0, calls * 13 % 7);
		usleep(300);
	}
	printf("first %ld second %ld calls %ld\n", since[1], since[2], calls);
	return said < 2;
}
END
gcc -g -O1 branch.c -o branch || exit 77
mode="branch.c:$(grep -n 'if (mode' branch.c | cut -d: -f1) at %"
tint="branch.c:$(grep -n 'if (tint' branch.c | cut -d: -f1) at %"
known() { # COLUMN FIRST N: how many of these calls know it, in %
	v=v$(sqlite3 branch.fathom "SELECT id FROM variable WHERE name LIKE '$1'")
	sqlite3 branch.fathom "SELECT 100 * count($v) / count(*) FROM (SELECT $v FROM sample_1 ORDER BY id LIMIT $3 OFFSET $2)"
}
is_known() { # COLUMN FIRST N LEAST MOST
	share=$(known "$1" "$2" "$3")
	[ "$share" -ge "$4" ] && [ "$share" -le "$5" ] || fail "by $probes, $share % of the $3 calls from call $2 on know $1"
}
for probes in pads stops; do
	rm -f branch.fathom
	run 0 run -m mem --globals none --branches --period 50 --samples all --max-overhead none --adapt --probes $probes -f pick \
		-o branch.fathom -r report -- ./branch "$scratch/errors"
	grep -q 'mode > 3.*Norm(4096 + 16\*n, 0)' report && grep -q 'mode <= 3.*Norm(16\*n, 0)' report || fail "by $probes: $(cat report)"
	first=$(sed -n 's/^first \([0-9]*\) .*/\1/p' output)
	calls=$(sed -n 's/.*calls //p' output)
	is_known "$tint" 0 300 100 100
	is_known "$tint" $((first + 50)) 300 3 17
	is_known "$mode" $((first + 50)) 300 3 17
	is_known "$mode" $((calls - 300)) 300 3 17
	is_known mode $((first + 50)) 300 3 17
	is_known mode $((calls - 200)) 200 100 100
done
# What nobody asks for is no stop: two of each call are its beginning and its end.
few=$(sqlite3 branch.fathom "SELECT count(*) FROM (SELECT stops FROM sample_1 ORDER BY id LIMIT 300 OFFSET $((first + 50))) WHERE stops <= $(
	sqlite3 branch.fathom 'SELECT min(stops) FROM sample_1')")
[ "$few" -ge 200 ] || fail "$few of 300 calls had no stop for a branch"

# What is known has a tenth of others' limit (1,280 of 12,800 records a second): of 8,000 calls a second those of the last fourth are fewer
# than without --adapt in as many seconds, six times where the machine is quick enough for all.
cat >known.c <<'END'
#include "said.h"

__attribute__((noinline)) void exact(int n)
{
	block = malloc(16 * n);
	free(block);
}

/* Until the file has said so and as long again, and 2 s; or for so many seconds. */
int main(int argc, char **argv)
{
	const time_t begin = time(NULL);
	time_t now = begin, end = begin + (argc > 2 ? atoi(argv[2]) : 100), said = 0;

	for (long calls = 0; now < end; calls++) {
		if (calls % 16 == 0)
			usleep(2000);
		if (calls % 1600 == 0) {
			now = time(NULL);
			if (!said && times_said(argv[1], "exact: of its calls a tenth")) {
				said = now;
				end = said + 2 + said - begin;
			}
		}
		exact(1 + calls * 37 % 211);
	}
	printf("%ld\n", (long)(now - begin));
	return argc == 2 && !said;
}
END
gcc -g -O1 known.c -o known || exit 77
measure() { # OPTION...
	rm -f known.fathom
	run 0 run -m mem --globals none --period 50 --max-overhead none -f exact -o known.fathom -r report "$@"
}
late() { # samples of the last fourth
	sqlite3 known.fathom 'SELECT count(*) FROM sample_1 WHERE start_ns > (SELECT max(start_ns) * 3 / 4 FROM sample_1)'
}
measure --adapt -- ./known "$scratch/errors"
known=$(late) seconds=$(cat output)
measure -- ./known /dev/null "$seconds"
all=$(late)
[ "$known" -gt 0 ] && [ $((3 * known)) -le "$all" ] || fail "$known samples of what is known, $all without --adapt"
