/* Classes of C++ in a small file; it is looked at, never run. */
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

} // namespace things

/* What the tables of classes refer to; libstdc++ is not linked. */
extern "C" {
void *_ZTVN10__cxxabiv117__class_type_infoE[4];
void *_ZTVN10__cxxabiv120__si_class_type_infoE[4];
void *_ZTVN10__cxxabiv121__vmi_class_type_infoE[4];

void _start(void)
{
	static things::Square square;
	things::Shape *shape = &square;

	square.id = (int)shape->area();
	__builtin_trap();
}
}
