/*
 * The accounting of virtual speedups: which thread has been paused for how long, and owes how much.
 *
 * A thread that runs the code under test gets ahead: it *gains* the time by which that code is to
 * be faster, and all others are to be paused as long. What counts is who is ahead of whom: if all
 * gain the same, nobody pauses. A thread's *position* is what it gained, was paused for, and was
 * credited with; `front_ns` is how far the first has got, and a thread's *debt* the distance
 * to that.
 *
 * A thread that waits for another one is late because that one is: what it owes when it wakes is
 * *credited*, but no more than it has waited. For had it been paused before, it would have arrived
 * later, and waited less; and what it waited for comes earlier by what the front has grown, so that
 * it may be one that need not have waited at all. One that waits for the outside (a disk, a peer,
 * the time) was delayed by nobody, so it owes all when it wakes. If that comes at times of its own,
 * however fast the program is, then what the thread gained since the last time is lost: it would
 * only have waited for longer. Lost gains are taken back; where others have paused for them, the
 * thread has to gain as much again before it counts.
 *
 * Plain data: events come in the order of their times, which are arguments. Times are in ns.
 * Source: C. Curtsinger, E. Berger, Coz: Finding Code that Counts with Causal Profiling, SOSP 2015;
 * the credits of threads that slept for less than their debt are our own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <uthash.h>

/* A sample is taken after so much of a thread's time on a processor. */
#define CAUSAL_SAMPLE_NS UINT64_C(1000000)

/* PACED: by the outside, at a time of its own. */
enum causal_wake { CAUSAL_WAKE_THREAD, CAUSAL_WAKE_OUTSIDE, CAUSAL_WAKE_PACED };

struct causal_thread {
	pid_t tid;
	int64_t position_ns;
	/* what that consists of, since causal_account_begin() */
	int64_t gained_ns, paused_ns, credited_ns;
	int64_t last_ns; /* gained by its last sample */
	int64_t step_ns; /* the same, and by the one before; 0: it does not go on to gain */
	uint64_t sampled_at_ns;
	int64_t unpaced_ns; /* gained since a wait at whose end that would have been lost */
	int64_t lost_ns;    /* lost, and not taken back: of what it gains next so much is nothing */
	bool blocked;
	uint64_t blocked_at_ns; /* while blocked; and what it owed by then */
	int64_t owed_ns;
	UT_hash_handle hh;
};

/* All zero: no thread, nothing gained. */
struct causal_account {
	struct causal_thread *threads; /* by tid, for causal_account_find() */
	int64_t front_ns;              /* falls only by what is taken back */
	int64_t began_ns;              /* front_ns in causal_account_begin() */
	int64_t counted_ns;            /* front_ns in causal_account_count() */
};

void causal_account_deinit(struct causal_account *account);

/* A new thread is where its creator is; 0, or one that is gone: owes nothing. */
struct causal_thread *causal_account_add(struct causal_account *account, pid_t tid, pid_t creator);
void causal_account_remove(struct causal_account *account, pid_t tid);
struct causal_thread *causal_account_find(const struct causal_account *account,
					  pid_t tid); /* NULL: none */

/* An experiment begins: nobody owes anything. */
void causal_account_begin(struct causal_account *account);

/* From here on causal_account_inserted() counts; who owes what stays as it is. */
void causal_account_count(struct causal_account *account);

/*
 * @thread ran code that is to be faster by @ns; or it brought work that is to come so much earlier.
 */
void causal_account_gain(struct causal_account *account, struct causal_thread *thread, int64_t ns);

/* The same of a sample, by which it gained @ns; 0: it ran other code. */
void causal_account_sample(struct causal_account *account, struct causal_thread *thread,
			   uint64_t when_ns, int64_t ns);

/* @thread left the processor to wait for something, at @when_ns; it stopped waiting. */
void causal_account_block(const struct causal_account *account, struct causal_thread *thread,
			  uint64_t when_ns);
void causal_account_wake(struct causal_account *account, struct causal_thread *thread,
			 uint64_t when_ns, enum causal_wake by);

/*
 * @thread was kept from running for @ns. If that is more than it owed, it has so much to its
 * credit: nobody else pays for that.
 */
void causal_account_pause(struct causal_thread *thread, int64_t ns);

/* What it owes, also while it waits. */
int64_t causal_account_owed(const struct causal_account *account,
			    const struct causal_thread *thread);

/* How long @thread is to be paused; 0: it owes nothing, or waits. */
int64_t causal_account_debt(const struct causal_account *account,
			    const struct causal_thread *thread);

/*
 * For how much longer one that is paused is to be so, 0 or more, at @now_ns. As long as another one
 * goes on to gain it pays that, too, before the next sample tells of it: half of that is more than
 * is true in the mean, as samples count for the time before them, and is for the time until the
 * next look. So it owes nothing in the mean while it runs, and what it gives away unseen, as a lock
 * for which another one spins, does not come too early.
 */
int64_t causal_account_due(const struct causal_account *account, const struct causal_thread *thread,
			   uint64_t now_ns);

/*
 * What pauses have cost since causal_account_begin() or causal_account_count(): to be taken off the
 * elapsed time. Below 0 if more was taken back than was added.
 */
int64_t causal_account_inserted(const struct causal_account *account);

/*
 * The invariant, at the end of an experiment: what a thread gained, was paused for and was credited
 * with is the same for all, or was when it began to wait, to @tolerance_ns: who runs too shortly to
 * be paused owes ever more. *@ret_ns: the largest difference.
 */
bool causal_account_balanced(const struct causal_account *account, int64_t tolerance_ns,
			     int64_t *ret_ns);
