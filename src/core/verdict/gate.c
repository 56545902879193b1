/* Gates as text. */
#include "gate.h"

#include "base/text.h"
#include "core/annotation/quote.h"

static void print_cost(const struct gate *gate, FILE *out)
{
	const char *unit = metric_info(gate->metric)->unit_text;
	const char *blank = *unit ? " " : "";

	fprintf(out, "%.4g%s%s", gate->value, blank, unit);
	if (gate->low < gate->high)
		fprintf(out, " (95 %%: %.4g to %.4g)", gate->low, gate->high);
	fprintf(out, ", at most %.4g%s%s", gate->limit, blank, unit);
	if (gate->is_outside)
		fputs("; that is outside of what was observed", out);
}

void gate_print(const struct gate *gate, FILE *out)
{
	quote_print_head(gate->function, gate->metric, out);
	fprintf(out, ": %s: ",
		gate->verdict == CHECK_WORSE      ? "WORSE"
		: gate->verdict == CHECK_UNTESTED ? "not checked"
						  : check_verdict_name(gate->verdict));
	if (gate->verdict == CHECK_UNTESTED)
		text_print_safe(out, gate->reason);
	else if (gate->is_growth)
		fprintf(out, "its growth is %s, %s before", gate->now, gate->before);
	else
		print_cost(gate, out);
	fputs(" [", out);
	text_print_safe(out, gate->text);
	fputs("]\n", out);
}
