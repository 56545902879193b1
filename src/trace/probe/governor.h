/*
 * The governor: which functions are open when, so that measuring costs no more than a part of the
 * program's time.
 *
 * A function is open while its probes are planted, closed while they are lifted; a window is a
 * stretch of time in which it is open. A call is measured if it begins in a window. Windows begin
 * and end by program time, the clock less what measuring has cost, and are decided when they begin:
 * what happens in them does not cut them, so that short and long calls have the same chance. (What
 * costs many times more than was planned is cut nevertheless, as when an idle program becomes a
 * busy one; so are hundreds that cost so much together, each when it has had its part.)
 *
 * Functions that are cheap stay open. When all together would cost more than the budget, the others
 * get equal shares of what is left (max-min fairness). Time is divided into cycles of random
 * length; all that are closed open together when one begins, so that callers are seen with their
 * callees, and each closes when its share is likely to be spent. What was spent beyond the budget
 * is paid back by a longer cycle.
 *
 * Pure data: nothing here touches the inferior, and the clock is an argument, in ns. What opens and
 * closes probes is probe_control.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct governor;

/*
 * @max_overhead: cost by program time; 0: no limit, nothing is ever closed. The same @seed chooses
 * the same lengths.
 */
struct governor *governor_create(double max_overhead, uint64_t seed, uint64_t now_ns);
void governor_destroy(struct governor *governor); /* NULL is fine */

/* A function more; it is open. Returns its number. */
unsigned governor_add(struct governor *governor, uint64_t now_ns);

/*
 * It is measured no longer: it costs nothing and has no share, and its number may be given to
 * another.
 */
void governor_remove(struct governor *governor, unsigned function);

/*
 * It is open, whatever that costs, or no longer must be. That is beyond the budget: others have
 * what they had. Returns whether it was closed, and is open now.
 */
bool governor_pin(struct governor *governor, unsigned function, bool pinned, uint64_t now_ns);

unsigned governor_functions(const struct governor *governor); /* numbers are below that */
bool governor_is_open(const struct governor *governor, unsigned function);

/* A probe of @function was hit. False: its window is over, it is to be closed. */
bool governor_hit(struct governor *governor, unsigned function, uint64_t now_ns);

/* A call of it begins, and is measured. */
void governor_begun(struct governor *governor, unsigned function);

/* Its probes are lifted, but for those that wait for the ends of open calls. */
void governor_close(struct governor *governor, unsigned function, uint64_t now_ns);

/*
 * A stop for the sake of @function cost the program so much; @in_vain: nobody's call began or
 * ended.
 */
void governor_spend(struct governor *governor, unsigned function, uint64_t cost_ns, bool in_vain);
/* Meanwhile the program waited for something else. */
void governor_wait(struct governor *governor, uint64_t ns);
/* Opening and closing cost so much. */
void governor_spend_turning(struct governor *governor, uint64_t cost_ns);

/*
 * Has waiting in vain for the ends of calls of @function, which is closed, cost as much as its
 * share already?
 */
bool governor_is_tired(const struct governor *governor, unsigned function);

/* When there may be something to open, by the clock as it goes now; 0: nothing is closed. */
uint64_t governor_due_ns(const struct governor *governor, uint64_t now_ns);

/* If it is time, a cycle begins: everything is open. Returns whether anything was closed before. */
bool governor_turn(struct governor *governor, uint64_t now_ns);

/*
 * How long @function was in windows, in ns of program time; and what part that is of the time since
 * it was added.
 */
uint64_t governor_open_ns(const struct governor *governor, unsigned function, uint64_t now_ns);
double governor_share(const struct governor *governor, unsigned function, uint64_t now_ns);

/*
 * About how many calls of it began, in windows or not. False: too many fell into times that are not
 * known well enough to tell.
 */
bool governor_calls(const struct governor *governor, unsigned function, uint64_t now_ns,
		    double *ret);

/* What measuring has cost so far, by the program's own time. */
double governor_overhead(const struct governor *governor, uint64_t now_ns);
