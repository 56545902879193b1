/* Templates, references, pointers to members and a lambda of C++; it is looked at, never run. */
namespace things {

struct Shape {
	int id;
	long area() const
	{
		return id;
	}
};

template <typename T> struct Vector {
	T *begin, *end;
	unsigned long size() const
	{
		return end - begin;
	}
	T &operator[](int i);
};

template <typename T> __attribute__((noinline)) T &Vector<T>::operator[](int i)
{
	return begin[i];
}

__attribute__((noinline)) static long total(Vector<Shape *> &shapes, const Shape &one, int Shape::*member)
{
	long sum = one.*member;

	for (unsigned long i = 0; i < shapes.size(); i++)
		sum += shapes[i]->area();
	return sum;
}

} // namespace things

extern "C" void _start(void)
{
	static things::Shape square;
	static things::Shape *list[] = {&square};
	things::Vector<things::Shape *> shapes = {list, list + 1};
	auto plus = [&](long n) { return n + total(shapes, square, &things::Shape::id); };

	square.id = (int)plus(2);
	__builtin_trap();
}
