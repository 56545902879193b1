/*
 * `scaling THREADS DEPTH TURNS`: each of the threads calls a function so deep, so often, by itself,
 * when all have begun. Prints the seconds until then, and those of the calls.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_barrier_t barrier;
static long depth, turns;

__attribute__((noinline)) long down(long n)
{
	return n > 1 ? 1 + down(n - 1) : 1;
}

static void *work(void *argument)
{
	long sum = 0;

	pthread_barrier_wait(&barrier);
	for (long i = 0; i < turns; i++)
		sum += down(depth);
	pthread_barrier_wait(&barrier);
	return (void *)(sum + (long)argument);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const long n = argc == 4 ? atol(argv[1]) : 0;
	pthread_t *threads = calloc((size_t)n + 1, sizeof(*threads));
	pthread_attr_t attributes;
	double begun, started;

	if (n < 1)
		return 2;
	depth = atol(argv[2]);
	turns = atol(argv[3]);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536 + (size_t)depth * 64);
	pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
	begun = now();
	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], &attributes, work, NULL) != 0)
			return 3;
	pthread_barrier_wait(&barrier);
	started = now();
	pthread_barrier_wait(&barrier);
	printf("%.9f %.9f\n", started - begun, now() - started);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
