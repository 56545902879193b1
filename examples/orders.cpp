// A program to try fathom on: batches of orders are cleaned, sorted and counted. One of the three
// functions is slower than it looks.
//   g++ -g -O2 orders.cpp -o orders && fathom run -- ./orders
// And how it could be, to compare with: -DQUICK.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>
#include <vector>

struct Order {
	int number;
	double price;
	std::string customer;
};
using Orders = std::vector<Order>;

// What was sent twice is kept once.
__attribute__((noinline)) static void dedup(const Orders &orders, Orders &unique)
{
#ifdef QUICK
	std::unordered_set<int> seen;
	for (const Order &order : orders)
		if (seen.insert(order.number).second)
			unique.push_back(order);
#else
	for (const Order &order : orders) {
		bool seen = false;
		for (const Order &other : unique)
			seen |= other.number == order.number;
		if (!seen)
			unique.push_back(order);
	}
#endif
}

__attribute__((noinline)) static void by_customer(Orders &orders)
{
	std::sort(orders.begin(), orders.end(),
	    [](const Order &a, const Order &b) { return a.customer < b.customer; });
}

__attribute__((noinline)) static double revenue(const Orders &orders)
{
	double sum = 0;
	for (const Order &order : orders)
		sum += order.price;
	return sum;
}

int main(int argc, char **argv)
{
	int batches = argc > 1 ? atoi(argv[1]) : 300, largest = argc > 2 ? atoi(argv[2]) : 3000;
	double sum = 0;
	srand(1);
	for (int batch = 1; batch <= batches; batch++) {
		int size = batches == 1 ? largest : rand() % largest + 1;
		Orders orders, unique;
		for (int i = 0; i < size; i++)
			orders.push_back({rand() % (4 * size), rand() % 100 * 0.99,
			    "customer " + std::to_string(rand() % 1000)});
		dedup(orders, unique);
		by_customer(unique);
		sum += revenue(unique);
	}
	printf("%.2f\n", sum);
}
