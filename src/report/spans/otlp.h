/* Spans as OpenTelemetry's JSON (OTLP 1.x, ExportTraceServiceRequest), for viewers of traces. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "core/figure/spans.h"

/* One object; a trace is a root with all below it, a service a program. ERR_IO. */
bool otlp_print(const struct spans *spans, FILE *out, struct err *err);
