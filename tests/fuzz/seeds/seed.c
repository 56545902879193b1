/* As many kinds of C as a small file holds; it is looked at, never run. */
enum colour { RED, GREEN, BLUE = 7 };

struct inner {
	short small;
	unsigned bits : 3;
	signed more : 5;
	enum colour colour;
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
long double wide;

__attribute__((noinline)) static long walk(const struct node *node, int depth, double factor)
{
	long sum = 0;

	for (; node && depth > 0; node = node->next, depth--)
		sum += node->inner.small + (long)(node->real * factor) + node->table[depth & 3];
	counter++;
	return sum;
}

static inline int twice(int n)
{
	return n * 2;
}

__attribute__((noinline)) struct inner make(char c, float f, __int128 big, struct inner old)
{
	switch (c) {
	case 'a':
		old.small = (short)f;
		break;
	case 'b':
		old.colour = GREEN;
		break;
	case 'c':
		old.bits = (unsigned)big;
		break;
	case 'd':
		old.more = twice(old.more);
		break;
	}
	return old;
}

void _start(void)
{
	static struct node last = {.text = "last"}, first = {.next = &last, .name = "first"};
	struct inner inner = make('a', 1.5f, 3, first.inner);

	local = walk(&first, 3, 2.5) + inner.small;
	__builtin_trap();
}
