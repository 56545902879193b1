/* What the fitter's two threads share: counts of readers and modellers, wake-ups. */
#include "fitter_state.h"

#include <errno.h>
#include <sys/eventfd.h>

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
	pthread_mutex_unlock(&fitter->lock);
}

void fitter_leave(struct fitter *fitter)
{
	pthread_mutex_lock(&fitter->lock);
	fitter->n_threads--;
	pthread_cond_broadcast(&fitter->wake);
	pthread_mutex_unlock(&fitter->lock);
}
