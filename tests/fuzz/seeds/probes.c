/* USDT probes in what a compiler makes of a loop, an unlikely part, and places in two functions. */
#define PROBE(name, arguments)                                                                                   \
	"990: nop\n.pushsection .note.stapsdt,\"\",@note\n.balign 4\n.4byte 8,994f-993f,3\n.asciz \"stapsdt\"\n" \
	"993: .8byte 990b,0,0\n.asciz \"base\"\n.asciz \"" name "\"\n.asciz \"" arguments                        \
	"\"\n994: .balign 4\n"                                                                                   \
	".popsection\n"

static volatile int sink;

__attribute__((noinline, cold)) static void repair(int n)
{
	sink += n;
}

__attribute__((noinline)) static int query(int rows, int broken)
{
	int at[4] = {rows, broken};

	__asm__ volatile(PROBE("begin", "-4@%0 4@%1") : : "nor"(rows), "nor"(at[sink & 3]));
	for (int i = 0; i < rows; i++)
		sink = sink + i;
	if (__builtin_expect(broken, 0)) {
		__asm__ volatile(PROBE("repaired", "-4@%0") : : "nor"(broken));
		repair(rows);
		rows += broken * 2;
	}
	__asm__ volatile(PROBE("many", "-4@$1"));
	__asm__ volatile(PROBE("end", "-4@%0") : : "nor"(rows));
	return rows;
}

__attribute__((noinline)) static void other(int n)
{
	__asm__ volatile(PROBE("many", "-4@$2"));
	repair(query(n, sink));
}

void _start(void)
{
	other(query(sink, sink));
	for (;;)
		;
}
