/*
 * C's operators on values of a written expression, as in written_value.h. Private to
 * written_feature.h.
 */
#pragma once

#include "written_value.h"

bool written_operator_cast(struct written_maker *maker, struct written_value *value,
			   const struct written_type *to);
bool written_operator_strlen(struct written_maker *maker, struct written_value *value);
bool written_operator_unary(struct written_maker *maker, struct written_value *value,
			    enum written_kind kind);
bool written_operator_binary(struct written_maker *maker, struct written_value *left,
			     const struct written_value *right, enum written_kind kind);
