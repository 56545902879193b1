/*
 * fathom document: print the manual page or a shell completion, for the build and installation of
 * fathom. cli/manual/ writes the text.
 */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "cli/manual/document.h"
#include "cli/message.h"

int cmd_document_print(const struct options *options, const struct document_commands *commands)
{
	static void (*const documents[])(const struct document_commands *commands,
					 FILE *out) = {[DOCUMENT_MAN] = document_man,
						       [DOCUMENT_BASH] = document_bash,
						       [DOCUMENT_ZSH] = document_zsh};

	if (options->document == DOCUMENT_NONE) {
		message_error("which document? give --man, --bash or --zsh");
		return EXIT_UNUSABLE;
	}
	documents[options->document](commands, stdout);
	if (fflush(stdout) || ferror(stdout)) {
		message_error("cannot write standard output: %s", strerror(errno));
		return EXIT_UNUSABLE;
	}
	return EXIT_DONE;
}
