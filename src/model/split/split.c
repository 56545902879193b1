/* Evaluates splits; partition.c finds them. */
#include "split.h"

bool split_has(const struct split *split, size_t row)
{
	return split->column->absence[row] == PRESENT &&
	       (!split->other || split->other->absence[row] == PRESENT);
}

bool split_holds(const struct split *split, size_t row)
{
	const double x = split->column->numbers[row];
	const double y = split->other ? split->other->numbers[row] : 0;

	switch (split->kind) {
	case SPLIT_AT:
		return x <= split->at;
	case SPLIT_IS:
		return x == split->at;
	case SPLIT_TRUE:
		return x != 0;
	case SPLIT_BELOW:
		return split->at * x < y;
	case SPLIT_UP_TO:
		return split->at * x <= y;
	case SPLIT_SAME:
		return split->at * x == y;
	case SPLIT_DEFINED:
		break;
	}
	return true;
}

bool split_decides(const struct split *split, size_t row, bool *ret)
{
	const bool has = split_has(split, row);

	*ret = has && split_holds(split, row);
	return has || (split->kind == SPLIT_DEFINED && samples_is_absent(split->column, row));
}
