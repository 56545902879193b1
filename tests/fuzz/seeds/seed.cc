/* As many kinds of C++ as a small file holds; it is looked at, never run. */
namespace things {

struct Shape {
	virtual long area() const;
	int id;
};

struct Named {
	const char *name;
	virtual const char *label();
};

struct Square : Shape, virtual Named {
	long side;
	long area() const override;
	const char *label() override;
	static int count;
};

int Square::count = 3;

long Shape::area() const
{
	return id;
}

const char *Named::label()
{
	return name;
}

long Square::area() const
{
	return side * side;
}

const char *Square::label()
{
	return "square";
}

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

/* What the tables of classes refer to; libstdc++ is not linked. */
extern "C" {
void *_ZTVN10__cxxabiv117__class_type_infoE[4];
void *_ZTVN10__cxxabiv120__si_class_type_infoE[4];
void *_ZTVN10__cxxabiv121__vmi_class_type_infoE[4];

void _start(void)
{
	static things::Square square;
	static things::Shape *list[] = {&square};
	things::Vector<things::Shape *> shapes = {list, list + 1};
	auto plus = [&](long n) { return n + total(shapes, square, &things::Shape::id); };

	square.id = (int)plus(2);
	__builtin_trap();
}
}
