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
		return x != 0;
	case SPLIT_DEFINED:
		break;
	}
	return true;
}

bool split_decides(const struct split *split, size_t row, bool *ret)
{
	const struct column *column = split->column;

	if (column->absence[row] == PRESENT)
		*ret = split_holds(split, column->numbers[row]);
	else
		*ret = false;
	return column->absence[row] == PRESENT ||
	       (split->kind == SPLIT_DEFINED && samples_is_absent(column, row));
}
