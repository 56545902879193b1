#!/bin/sh
# The sources are formatted as .clang-format says. Other versions of the formatter have other opinions.
cd "$(dirname "$0")/.." || exit 1
if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	echo 'clang-format 14 is not installed'
	exit 77
fi
find src tests -name '*.[ch]' -exec clang-format --dry-run --Werror {} +
