/*
 * A hash function for uthash's tables in guided runs. uthash's own wraps by design at every table, and what clang told of
 * that hid what else it told of integers.
 */
#pragma once

#include <stddef.h>

/* FNV-1a */
__attribute__((no_sanitize("unsigned-integer-overflow"), unused)) static unsigned quiet_hash(
	const void *key, size_t n)
{
	const unsigned char *bytes = key;
	unsigned hash = 2166136261u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash;
}

#define HASH_FUNCTION(key, n, hash) ((hash) = quiet_hash(key, n))
