/*
 * Which calls worked for which, where nobody counts a connection's bytes of all time: by when it
 * was, on one host. A call that served for another did so within its wait: it took the request
 * after that began to be sent, and began to answer before the answer was there. Its bytes and those
 * of all others who did are those that were sent, and no other call could have sent them.
 */
#pragma once

#include "stream_match.h"

/*
 * For each of @asked[n] that is not by position, which of @served[m]: @ret[n], as stream_match();
 * @order from element *@n_order on, which is advanced.
 */
void moment_match(const struct message *asked, size_t n, const struct message *served, size_t m,
		  struct match *ret, size_t *order, size_t *n_order);
