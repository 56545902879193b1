/* `endings THREADS`: threads that call a function which always throws, until SIGTERM. */
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

__attribute__((noinline)) void thrower(int n)
{
	throw n;
}

static void *work(void *)
{
	for (int i = 0;; i++)
		try {
			thrower(i);
		} catch (int) {
		}
	return nullptr;
}

int main(int, char **argv)
{
	pthread_t thread;

	for (int i = atoi(argv[1]); i > 0; i--)
		pthread_create(&thread, nullptr, work, nullptr);
	for (;;)
		pause();
}
