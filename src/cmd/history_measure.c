/* What .fathom/config wants measured, as options. */
#include "history_actions.h"

static bool read_metrics(const struct history *history, const struct watched_program *program,
			 uint64_t *ret, struct err *err)
{
	char wrong[64];

	*ret = METRICS_JUDGED;
	return !program->metrics ||
	       metric_parse_list(program->metrics, ret, wrong, sizeof(wrong)) ||
	       err_set(err, ERR_FORMAT, "%s/config: there is no metric %s", history->store.folder,
		       wrong);
}

bool history_measure(struct history *history, const struct watched_program *program,
		     struct options *options, struct err *err)
{
	*options = history->options;
	options->output = NULL;
	options->functions = program->functions;
	options->n_functions = program->n_functions;
	options->runs = program->runs ? program->runs : options->runs;
	if (!program->n_functions)
		return err_set(err, ERR_FORMAT, "%s/config: %s has no line function = NAME",
			       history->store.folder, program->words[0]);
	options->metrics = history->asked;
	return options->metrics || read_metrics(history, program, &options->metrics, err);
}

bool history_measure_metrics(struct history *history, struct err *err)
{
	uint64_t metrics;

	history->asked = history->options.metrics;
	for (size_t i = 0; i < history->watched.n && !history->asked; i++) {
		if (!read_metrics(history, &history->watched.programs[i], &metrics, err))
			return false;
		history->options.metrics |= metrics;
	}
	return true;
}
