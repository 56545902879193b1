/*
 * The programs of bench/parts. "serve PORTFILE CONNECTIONS": a request is a number of µs, after
 * which it is answered. "ask WHAT PORTFILE [PORTFILE PORTFILE]": sums 0 + 1 + ... + i ms, which
 * grows with the square of i; each 1 ms a request; each 2 ms a request; fan 10 ms at three at once.
 * Waits end at their moment: most of it is slept, the rest is spun.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../tests/cli/ports.h"

enum { PEERS = 3, TURNS = 8, MOST = 12, SPUN_NS = 300000, SECOND_NS = 1000000000 };

static int fds[PEERS];

static int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void wait_until(int64_t end_ns)
{
	const int64_t asleep_ns = end_ns - clock_ns() - SPUN_NS;

	if (asleep_ns > 0)
		nanosleep(&(struct timespec){asleep_ns / SECOND_NS, asleep_ns % SECOND_NS}, NULL);
	while (clock_ns() < end_ns)
		;
}

__attribute__((noinline)) static int handle(int fd)
{
	int64_t us;

	if (read(fd, &us, sizeof(us)) != sizeof(us))
		return 0;
	wait_until(clock_ns() + us * 1000);
	return write(fd, &us, sizeof(us)) == sizeof(us);
}

static void *serve(void *at)
{
	while (handle((int)(intptr_t)at))
		;
	return NULL;
}

static void send_us(int i, int64_t us)
{
	if (write(fds[i], &us, sizeof(us)) != sizeof(us))
		exit(1);
}

static void hear(int i)
{
	int64_t us;

	if (read(fds[i], &us, sizeof(us)) != sizeof(us))
		exit(1);
}

__attribute__((noinline)) static void sums(int i)
{
	for (int k = 0; k <= i; k++) {
		send_us(0, 1000 * k);
		hear(0);
	}
}

__attribute__((noinline)) static void each(int i)
{
	for (int k = 0; k < i; k++) {
		send_us(0, 1000);
		hear(0);
	}
}

__attribute__((noinline)) static void fan(int i)
{
	for (int k = 0; k < PEERS; k++)
		send_us(k, 10000 + 0 * i);
	for (int k = 0; k < PEERS; k++)
		hear(k);
}

static void serve_all(const char *path, int n)
{
	const int fd = port_listen(path, n);
	pthread_t threads[PEERS];

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, serve, (void *)(intptr_t)accept(fd, NULL, NULL));
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	if (!strcmp(argv[1], "serve")) {
		serve_all(argv[2], atoi(argv[3]));
		return 0;
	}
	for (int i = 0; i < argc - 3 || i < PEERS; i++)
		fds[i] = i < argc - 3 ? port_connect(argv[3 + i]) : -1;
	for (int turn = 0; turn < TURNS; turn++)
		for (int i = 1; i <= MOST; i++)
			if (!strcmp(argv[2], "sums"))
				sums(i);
			else if (!strcmp(argv[2], "each"))
				each(i);
			else
				fan(i);
	return 0;
}
