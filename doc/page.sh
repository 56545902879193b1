#!/bin/sh
# Makes a manual page of FILE.md: page.sh LOWDOWN FILE.md. It begins with the line that whatis(1) shows.
set -eu
name=fathom-$(basename "$2" .md)
{
	printf '# NAME\n\n%s - %s\n\n' "$name" "$(sed -n '1s/^# *//p' "$2")"
	sed 1d "$2"
} | "$1" -s -tman -Msection=7 -Mtitle="$name"
