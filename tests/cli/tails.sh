#!/bin/sh
# Calls that end by another one: the fixture counts them, pads and stops notice each, and pads without stops where they follow the callee,
# or know where the caller goes on.
. "$(dirname "$0")/lib"

# measure PROGRAM FUNCTION...: with $probes.
measure() {
	program=$1
	shift
	rm -f tails.fathom
	# shellcheck disable=SC2046 # one option a function
	run 0 run -v --probes $probes --branches --max-overhead none $(printf -- '-f %s ' "$@") -o tails.fathom --no-models \
		-- "$program" $turns
	sed -n 's/^\([a-z]* [0-9]*\)$/\1/p' output >printed
	ended tails.fathom | sed 's/ 0 0$//' >counted
}

for program in $(built tails); do
	turns=300
	for probes in stops pads; do
		measure "$program" abroad circle first maybe pick room second third
		same printed counted
	done
	case $program in
	*gcc-O2)
		turns=100 # so many fit into the ring that is emptied now and then
		measure "$program" first maybe second third
		grep -q ': 0 stops' errors || fail "stops for tail calls to functions that are followed"
		measure "$program" abroad pick room
		grep -q ': 0 stops' errors || fail "stops for tail calls to others: $(grep stops errors)"
		"$fathom" list -v "$program" room >listed
		grep -q '1 of 1 tail jump .*(and behind 2 of 2 direct calls)' listed || fail "$(cat listed)"
		turns='100 by-pointer'
		measure "$program" room
		grep -q ': [23] stops' errors || fail "a caller that is not known costs more than its own stops: $(grep stops errors)"
		grep -qx 'room 201' counted || fail "a call by a pointer is lost"
		;;
	esac
done
