/* A list of idle profiles under a lock. The last one to leave a destroyed pool frees it. */
#include "explorer_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { IDLE_MAX = 64 };

struct explorer_pool {
	pthread_mutex_t lock;
	struct profile *idle[IDLE_MAX];
	size_t n_idle, n_lent;
	bool is_over;
};

struct explorer_pool *explorer_pool_create(void)
{
	struct explorer_pool *pool = mem_alloc(sizeof(*pool));

	pthread_mutex_init(&pool->lock, NULL);
	return pool;
}

static void free_pool(struct explorer_pool *pool)
{
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

void explorer_pool_destroy(struct explorer_pool *pool)
{
	bool is_last;

	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->is_over = true;
	while (pool->n_idle)
		profile_close(pool->idle[--pool->n_idle]);
	is_last = !pool->n_lent;
	pthread_mutex_unlock(&pool->lock);
	if (is_last)
		free_pool(pool);
}

bool explorer_pool_lend(struct explorer_pool *pool, const char *path, struct lent_profile *ret,
			struct err *err)
{
	*ret = (struct lent_profile){.pool = pool};
	if (pool) {
		pthread_mutex_lock(&pool->lock);
		if (pool->n_idle)
			ret->profile = pool->idle[--pool->n_idle];
		pool->n_lent += ret->profile != NULL;
		pthread_mutex_unlock(&pool->lock);
	}
	if (ret->profile)
		return true;
	if (!profile_open(path, &ret->profile, err))
		return false;
	if (pool) {
		pthread_mutex_lock(&pool->lock);
		pool->n_lent++;
		pthread_mutex_unlock(&pool->lock);
	}
	return true;
}

void explorer_pool_take_back(const struct lent_profile *lent)
{
	struct explorer_pool *pool = lent->pool;
	struct profile *profile = lent->profile;
	bool is_last = false;

	if (!profile)
		return;
	if (pool) {
		pthread_mutex_lock(&pool->lock);
		pool->n_lent--;
		is_last = pool->is_over && !pool->n_lent;
		if (!pool->is_over && pool->n_idle < IDLE_MAX) {
			pool->idle[pool->n_idle++] = profile;
			profile = NULL;
		}
		pthread_mutex_unlock(&pool->lock);
	}
	profile_close(profile);
	if (is_last)
		free_pool(pool);
}
