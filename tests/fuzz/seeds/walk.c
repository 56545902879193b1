/* Structures, a loop and variables of C in a small file; it is looked at, never run. */
struct inner {
	short small;
	unsigned bits : 3;
	signed more : 5;
};

struct node {
	struct node *next;
	struct inner inner;
	union {
		long number;
		double real;
	};
	char name[16];
	const char *text;
	int table[4];
	_Bool set;
};

static int counter;
_Thread_local long local;

__attribute__((noinline)) static long walk(const struct node *node, int depth, double factor)
{
	long sum = 0;

	for (; node && depth > 0; node = node->next, depth--)
		sum += node->inner.small + (long)(node->real * factor) + node->table[depth & 3];
	counter++;
	return sum;
}

void _start(void)
{
	static struct node last = {.text = "last"}, first = {.next = &last, .name = "first"};

	local = walk(&first, 3, 2.5);
	__builtin_trap();
}
