// Functions with known costs, whose profile is kept as the file that version 0.1.0 wrote.
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum Order { SORTED, SHUFFLED };

struct Shape {
	virtual ~Shape() = default;
	virtual long area() const = 0;
	long width;
};
struct Square : Shape {
	long area() const override { return width * width; }
};
struct Strip : Shape {
	long area() const override { return width; }
};

volatile long sink;

__attribute__((noinline)) static void work(long steps)
{
	for (long i = 0; i < steps; i++)
		sink = sink + i;
}

__attribute__((noinline)) void scan(const char *text, long n, Order order)
{
	if (order == SHUFFLED)
		work(4 * n * n);
	else
		work(200 * n);
	sink = sink + (long)strlen(text);
}

__attribute__((noinline)) char *grow(long n)
{
	char *made = (char *)malloc(16 * n);
	memset(made, 1, 16 * n);
	return made;
}

__attribute__((noinline)) void paint(const Shape *shape)
{
	work(120 * shape->area());
	free(grow(shape->width + 1));
}

int main()
{
	Square square;
	Strip strip;
	char text[200];

	for (int i = 0; i < 70; i++) {
		long n = 10 + i * 37 % 150;
		memset(text, 'x', n);
		text[n] = 0;
		scan(text, n, i % 3 ? SORTED : SHUFFLED);
		square.width = strip.width = 5 + i * 17 % 60;
		paint(i % 2 ? (const Shape *)&square : &strip);
		free(grow(1 + i * 53 % 100));
	}
	return 0;
}
