/*
 * The commands annotate, explore, check and predict. All but annotate run fathom itself as a child
 * on files of samples or annotations. plot is in prompt_plot.c.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/annotate.h"
#include "record/call_table.h"
#include "core/samples/derived_columns.h"
#include "core/annotation/expectation.h"
#include "core/cxx_name.h"
#include "cli/host.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "model/data/annotated_rows.h"
#include "model/metric_models.h"
#include "prompt_commands.h"
#include "prompt_terminal.h"
#include "shell/shell_words.h"
#include "trace/session_halt.h"

/* Options that select the functions @pattern names, as -f does; "": all. */
static struct options narrowed(struct prompt *prompt, const char *const *pattern)
{
	struct options options = prompt->options;

	options.functions = (const char **)pattern;
	options.n_functions = **pattern ? 1 : 0;
	options.metrics = 0;
	options.json = false;
	return options;
}

/* Ctrl-C returns to the prompt once the current model is done. */
static bool prompt_annotate_results(struct prompt *prompt, const struct options *options,
				    struct output *output, struct err *err)
{
	bool ok;

	prompt_note_interrupts(prompt, 0);
	ok = annotate_profile(prompt->profile, options, NULL, output, err);
	interrupt_stop();
	return ok;
}

bool prompt_annotate(struct prompt *prompt, const struct prompt_arguments *arguments,
		     struct err *err)
{
	const char *pattern = arguments->text;
	const struct options options = narrowed(prompt, &pattern);
	struct output output = {.file = stdout};

	return prompt_needs_samples(prompt, err) &&
	       prompt_annotate_results(prompt, &options, &output, err);
}

/* Create a temporary file that only the user can open; the caller unlinks @ret. ERR_IO. */
static bool temporary(struct prompt *prompt, const char *suffix, const char **ret, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	char *path = arena_printf(prompt->spare, "%s/fathom-XXXXXX%s",
				  folder && *folder ? folder : "/tmp", suffix);
	const int fd = mkostemps(path, strlen(suffix), O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot make a file in %s",
				     folder && *folder ? folder : "/tmp");
	close(fd);
	*ret = path;
	return true;
}

/* Run fathom in our terminal. Returns its exit status; 127: it did not exit. */
static int run_self(struct prompt *prompt, char *const *words)
{
	const char *command = host_quote(prompt->spare, words);
	int status;

	fflush(stdout);
	status = prompt_terminal_system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static char *self(struct prompt *prompt)
{
	char path[4096];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return arena_strdup(prompt->spare, n > 0 ? path : "fathom");
}

/* Copy the samples for another process; the caller unlinks @ret. */
static bool copy_samples(struct prompt *prompt, const char **ret, struct err *err)
{
	if (!prompt_needs_samples(prompt, err) || !temporary(prompt, ".fathom", ret, err))
		return false;
	if (profile_save(prompt->profile, *ret, err))
		return true;
	unlink(*ret);
	return false;
}

/* The child printed its error: fail with an empty text. */
static bool prompt_judge(int status, struct err *err)
{
	return status <= EXIT_VIOLATED || err_set(err, ERR_USAGE, "%s", "");
}

bool prompt_explore(struct prompt *prompt, const struct prompt_arguments *arguments,
		    struct err *err)
{
	char *words[] = {self(prompt), "explore", NULL, "-f", NULL, NULL};
	const char *path;
	int status;

	if (!shell_line_is_terminal(prompt->reader))
		return err_set(err, ERR_USAGE,
			       "the explorer needs a terminal: annotate prints models");
	if (!copy_samples(prompt, &path, err))
		return false;
	words[2] = (char *)path;
	if (arguments->n)
		words[4] = (char *)arguments->text;
	else
		words[3] = NULL;
	status = run_self(prompt, words);
	unlink(path);
	return prompt_judge(status, err);
}

bool prompt_check(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const char *file = arguments->n ? arguments->words[0].text : prompt->annotations_path;
	char *words[] = {self(prompt), "check", (char *)file, NULL, NULL};
	const char *path;
	int status;

	if (!file || arguments->n > 1)
		return err_set(
			err, ERR_USAGE,
			"which annotations? as in check parser.annotations, or load them first");
	if (!copy_samples(prompt, &path, err))
		return false;
	words[3] = (char *)path;
	status = run_self(prompt, words);
	unlink(path);
	prompt->is_violated |= status == EXIT_VIOLATED;
	return prompt_judge(status, err);
}

/* Write the models of @function ("": all) as annotations; the caller unlinks @ret. */
static bool write_annotations(struct prompt *prompt, const char *function, const char **ret,
			      struct err *err)
{
	struct options options = narrowed(prompt, &function);
	struct output output;
	bool ok;

	options.quiet = true; /* what predict says is wanted */
	if (!prompt_needs_samples(prompt, err) || !temporary(prompt, ".annotations", ret, err) ||
	    !output_open(*ret, NULL, 0, &output, err))
		return false;
	ok = prompt_annotate_results(prompt, &options, &output, err);
	return output_close(&output, err) && ok;
}

bool prompt_predict(struct prompt *prompt, const struct prompt_arguments *arguments,
		    struct err *err)
{
	char **words = arena_array(prompt->spare, char *, arguments->n + 4);
	const char *path = prompt->annotations_path;
	const char *function;
	const size_t n = shell_words_function(arguments->text, arguments->words, arguments->n,
					      prompt->spare, &function);
	int status;

	if (!n)
		return err_set(err, ERR_USAGE, "of which function? as in predict parse n=100");
	if (!path && !write_annotations(prompt, function, &path, err) &&
	    !(err->code == ERR_NOT_FOUND && write_annotations(prompt, "", &path, err)))
		return false;
	words[0] = self(prompt);
	words[1] = "predict";
	words[2] = (char *)path;
	words[3] = (char *)function;
	for (size_t i = n; i < arguments->n; i++)
		words[4 + i - n] = (char *)arguments->words[i].text;
	status = run_self(prompt, words);
	if (path != prompt->annotations_path)
		unlink(path);
	return prompt_judge(status, err);
}
