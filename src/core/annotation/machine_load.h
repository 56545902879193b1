/* How busy a machine was while something was measured. Plain data. */
#pragma once

struct machine_load {
	double threads;    /* that wanted to run, the median over the calls; NAN: not known */
	double preempted;  /* part of the calls' time in which others had their processor */
	double stolen;     /* part of the processors' time that the hypervisor gave to others */
	double resolution; /* of their time, by calibration, in µs; 0: not known */
};
