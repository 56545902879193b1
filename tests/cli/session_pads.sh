#!/bin/sh
# The session with a process that pads measure: all that session_run.sh tries with stops.
probes=pads exec "$(dirname "$0")/session_run.sh"
