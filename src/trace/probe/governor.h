/*
 * The governor: which functions are open when, so that measuring costs no more than a part of the
 * program's time.
 *
 * A function is open while its probes are planted, else closed; a window is a stretch of time in
 * which it is open. A call is measured if it begins in a window. Windows begin and end by program
 * time, the clock less the cost of measuring, and are fixed when they begin, so that short and long
 * calls have the same chance. (Only windows far beyond the plan are cut, as when an idle program
 * gets busy; or hundreds that together are, each when it has used its part.)
 *
 * Cheap functions stay open. When all together exceed the budget, the others get equal shares of
 * the rest (max-min fairness), or shares by their weights. Cycles have random lengths; all closed
 * functions open together when one begins, so that callers are seen with their callees, and each
 * closes when its share is likely spent. A longer cycle pays back overspending.
 *
 * Pure data: the inferior is not touched, and the clock is an argument, in ns. probe_control.c
 * opens and closes probes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct governor;

/*
 * A function is loud whose probes cost more than this part of the program's own time. What is
 * subtracted of a callee's pads is what they cost where their caller works meanwhile; where it does
 * not, they cost it thrice as much: beside loud callees a caller's cost is uncertain.
 */
#define GOVERNOR_LOUD 0.1

/*
 * @max_overhead: cost / program time; 0: no limit, nothing is ever closed. The same @seed gives the
 * same lengths.
 */
struct governor *governor_create(double max_overhead, uint64_t seed, uint64_t now_ns);
void governor_destroy(struct governor *governor); /* NULL is fine */

/* Add a function, open. Returns its number. */
unsigned governor_add(struct governor *governor, uint64_t now_ns);

/* It is no longer measured: no cost, no share; its number may be reused. */
void governor_remove(struct governor *governor, unsigned function);

/*
 * Keep it open, exempt from the budget, or no longer; others keep their shares. Returns whether it
 * was closed, and is open now.
 */
bool governor_pin(struct governor *governor, unsigned function, bool pinned, uint64_t now_ns);

/* Its share is to be @weight (above 0) times that of others; 1 in the beginning. */
void governor_weigh(struct governor *governor, unsigned function, double weight);

unsigned governor_functions(const struct governor *governor); /* upper bound of numbers */
bool governor_is_open(const struct governor *governor, unsigned function);

/* A probe of @function was hit. False: its window is over; close it. */
bool governor_hit(struct governor *governor, unsigned function, uint64_t now_ns);

/* @n measured calls of it begin. */
void governor_begun(struct governor *governor, unsigned function, uint64_t n);

/* More was spent than there was. Never without a limit. */
bool governor_is_spent(const struct governor *governor);

/* Is it open, and not for ever? */
bool governor_may_close(const struct governor *governor, unsigned function);

/* Its probes are lifted, except those at return addresses of open calls. */
void governor_close(struct governor *governor, unsigned function, uint64_t now_ns);

/* A stop for @function cost @cost_ns; @in_vain: it began or ended no call. */
void governor_spend(struct governor *governor, unsigned function, uint64_t cost_ns, bool in_vain);
/*
 * Calls of @function may have cost @cost_ns more than was spent: the budget pays for it, but
 * program time goes on, as it is what shares are parts of.
 */
void governor_reserve(struct governor *governor, unsigned function, uint64_t cost_ns);
/* A stop cost @cost_ns for which no function's calls are the cause: nothing is paid back for it. */
void governor_spend_aside(struct governor *governor, uint64_t cost_ns);
/* The program waited @ns for something else. */
void governor_wait(struct governor *governor, uint64_t ns);
/* Opening and closing cost @cost_ns, once a cycle. */
void governor_spend_turning(struct governor *governor, uint64_t cost_ns);
/* Something that is due to measured calls, but not to one function's, cost @cost_ns. */
void governor_spend_in_common(struct governor *governor, uint64_t cost_ns);

/* @function is closed: have vain stops for the ends of its calls cost its share already? */
bool governor_is_tired(const struct governor *governor, unsigned function);

/* Clock time when something may open; 0: nothing is closed. */
uint64_t governor_due_ns(const struct governor *governor, uint64_t now_ns);

/* Is it time for the next cycle? It can be put off by @ns of program time. */
bool governor_is_due(struct governor *governor, uint64_t now_ns);
void governor_put_off(struct governor *governor, uint64_t now_ns, uint64_t ns);

/* Begin a cycle if it is time: open all. Returns whether any was closed. */
bool governor_turn(struct governor *governor, uint64_t now_ns);

/*
 * The time of @function in windows, in ns of program time; and its share of the time since it was
 * added.
 */
uint64_t governor_open_ns(const struct governor *governor, unsigned function, uint64_t now_ns);
double governor_share(const struct governor *governor, unsigned function, uint64_t now_ns);

/*
 * Estimated number of its calls, in windows or not. False: too many fell into times that are too
 * uncertain.
 */
bool governor_calls(const struct governor *governor, unsigned function, uint64_t now_ns,
		    double *ret);

/* The cost of measuring so far / program time. */
double governor_overhead(const struct governor *governor, uint64_t now_ns);
