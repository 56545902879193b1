/* fathom document: print the manual page or a completion, for whoever builds and installs fathom. */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "document.h"
#include "message.h"

static int run(const struct options *options)
{
	static void (*const documents[])(FILE * out) = {[DOCUMENT_MAN] = document_man,
							[DOCUMENT_BASH] = document_bash,
							[DOCUMENT_ZSH] = document_zsh};

	if (options->document == DOCUMENT_NONE) {
		message_error("which document? give --man, --bash or --zsh");
		return EXIT_UNUSABLE;
	}
	documents[options->document](stdout);
	if (fflush(stdout) || ferror(stdout)) {
		message_error("cannot write standard output: %s", strerror(errno));
		return EXIT_UNUSABLE;
	}
	return EXIT_DONE;
}

const struct command command_document = {
	.usage = {.name = "document",
		  .bit = COMMAND_DOCUMENT,
		  .arguments = "",
		  .summary = "Print the manual page, or completion for a shell",
		  .is_hidden = true},
	.run = run,
};
