/* Who owes which pause. When an experiment begins, and what is faster in it: causal_plan.c. */
#include "causal_account.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

void causal_account_deinit(struct causal_account *account)
{
	struct causal_thread *thread, *next;

	HASH_ITER (hh, account->threads, thread, next)
		causal_account_remove(account, thread->tid);
}

struct causal_thread *causal_account_find(const struct causal_account *account, pid_t tid)
{
	struct causal_thread *thread;

	HASH_FIND(hh, account->threads, &tid, sizeof(tid), thread);
	return thread;
}

struct causal_thread *causal_account_add(struct causal_account *account, pid_t tid, pid_t creator)
{
	const struct causal_thread *parent = causal_account_find(account, creator);
	struct causal_thread *thread = mem_alloc(sizeof(*thread));

	causal_account_remove(account, tid);
	thread->tid = tid;
	thread->position_ns = parent ? parent->position_ns : account->front_ns;
	thread->credited_ns = thread->position_ns - account->began_ns;
	HASH_ADD(hh, account->threads, tid, sizeof(thread->tid), thread);
	return thread;
}

void causal_account_remove(struct causal_account *account, pid_t tid)
{
	struct causal_thread *thread = causal_account_find(account, tid);

	if (!thread)
		return;
	HASH_DEL(account->threads, thread);
	free(thread);
}

void causal_account_begin(struct causal_account *account)
{
	struct causal_thread *thread, *next;

	account->began_ns = account->front_ns;
	causal_account_count(account);
	HASH_ITER (hh, account->threads, thread, next) {
		thread->position_ns = account->front_ns;
		thread->gained_ns = thread->paused_ns = thread->credited_ns = 0;
		thread->owed_ns = thread->unpaced_ns = thread->lost_ns = 0;
	}
}

void causal_account_count(struct causal_account *account)
{
	account->counted_ns = account->front_ns;
}

void causal_account_gain(struct causal_account *account, struct causal_thread *thread, int64_t ns)
{
	const int64_t nothing_ns = thread->lost_ns < ns ? thread->lost_ns : ns;

	thread->unpaced_ns += ns;
	thread->lost_ns -= nothing_ns;
	ns -= nothing_ns;
	thread->gained_ns += ns;
	thread->position_ns += ns;
	if (thread->position_ns > account->front_ns)
		account->front_ns = thread->position_ns;
}

void causal_account_sample(struct causal_account *account, struct causal_thread *thread,
			   uint64_t when_ns, int64_t ns)
{
	thread->step_ns = thread->last_ns > 0 ? ns : 0;
	thread->last_ns = ns;
	thread->sampled_at_ns = when_ns;
	if (ns)
		causal_account_gain(account, thread, ns);
}

void causal_account_block(const struct causal_account *account, struct causal_thread *thread,
			  uint64_t when_ns)
{
	thread->owed_ns = account->front_ns - thread->position_ns;
	thread->blocked = true;
	thread->step_ns = thread->last_ns = 0;
	thread->blocked_at_ns = when_ns;
}

/* What @thread is ahead of all others. */
static int64_t account_lead(const struct causal_account *account,
			    const struct causal_thread *thread)
{
	const struct causal_thread *other, *next;
	int64_t second_ns = account->began_ns;

	HASH_ITER (hh, account->threads, other, next)
		if (other != thread && other->position_ns > second_ns)
			second_ns = other->position_ns;
	return thread->position_ns > second_ns ? thread->position_ns - second_ns : 0;
}

/* It would have waited for longer by what it gained, and gone on at the same time. */
static void account_lose(struct causal_account *account, struct causal_thread *thread)
{
	const int64_t lead_ns = account_lead(account, thread);
	int64_t back_ns;

	thread->lost_ns += thread->unpaced_ns;
	thread->unpaced_ns = 0;
	back_ns = thread->lost_ns < lead_ns ? thread->lost_ns : lead_ns;
	if (thread->position_ns < account->front_ns)
		return;
	thread->lost_ns -= back_ns;
	thread->gained_ns -= back_ns;
	thread->position_ns -= back_ns;
	account->front_ns -= back_ns;
}

/* Where the one that woke it may be: in front, or further, as it paid in advance. */
static int64_t account_furthest(const struct causal_account *account)
{
	const struct causal_thread *other, *next;
	int64_t most_ns = account->front_ns;

	HASH_ITER (hh, account->threads, other, next)
		if (other->position_ns > most_ns)
			most_ns = other->position_ns;
	return most_ns;
}

void causal_account_wake(struct causal_account *account, struct causal_thread *thread,
			 uint64_t when_ns, enum causal_wake by)
{
	const int64_t waited_ns = (int64_t)(when_ns - thread->blocked_at_ns);
	const int64_t owed_ns = account_furthest(account) - thread->position_ns;
	const int64_t credit_ns = owed_ns < waited_ns ? owed_ns : waited_ns;

	if (!thread->blocked)
		return;
	thread->blocked = false;
	if (by == CAUSAL_WAKE_PACED)
		account_lose(account, thread);
	if (by != CAUSAL_WAKE_THREAD || credit_ns <= 0)
		return;
	thread->credited_ns += credit_ns;
	thread->position_ns += credit_ns;
}

void causal_account_pause(struct causal_thread *thread, int64_t ns)
{
	thread->step_ns = thread->last_ns = 0;
	thread->paused_ns += ns;
	thread->position_ns += ns;
}

int64_t causal_account_owed(const struct causal_account *account,
			    const struct causal_thread *thread)
{
	return account->front_ns - thread->position_ns;
}

int64_t causal_account_debt(const struct causal_account *account,
			    const struct causal_thread *thread)
{
	const int64_t owed_ns = causal_account_owed(account, thread);

	return thread->blocked || owed_ns < 0 ? 0 : owed_ns;
}

/* Who is in front, and goes on to gain. */
static const struct causal_thread *account_gainer(const struct causal_account *account,
						  const struct causal_thread *but)
{
	const struct causal_thread *other, *next;
	const struct causal_thread *found = NULL;

	HASH_ITER (hh, account->threads, other, next)
		if (other != but && other->position_ns == account->front_ns &&
		    other->step_ns > (found ? found->step_ns : 0))
			found = other;
	return found;
}

int64_t causal_account_due(const struct causal_account *account, const struct causal_thread *thread,
			   uint64_t now_ns)
{
	const struct causal_thread *gainer = account_gainer(account, thread);
	double due_ns = (double)causal_account_owed(account, thread);
	double since_ns, share;

	if (gainer) {
		share = (double)gainer->step_ns / CAUSAL_SAMPLE_NS;
		since_ns = fmin((double)(now_ns - gainer->sampled_at_ns), CAUSAL_SAMPLE_NS);
		/* It grows while it is paid, until the next sample. */
		due_ns = fmin((due_ns + share * since_ns) / fmax(1 - share, 1e-3),
			      due_ns + (double)gainer->step_ns);
	}
	return thread->blocked || due_ns < 0 ? 0 : (int64_t)due_ns;
}

int64_t causal_account_inserted(const struct causal_account *account)
{
	return account->front_ns - account->counted_ns;
}

bool causal_account_balanced(const struct causal_account *account, int64_t tolerance_ns,
			     int64_t *ret_ns)
{
	const struct causal_thread *thread, *next;

	*ret_ns = 0;
	HASH_ITER (hh, account->threads, thread, next) {
		const int64_t off_ns =
			llabs(thread->blocked ? thread->owed_ns
					      : account->front_ns - thread->position_ns);

		if (off_ns > *ret_ns)
			*ret_ns = off_ns;
	}
	return *ret_ns <= tolerance_ns;
}
