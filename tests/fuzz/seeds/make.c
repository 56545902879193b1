/* Values of several sizes, a switch and inlined code of C; it is looked at, never run. */
enum colour { RED, GREEN, BLUE = 7 };

struct inner {
	short small;
	unsigned bits : 3;
	signed more : 5;
	enum colour colour;
};

long double wide;

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
	static struct inner inner;

	inner = make('a', 1.5f, 3, inner);
	__builtin_trap();
}
