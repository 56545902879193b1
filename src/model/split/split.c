/* Evaluates splits; partition.c finds them. */
#include "split.h"

bool split_holds(const struct split *split, double x)
{
	switch (split->kind) {
	case SPLIT_AT:
		return x <= split->at;
	case SPLIT_IS:
		return x == split->at;
	case SPLIT_TRUE:
		break;
	}
	return x != 0;
}
