#!/bin/sh
# Prints a line for each of the usual terminals: its name, a blank, its description for TERMINFO.
set -eu
for terminal in xterm xterm-256color screen screen-256color tmux tmux-256color linux vt100 vt220; do
	description=$(infocmp -Q2 "$terminal" | grep -v '^#' | tr -d '\n')
	[ -n "$description" ]
	echo "$terminal $description"
done
