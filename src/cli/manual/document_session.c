/* The session's commands in the manual page, from the table of its own help. */
#include "document_man.h"
#include "roff.h"
#include "shell/shell_table.h"

static void man_put_command(const struct shell_command *command, FILE *out)
{
	fputs(".TP\n\\fB", out);
	roff_text(command->name, out);
	fputs("\\fR", out);
	if (command->shorts) {
		fputs(" (\\fB", out);
		roff_text(command->shorts, out);
		fputs("\\fR)", out);
	}
	if (command->arguments) {
		fputc(' ', out);
		roff_usage(command->arguments, out);
	}
	fputc('\n', out);
	roff_text(command->summary, out);
	fputs(".\n", out);
	if (!command->details)
		return;
	roff_text(command->details, out);
	fputc('\n', out);
}

void document_session(FILE *out)
{
	roff_section("SESSION", out);
	roff_paragraph(
		"Commands of the prompt that fathom gives without a command of its own. They may "
		"be abbreviated as long as it is clear "
		"which one is meant; an empty line repeats the last one, where that does no harm.",
		out);
	for (size_t i = 0; i < SHELL_COMMAND_COUNT; i++)
		man_put_command(&shell_table[i], out);
}
