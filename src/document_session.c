/* The commands of the session, in the manual page, as its own help has them. */
#include "document_man.h"
#include "roff.h"
#include "shell/table.h"

static void put_command(const struct shell_command *command, FILE *out)
{
	fputs(".TP\n\\fB", out);
	man_text(command->name, out);
	fputs("\\fR", out);
	if (command->shorts) {
		fputs(" (\\fB", out);
		man_text(command->shorts, out);
		fputs("\\fR)", out);
	}
	if (command->arguments) {
		fputc(' ', out);
		man_usage(command->arguments, out);
	}
	fputc('\n', out);
	man_text(command->summary, out);
	fputs(".\n", out);
	if (!command->details)
		return;
	man_text(command->details, out);
	fputc('\n', out);
}

void man_session(FILE *out)
{
	size_t i;

	man_section("SESSION", out);
	man_paragraph(
		"Commands of the prompt that fathom gives without a command of its own. They may be abbreviated as long as it is clear "
		"which one is meant; an empty line repeats the last one, where that does no harm.",
		out);
	for (i = 0; i < SHELL_COMMAND_COUNT; i++)
		put_command(&shell_table[i], out);
}
