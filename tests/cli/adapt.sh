#!/bin/sh
# --adapt: features that never mattered are read in a tenth of the calls; one that begins to matter is found, and read in all again.
. "$(dirname "$0")/lib"

# What `weight` allocates is nothing until the file says once that features are read less, and so
# soon after the beginning that most calls were not asked for it. Then the program goes on until the
# file says so a second time, and for 300 calls more.
cat >late.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct part {
	int weight, colour;
	struct part *next;
};

static void *volatile block;

__attribute__((noinline)) void work(int n, struct part *part)
{
	block = malloc(16 * n + 8 * part->next->weight);
	free(block);
}

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

int main(int argc, char **argv)
{
	const time_t end = time(NULL) + 60;
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
