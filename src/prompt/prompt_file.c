/* The commands file, save and load: programs, profiles, samples and annotations on disk. */
#include "prompt_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/annotation_file.h"
#include "base/text.h"
#include "cli/host.h"
#include "record/launcher.h"
#include "cli/message.h"
#include "prompt_commands.h"
#include "prompt_predictions.h"
#include "prompt_probe.h"
#include "prompt_run.h"
#include "prompt_text.h"

enum file_kind { FILE_NONE, FILE_PROGRAM, FILE_PROFILE, FILE_OTHER };

static enum file_kind file_kind_of(const char *path)
{
	static const char sqlite[] = "SQLite format 3";
	char head[16] = "";
	struct stat status;
	ssize_t n;
	int fd;

	if (stat(path, &status) != 0)
		return FILE_NONE;
	if (!S_ISREG(status.st_mode))
		return FILE_OTHER;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, head, sizeof(head)) : -1;
	if (fd >= 0)
		close(fd);
	if (n == sizeof(head) && !memcmp(head, sqlite, sizeof(sqlite)))
		return FILE_PROFILE;
	if (n >= 4 && (!memcmp(head, "\177ELF", 4) || !memcmp(head, "#!", 2)))
		return FILE_PROGRAM;
	return FILE_OTHER;
}

bool prompt_may_lose(struct prompt *prompt)
{
	return !prompt->is_unsaved || prompt->profile_path ||
	       prompt_ask(prompt, "The samples are not saved, and will be lost: go on? (y or n) ");
}

/* Forget process, probes, models and samples; keep the settings. */
static void forget_all(struct prompt *prompt)
{
	prompt_release(prompt);
	prompt_destroy_probes(prompt);
	prompt_forget_models(prompt);
	profile_close(prompt->profile);
	prompt->profile = NULL;
	prompt->profile_path = prompt->options.output;
	prompt->saved = NULL;
	prompt->is_unsaved = false;
	prompt->program = prompt->path = prompt->interpreter = NULL;
	prompt->listed = prompt->sought = NULL;
	memset(prompt->redirections, 0, sizeof(prompt->redirections));
}

static bool file_take_program(struct prompt *prompt, const char *name, struct err *err)
{
	/* The line with the name is gone when the path is used. */
	struct measurement m = {.name = arena_strdup(prompt->arena, name), .arena = prompt->arena};

	if (!launcher_find(&m, err))
		return false;
	forget_all(prompt);
	prompt->program = m.name;
	prompt->path = m.path;
	prompt->interpreter = m.interpreter;
	prompt->arguments = arena_array(prompt->arena, char *, 2);
	prompt->arguments[0] = arena_strdup(prompt->arena, m.name);
	return true;
}

static bool take_profile(struct prompt *prompt, const char *path, struct err *err)
{
	struct profile *profile;

	if (!profile_open(path, &profile, err))
		return false;
	forget_all(prompt);
	prompt->profile = profile;
	prompt->profile_path = arena_strdup(prompt->arena, path);
	return true;
}

static bool take_process(struct prompt *prompt, const char *pid, struct err *err)
{
	const struct line_word word = {.text = pid};
	const struct prompt_arguments arguments = {.text = pid, .words = &word, .n = 1};

	return prompt_attach(prompt, &arguments, err);
}

static bool word_is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

bool prompt_take(struct prompt *prompt, const char *name, struct err *err)
{
	switch (file_kind_of(name)) {
	case FILE_PROFILE:
		return take_profile(prompt, name, err);
	case FILE_PROGRAM:
		return file_take_program(
			prompt,
			strchr(name, '/') ? name : arena_printf(prompt->arena, "./%s", name), err);
	case FILE_OTHER:
		return err_set(err, ERR_FORMAT, "%s is neither a program nor a profile", name);
	case FILE_NONE:
		break;
	}
	if (word_is_number(name))
		return take_process(prompt, name, err);
	if (!strchr(name, '/') && host_find_program(prompt->spare, name))
		return file_take_program(prompt, name, err);
	return err_set(
		err, ERR_USAGE,
		"there is no command '%s', and no program, process or profile of that name: see "
		"fathom help",
		name);
}

bool prompt_file(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const char *name;

	if (arguments->n != 1)
		return err_set(
			err, ERR_USAGE,
			"which file? as in file ./parser; the program's arguments go to run");
	name = arguments->words[0].text;
	if (prompt->m)
		return err_set(err, ERR_USAGE, "there is a process: kill or detach it first");
	if (file_kind_of(name) == FILE_NONE &&
	    (word_is_number(name) || !host_find_program(prompt->spare, name)))
		return err_set(err, ERR_IO, "there is no file %s", name);
	return !prompt_may_lose(prompt) || prompt_take(prompt, name, err);
}

/* Only profiles are replaced: another file may be precious. ERR_USAGE. */
static bool may_replace(const char *path, struct err *err)
{
	const enum file_kind kind = file_kind_of(path);

	if (kind == FILE_NONE || kind == FILE_PROFILE)
		return true;
	return err_set(err, ERR_USAGE, "%s is there and is no profile: give another name", path);
}

bool prompt_save(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const char *path = arguments->n ? arguments->words[0].text : prompt->saved;

	if (!path && prompt->profile_path) {
		message_note("the samples are in %s anyway", prompt->profile_path);
		return !prompt->m || recorder_flush(prompt->m->recorder, err);
	}
	if (!path || arguments->n > 1)
		return err_set(err, ERR_USAGE, "which file? as in save parser.fathom");
	if (!prompt_needs_samples(prompt, err) || !may_replace(path, err) ||
	    !profile_save(prompt->profile, path, err))
		return false;
	prompt->saved = arena_strdup(prompt->arena, path);
	prompt->is_unsaved = false;
	prompt_say("Saved in %s.", path);
	return true;
}

bool prompt_load(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	struct annotation_list list = {.n = 0};
	const char *path;

	if (arguments->n != 1)
		return err_set(err, ERR_USAGE, "which file? as in load parser.annotations");
	path = arguments->words[0].text;
	if (file_kind_of(path) == FILE_PROFILE)
		return prompt_file(prompt, arguments, err);
	if (!annotation_file_read(path, &list, err))
		return false;
	annotation_parse_deinit(&prompt->annotations);
	prompt->annotations = list;
	prompt->annotations_path = arena_strdup(prompt->arena, path);
	prompt_say("%zu annotation%s of %s.", list.n, list.n == 1 ? "" : "s", path);
	return true;
}
