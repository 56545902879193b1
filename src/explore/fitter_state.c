/* What the fitter's two threads share: counts of readers and modellers, wake-ups. */
#include "fitter_state.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"

void fitter_tell(const struct fitter *fitter)
{
	while (eventfd_write(fitter->fd, 1) != 0 && errno == EINTR)
		;
}

void fitter_end_reading(struct fitter *fitter)
{
	pthread_mutex_lock(&fitter->lock);
	fitter->n_reading--;
	pthread_cond_broadcast(&fitter->wake);
	pthread_mutex_unlock(&fitter->lock);
}

void fitter_begin_modelling(struct fitter *fitter)
{
	pthread_mutex_lock(&fitter->lock);
	fitter->n_modelling++;
	pthread_cond_broadcast(&fitter->wake);
	pthread_mutex_unlock(&fitter->lock);
}

void fitter_end_modelling(struct fitter *fitter)
{
	pthread_mutex_lock(&fitter->lock);
	fitter->n_modelling--;
	pthread_cond_broadcast(&fitter->wake);
	pthread_mutex_unlock(&fitter->lock);
}

void fitter_leave(struct fitter *fitter)
{
	pthread_mutex_lock(&fitter->lock);
	fitter->n_threads--;
	pthread_cond_broadcast(&fitter->wake);
	pthread_mutex_unlock(&fitter->lock);
}

bool fitter_begin_reading(struct fitter *fitter)
{
	bool may;

	pthread_mutex_lock(&fitter->lock);
	may = !fitter->is_over;
	fitter->n_reading += may;
	pthread_mutex_unlock(&fitter->lock);
	return may;
}

void fitter_say_trouble(struct fitter *fitter, const struct err *err)
{
	pthread_mutex_lock(&fitter->lock);
	if (!fitter->had_trouble)
		fitter->trouble = strdup(err->text);
	fitter->had_trouble = true;
	pthread_mutex_unlock(&fitter->lock);
	fitter_tell(fitter);
}

void fitter_publish(struct fitter *fitter)
{
	struct explorer_list *list, *before;

	pthread_mutex_lock(&fitter->lock);
	list = explorer_source_copy_list(fitter->list);
	fitter->published_ms = clock_now_ms();
	before = fitter->published;
	fitter->published = list;
	pthread_mutex_unlock(&fitter->lock);
	explorer_source_destroy_list(before);
	fitter_tell(fitter);
}

size_t fitter_function_end(const struct explorer_list *list, size_t first)
{
	size_t end = first;

	while (end < list->n && !strcmp(list->keys[end], list->keys[first]))
		end++;
	return end;
}
