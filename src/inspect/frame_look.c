/* Asking frames of a capture. dwarf/call_shown.h compiles expressions, here they are read. */
#include "frame_look.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "dwarf/call_shown.h"
#include "frame_values.h"
#include "halted_stack.h"

enum { LINE_BYTES = 16, UNITS_MAX = 4096, STRING_MAX = 1 << 16 };

struct frame_look {
	struct catalogue_request request; /* the capture borrows it */
	struct stack_capture *capture;
	struct stack *stack;
	struct arena *arena;
};

/* A frame found, with what expressions need. */
struct look_frame {
	const struct found_thread *thread;
	const struct found_frame *frame;
	struct call_spot spot;
	struct plan_context context;
};

bool frame_look_take(struct session *session, const struct options *options,
		     struct frame_look **ret, struct err *err)
{
	const struct stack_capture_source source = halted_stack_source(session);
	struct frame_look *look = mem_alloc(sizeof(*look));

	look->request = halted_stack_request(options);
	look->arena = arena_create();
	look->capture = stack_capture_create(session_process(session), &look->request, false);
	if (stack_capture_take(look->capture, &source, &look->stack, err)) {
		*ret = look;
		return true;
	}
	frame_look_destroy(look);
	return false;
}

void frame_look_destroy(struct frame_look *look)
{
	if (!look)
		return;
	stack_destroy(look->stack);
	stack_capture_destroy(look->capture);
	arena_destroy(look->arena);
	free(look);
}

const struct stack *frame_look_stack(const struct frame_look *look)
{
	return look->stack;
}

static bool look_find(struct frame_look *look, const struct frame_place *place,
		      struct look_frame *ret, struct err *err)
{
	struct stack_capture *capture = look->capture;
	size_t at = 0;

	for (size_t i = 0; i < capture->snapshot->n_threads; i++) {
		const struct found_thread *thread = &capture->threads[i];

		for (size_t j = 0; thread->stopped->tid == place->thread && j < thread->n; j++) {
			const struct found_frame *frame = &thread->frames[j];
			const struct call_site *site = stack_build_site(capture, frame);
			const size_t n = site ? site->n_places : 1;

			if (place->frame < at + n && site) {
				*ret = (struct look_frame){.thread = thread, .frame = frame};
				ret->spot = (struct call_spot){frame->opened->sites,
							       stack_build_addr(frame),
							       place->frame - at};
				frame_values_context(capture, thread, frame, &ret->context);
				return true;
			}
			at += n;
		}
	}
	return err_set(err, ERR_NOT_FOUND, "thread %d has no such frame, or nothing is known of it",
		       (int)place->thread);
}

static void print_binary(uint64_t bits, FILE *out)
{
	unsigned n = 64;

	while (n > 1 && !(bits >> (n - 1) & 1))
		n--;
	while (n-- > 0)
		fputc('0' + (int)(bits >> n & 1), out);
}

static void look_print_char(uint64_t bits, FILE *out)
{
	const char c = (char)bits;

	fprintf(out, "%d '", c);
	if (c >= ' ' && c < 127 && c != '\'' && c != '\\')
		fprintf(out, "%c'", c);
	else
		fprintf(out, "\\%03o'", (unsigned char)c);
}

static void print_address(struct frame_look *look, uint64_t bits, FILE *out)
{
	const char *name = frame_look_symbol(look, bits);

	fprintf(out, "0x%" PRIx64, bits);
	if (name) {
		fputc(' ', out);
		text_print_safe(out, name);
	}
}

static uint64_t low_bytes(uint64_t bits, uint64_t size)
{
	return size && size < 8 ? bits & ((UINT64_C(1) << 8 * size) - 1) : bits;
}

static int64_t sign_extended(uint64_t bits, uint64_t size)
{
	const unsigned unused = size && size < 8 ? 64 - 8 * (unsigned)size : 0;

	return (int64_t)(bits << unused) >> unused;
}

/* @bits of @size bytes (0: 8) by @letter. False: it does not say how. */
static bool print_formatted(struct frame_look *look, uint64_t bits, uint64_t size, char letter,
			    FILE *out)
{
	const uint64_t low = low_bytes(bits, size);

	switch (letter) {
	case 'x':
		fprintf(out, "0x%" PRIx64, low);
		return true;
	case 'd':
		fprintf(out, "%" PRId64, sign_extended(bits, size));
		return true;
	case 'u':
		fprintf(out, "%" PRIu64, low);
		return true;
	case 'o':
		fprintf(out, "0%" PRIo64, low);
		return true;
	case 't':
		print_binary(low, out);
		return true;
	case 'c':
		look_print_char(low, out);
		return true;
	case 'a':
		print_address(look, low, out);
		return true;
	}
	return false;
}

static void print_enumerator(const struct shown_part *part, uint64_t bits, FILE *out)
{
	const int64_t number = sign_extended(bits, part->size);

	for (size_t i = 0; i < part->n_labels; i++)
		if (part->labels[i].number == (double)number) {
			text_print_safe(out, part->labels[i].name);
			return;
		}
	fprintf(out, "%" PRId64, number);
}

static void look_print_string(struct frame_look *look, const struct shown_part *part, uint64_t bits,
			      FILE *out)
{
	const bool is_pointer = part->as == SHOWN_STRING;
	const char *text = frame_values_string(look->capture, bits,
					       is_pointer ? UINT64_MAX : part->size, look->arena);

	if (is_pointer)
		fprintf(out, "0x%" PRIx64 "%s", bits, bits ? " " : "");
	if (bits)
		text_print_safe(out, text ? text : "(unreadable)");
}

static void print_natural(struct frame_look *look, const struct shown_part *part, uint64_t bits,
			  FILE *out)
{
	switch (part->as) {
	case SHOWN_TEXT:
	case SHOWN_FLOAT:
	case SHOWN_OBJECT:
	case SHOWN_IF:
		break;
	case SHOWN_SIGNED:
		fprintf(out, "%" PRId64, sign_extended(bits, part->size));
		break;
	case SHOWN_UNSIGNED:
		fprintf(out, "%" PRIu64, low_bytes(bits, part->size));
		break;
	case SHOWN_BOOL:
		fputs(bits ? "true" : "false", out);
		break;
	case SHOWN_CHAR:
		look_print_char(bits, out);
		break;
	case SHOWN_ENUM:
		print_enumerator(part, bits, out);
		break;
	case SHOWN_POINTER:
		print_address(look, bits, out);
		break;
	case SHOWN_STRING:
	case SHOWN_CHARS:
		look_print_string(look, part, bits, out);
		break;
	}
}

/* A string that knows its length. */
static void look_print_object(struct frame_look *look, const struct shown_part *part, uint64_t bits,
			      const struct plan_context *context, FILE *out)
{
	const struct read_plan *length = &part->length;
	const char *text;
	struct word word;

	plan_runner_run_words(look->capture->runner, &length, 1, context, &word);
	text = word.absence != PRESENT ? value_absence_meaning(word.absence)
				       : frame_values_text(look->capture, bits, (double)word.bits,
							   (unsigned)part->size, look->arena);
	fputs(word.absence == PRESENT && text ? "" : "(", out);
	text_print_safe(out, text ? text : "unreadable");
	fputs(word.absence == PRESENT && text ? "" : ")", out);
}

static void look_print_part(struct frame_look *look, const struct shown_part *part,
			    const struct plan_context *context, char letter, FILE *out)
{
	const struct read_plan *plan = &part->plan;
	struct value value;
	struct word word;

	text_print_safe(out, part->before);
	if (part->why || !plan->n_steps) {
		if (part->why)
			fprintf(out, "(%s)", part->why);
		return;
	}
	plan_runner_run_words(look->capture->runner, &plan, 1, context, &word);
	if (word.absence != PRESENT) {
		fprintf(out, "(%s)",
			word.absence == ABSENT_EMPTY ? "empty"
						     : value_absence_meaning(word.absence));
		return;
	}
	if (part->as == SHOWN_OBJECT) {
		look_print_object(look, part, word.bits, context, out);
		return;
	}
	if (part->as == SHOWN_FLOAT) {
		plan_runner_run(look->capture->runner, &plan, 1, context, &value);
		fprintf(out, value.absence == PRESENT ? "%.10g" : "(no finite number)",
			value.number);
		return;
	}
	if (part->as == SHOWN_CHARS || !print_formatted(look, word.bits, part->size, letter, out))
		print_natural(look, part, word.bits, out);
}

static struct word look_word(struct frame_look *look, const struct read_plan *plan,
			     const struct plan_context *context)
{
	struct word word;

	plan_runner_run_words(look->capture->runner, &plan, 1, context, &word);
	return word;
}

/* How many parts behind @part, of an element that there may not be, or that no row reads. */
static size_t look_skip(struct frame_look *look, const struct shown_part *part,
			const struct plan_context *context, FILE *out)
{
	const struct word size = look_word(look, &part->plan, context);
	const struct shown_part *first = part + 1;

	text_print_safe(out, part->before);
	if (size.absence != PRESENT || size.bits <= part->size)
		return part->n_skipped;
	while (first <= part + part->n_skipped && !first->plan.n_steps)
		first++;
	if (first > part + part->n_skipped ||
	    look_word(look, &first->plan, context).absence != ABSENT_EMPTY)
		return 0;
	fputs(part->size ? ", ..." : ": ...", out);
	return part->n_rest;
}

bool frame_look_print(struct frame_look *look, const struct frame_place *place,
		      const char *expression, struct frame_format format, FILE *out,
		      struct err *err)
{
	struct look_frame found;
	struct shown shown;

	if (!look_find(look, place, &found, err) ||
	    !call_shown_make(&found.spot, expression, look->arena, &shown, err))
		return false;
	for (size_t i = 0; i < shown.n_parts; i++)
		if (shown.parts[i].as == SHOWN_IF)
			i += look_skip(look, &shown.parts[i], &found.context, out);
		else
			look_print_part(look, &shown.parts[i], &found.context, format.letter, out);
	return true;
}

/* The address that the expression is: of the object, or what the pointer or number says. */
static bool look_address(struct frame_look *look, const struct look_frame *found,
			 const struct shown *shown, uint64_t *ret, struct err *err)
{
	const bool is_number =
		shown->n_parts == 1 && shown->parts[0].as < SHOWN_CHARS && !shown->parts[0].why;
	const struct read_plan *plan = is_number ? &shown->parts[0].plan : &shown->address;
	struct word word;

	if (!plan->n_steps)
		return err_set(err, ERR_USAGE, "that is no address: &x is that of x");
	plan_runner_run_words(look->capture->runner, &plan, 1, &found->context, &word);
	*ret = word.bits;
	return word.absence == PRESENT || err_set(err, ERR_NOT_FOUND, "the address is absent: %s",
						  value_absence_meaning(word.absence));
}

static bool read_unit(struct frame_look *look, uint64_t address, unsigned size, uint64_t *ret,
		      struct err *err)
{
	const struct memory *memory = &look->capture->snapshot->memory;
	struct memory_read read = {.address = address, .to = ret, .size = size};

	*ret = 0;
	memory->read(memory->self, &read, 1);
	return read.ok || err_set(err, ERR_TARGET, "there is no memory at 0x%" PRIx64, address);
}

static bool print_units(struct frame_look *look, uint64_t address, struct frame_format format,
			FILE *out, struct err *err)
{
	const unsigned size = format.letter == 'a' ? 8 : format.size ? format.size : 4;

	for (unsigned i = 0; i < format.count; i++, address += size) {
		uint64_t bits;

		if (!read_unit(look, address, size, &bits, err))
			return false;
		if (i * size % LINE_BYTES == 0) {
			fputs(i ? "\n" : "", out);
			print_address(look, address, out);
			fputc(':', out);
		}
		fputc('\t', out);
		print_formatted(look, bits, size, format.letter, out);
	}
	fputc('\n', out);
	return true;
}

static bool print_strings(struct frame_look *look, uint64_t address, unsigned count, FILE *out,
			  struct err *err)
{
	for (unsigned i = 0; i < count; i++) {
		const char *text =
			frame_values_string(look->capture, address, UINT64_MAX, look->arena);

		if (!text)
			return err_set(err, ERR_TARGET, "there is no memory at 0x%" PRIx64,
				       address);
		print_address(look, address, out);
		fputs(":\t", out);
		text_print_safe(out, text);
		fputc('\n', out);
		for (uint64_t bits = 1, n = 0; bits && n < STRING_MAX && i + 1 < count; n++)
			if (!read_unit(look, address++, 1, &bits, err))
				return false;
	}
	return true;
}

bool frame_look_examine(struct frame_look *look, const struct frame_place *place,
			const char *expression, struct frame_format format, FILE *out,
			struct err *err)
{
	struct look_frame found;
	struct shown shown;
	uint64_t address = 0;

	if (!look_find(look, place, &found, err) ||
	    !call_shown_make(&found.spot, expression, look->arena, &shown, err) ||
	    !look_address(look, &found, &shown, &address, err))
		return false;
	if (format.count > UNITS_MAX)
		return err_set(err, ERR_USAGE, "at most %d at once", UNITS_MAX);
	return format.letter == 's' ? print_strings(look, address, format.count, out, err)
				    : print_units(look, address, format, out, err);
}

bool frame_look_type(struct frame_look *look, const struct frame_place *place,
		     const char *expression, bool whole, FILE *out, struct err *err)
{
	struct look_frame found;
	struct shown shown;
	const char *text;

	if (!look_find(look, place, &found, err))
		return false;
	if (!whole && call_shown_make(&found.spot, expression, look->arena, &shown, err))
		text = shown.type;
	else if (!call_shown_type(&found.spot, expression, look->arena, &text, err))
		return false;
	for (const char *line = text; *line;) {
		const size_t n = strcspn(line, "\n");

		text_print_safe(out, arena_printf(look->arena, "%.*s", (int)n, line));
		fputc('\n', out);
		line += n + (line[n] == '\n');
	}
	return true;
}

size_t frame_look_print_variables(struct frame_look *look, const struct frame_place *place,
				  enum frame_variables which, const char *indent, FILE *out)
{
	const struct frame_format natural = {.letter = 0};
	const char *const *names;
	struct look_frame found;
	struct err err;
	size_t n;

	if (!look_find(look, place, &found, &err))
		return 0;
	n = call_shown_names(&found.spot, which == FRAME_PARAMETERS, look->arena, &names);
	for (size_t i = 0; i < n; i++) {
		fputs(indent, out);
		text_print_safe(out, names[i]);
		fputs(" = ", out);
		if (!frame_look_print(look, place, names[i], natural, out, &err))
			fprintf(out, "(%s)", err.text);
		fputc('\n', out);
	}
	return n;
}

void frame_look_print_registers(struct frame_look *look, const struct frame_place *place, FILE *out)
{
	static const char *const names[UNWIND_REGISTERS] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
		"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
	struct look_frame found;
	struct err err;

	if (!look_find(look, place, &found, &err)) {
		fprintf(out, "%s\n", err.text);
		return;
	}
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++) {
		const uint64_t bits = found.context.registers[i];

		fprintf(out, "%-4s ", names[i]);
		if (found.context.unknown >> i & 1)
			fputs("(not known in this frame)", out);
		else if (i == UNWIND_PC)
			print_address(look, bits, out);
		else
			fprintf(out, "0x%-18" PRIx64 " %" PRId64, bits, (int64_t)bits);
		fputc('\n', out);
	}
}

const char *frame_look_symbol(struct frame_look *look, uint64_t address)
{
	return stack_build_name(look->capture, address, look->arena);
}

void frame_look_print_files(const struct frame_look *look, FILE *out)
{
	const struct mapped_modules *modules = &look->capture->modules;

	for (size_t i = 0; i < modules->n; i++) {
		fprintf(out, "0x%-16" PRIx64 " ", modules->list[i].low);
		text_print_safe(out, modules->list[i].path);
		fputc('\n', out);
	}
}
