/* Pads of functions that send and receive, at work in this process: what is noted, and who asks. */
#include "check.h"
#include "pad_play.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/catalogue/cost_call.h"
#include "trace/kernel/stream_position.h"

enum { ONE = 1, NUMBER = 9, RDX = 1, RCX = 2, RSI = 4, RDI = 5, R8 = 8, R10 = 10, R11 = 11 };

/* A transfer of 5 bytes, and what is measured. */
PAD_PLAY_FUNCTION(move, "mov $5, %eax");
PAD_PLAY_FUNCTION(use, "call move");

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct read_plan cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8};
static const struct pad_function any;
static const struct pad_function measured = {
	.number = ONE, .events = true, .cfa = {.plan = &cfa, .head = 2, .words = 1}};
static const struct pad_cost sends = {NUMBER, COST_SEND};
static const struct pad_cost receives = {NUMBER, COST_RECEIVE, .flags = 1 << RCX};

static struct pad_play *start(const struct pad_cost *cost)
{
	const struct pad_probe entry = {
		.kind = PAD_STREAM_ENTRY, .function = &any, .cost = cost, .flags_live = true};
	const struct pad_probe leave = {
		.kind = PAD_STREAM_EXIT, .insn = 1, .function = &any, .cost = cost};
	struct pad_play *play = pad_play_start();

	pad_play_replace(play, move, &entry, 1);
	pad_play_replace(play, move_end, &leave, 1);
	pad_play_call(play, use, use_end, &measured);
	return play;
}

/* Two ends of a TCP connection. */
static void connect_ends(int ret[2])
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	const int listening = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(listening, (struct sockaddr *)&at, size), 0);
	assert_int_equal(listen(listening, 1), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&at, &size), 0);
	ret[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(ret[0], (struct sockaddr *)&at, size), 0);
	ret[1] = accept(listening, NULL, NULL);
	assert_true(ret[1] >= 0);
	close(listening);
}

static uint64_t cookie_of(int fd)
{
	uint64_t cookie;
	socklen_t size = sizeof(cookie);

	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size), 0);
	return cookie;
}

static void know(const struct pad_play *play, int fd)
{
	const uint64_t cookie = cookie_of(fd);

	*(uint64_t *)((char *)play->block + pad_block_known(cookie)) = cookie;
}

static uint64_t trap_flag; /* 0x100: windows are stopped at each instruction, see pad_play.h */

static void transfer(int fd, uint64_t flags)
{
	struct pad_play_state state = {.registers = {[RDX] = 11,
						     [RCX] = flags,
						     [RSI] = 12,
						     [RDI] = (uint64_t)fd,
						     [R8] = 13,
						     [R10] = 14,
						     [R11] = 15},
				       .flags = 0x8d5 | trap_flag};

	pad_play_run(&state, (const void *)(uintptr_t)use);
	assert_int_equal(state.registers[0], 5);
	assert_int_equal(state.registers[RDX], 11);
	assert_int_equal(state.registers[RCX], flags);
	assert_int_equal(state.registers[RSI], 12);
	assert_int_equal(state.registers[RDI], fd);
	assert_int_equal(state.registers[R8], 13);
	assert_int_equal(state.registers[R10], 14);
	assert_int_equal(state.registers[R11], 15);
}

static struct pad_event event_at(const struct pad_play *play, size_t index)
{
	return ((const struct pad_event *)((const char *)play->block + PAD_EVENTS_OFFSET))[index];
}

/* Of the call, and, if it is @noted, of a transfer at @position on @fd. */
static void assert_events(const struct pad_play *play, bool noted, int fd, uint64_t position,
			  uint64_t waiting)
{
	const size_t n = play->block->events / sizeof(struct pad_event);

	assert_int_equal(n, noted ? 5 : 2);
	assert_int_equal(event_at(play, 0).kind, PAD_EVENT_CALL);
	assert_int_equal(event_at(play, n - 1).kind, PAD_EVENT_END);
	for (size_t i = 1; i < n; i++)
		assert_true(event_at(play, i).at > event_at(play, i - 1).at);
	if (!noted)
		return;
	assert_int_equal(event_at(play, 1).kind, PAD_EVENT_STREAM);
	assert_int_equal(event_at(play, 1).function, NUMBER);
	assert_int_equal(event_at(play, 1).b, cookie_of(fd));
	assert_int_equal(event_at(play, 2).kind, PAD_EVENT_POSITION);
	assert_int_equal(event_at(play, 2).a, position);
	assert_int_equal(event_at(play, 2).b, waiting);
	assert_int_equal(event_at(play, 3).kind, PAD_EVENT_STREAM_END);
	assert_int_equal(event_at(play, 3).a, 5);
}

static void the_kernel_tells_where_the_stream_is(void **state)
{
	char bytes[64] = {0};
	struct pad_play *play;
	int ends[2];

	(void)state;
	connect_ends(ends);
	assert_int_equal(write(ends[0], bytes, 40), 40);
	assert_int_equal(recv(ends[1], bytes, 30, MSG_WAITALL), 30);
	while (recv(ends[1], bytes, 40, MSG_PEEK) != 10)
		;
	play = start(&sends);
	know(play, ends[0]);
	transfer(ends[0], 0);
	assert_events(play, true, ends[0], 40, 0);
	assert_int_equal(play->questions, 0);
	assert_int_equal(play->restarts > 0, trap_flag > 0);
	assert_int_equal(play->block->heap.cfa, 0);
	pad_play_end(play);
	play = start(&receives);
	know(play, ends[1]);
	transfer(ends[1], 0);
	assert_events(play, true, ends[1], 30, 10);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
	close(ends[0]);
	close(ends[1]);
}

/* It asks anew after a stop in between. */
static void a_stop_while_the_kernel_is_asked_changes_nothing(void **state)
{
	trap_flag = 0x100;
	the_kernel_tells_where_the_stream_is(state);
	trap_flag = 0;
}

static void what_is_not_known_asks_and_files_do_not(void **state)
{
	static const struct {
		bool known, asks;
		uint64_t flags;
	} cases[] = {{false, true, 0}, {true, true, MSG_PEEK}, {true, false, MSG_NOSIGNAL}};
	struct pad_play *play;
	int ends[2], pipes[2];
	const int file = open("/proc/self/exe", O_RDONLY);

	(void)state;
	connect_ends(ends);
	assert_int_equal(pipe(pipes), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		play = start(&receives);
		if (cases[i].known)
			know(play, ends[0]);
		transfer(ends[0], cases[i].flags);
		assert_int_equal(play->questions, cases[i].asks);
		assert_events(play, !cases[i].asks, ends[0], 0, 0);
		pad_play_end(play);
	}
	for (int i = 0; i < 3; i++) {
		const int fds[] = {file, pipes[0], -1};

		play = start(&receives);
		transfer(fds[i], 0);
		assert_int_equal(play->questions, fds[i] != file);
		assert_events(play, false, 0, 0, 0);
		pad_play_end(play);
	}
	close(file);
	for (int i = 0; i < 2; i++)
		close(pipes[i]), close(ends[i]);
}

/* What has no call around it may be what the next one is asked; of pipes that is not told. */
static void a_known_pipe_is_noted_without_asking(void **state)
{
	struct pad_play *play;
	struct stream_position at;
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], "abc", 3), 3);
	assert_true(stream_position_read_any(getpid(), pipes[0], &at));
	play = start(&receives);
	*(uint64_t *)((char *)play->block + pad_block_known(at.cookie)) = at.cookie;
	transfer(pipes[0], 0);
	assert_int_equal(play->questions, 0);
	assert_int_equal(play->block->events / sizeof(struct pad_event), 5);
	assert_true(event_at(play, 1).b == at.cookie);
	assert_int_equal(event_at(play, 2).b, 3);
	assert_int_equal(event_at(play, 3).kind, PAD_EVENT_STREAM_END);
	pad_play_end(play);
	close(pipes[0]);
	close(pipes[1]);
}

static void while_no_call_is_open_connections_are_noted_and_pipes_do_not_ask(void **state)
{
	struct pad_play_state at = {.flags = 0x8d5};
	struct pad_play *play;
	int ends[2], pipes[2];

	(void)state;
	connect_ends(ends);
	assert_int_equal(pipe(pipes), 0);
	play = start(&receives);
	know(play, ends[1]);
	at.registers[RDI] = (uint64_t)ends[1];
	pad_play_run(&at, (const void *)(uintptr_t)move);
	assert_int_equal(play->questions, 0);
	assert_int_equal(play->block->events / sizeof(struct pad_event), 3);
	assert_int_equal(event_at(play, 0).kind, PAD_EVENT_STREAM);
	assert_int_equal(event_at(play, 1).kind, PAD_EVENT_POSITION);
	assert_int_equal(event_at(play, 2).kind, PAD_EVENT_STREAM_END);
	at.registers[RDI] = (uint64_t)pipes[0];
	pad_play_run(&at, (const void *)(uintptr_t)move);
	assert_int_equal(play->questions, 0);
	assert_int_equal(play->block->events / sizeof(struct pad_event), 3);
	pad_play_end(play);
	for (int i = 0; i < 2; i++)
		close(pipes[i]), close(ends[i]);
}

/* What is gone already is not told: a fault, and 0. */
static void of_several_messages_the_bytes_are_noted(void **state)
{
	static const struct pad_cost many = {NUMBER, COST_SEND, .flags = 1 << RCX,
					     .messages = true};
	struct mmsghdr messages[5] = {{.msg_len = 7}, {.msg_len = 0}, {.msg_len = 100000}};
	const uint64_t at[] = {(uint64_t)(uintptr_t)messages, 12};
	struct pad_play *play;
	int ends[2];

	(void)state;
	connect_ends(ends);
	for (int i = 0; i < 2; i++) {
		struct pad_play_state state_of = {.flags = 0x8d5};

		play = start(&many);
		know(play, ends[0]);
		state_of.registers[RDI] = (uint64_t)ends[0];
		state_of.registers[RSI] = at[i];
		pad_play_run(&state_of, (const void *)(uintptr_t)use);
		assert_int_equal(state_of.registers[0], 5);
		assert_int_equal(state_of.registers[RSI], at[i]);
		assert_int_equal(play->questions, 0);
		assert_int_equal(play->block->events / sizeof(struct pad_event), 5);
		assert_int_equal(event_at(play, 3).kind, PAD_EVENT_STREAM_END);
		assert_int_equal(event_at(play, 3).a, i ? 0 : 100007);
		pad_play_end(play);
	}
	close(ends[0]);
	close(ends[1]);
}

/* The calls of the kernel are what it costs. */
static void while_no_call_is_open_no_more_is_asked_than_needed(void **state)
{
	static const uint64_t none[sizeof(((struct pad_block *)0)->usage) / 8];
	const int file = open("/proc/self/exe", O_RDONLY);
	struct pad_play_state at = {.flags = 0x8d5};
	struct pad_play *play;
	int ends[2];

	(void)state;
	connect_ends(ends);
	play = start(&sends);
	know(play, ends[0]);
	at.registers[RDI] = (uint64_t)ends[0];
	pad_play_run(&at, (const void *)(uintptr_t)move);
	assert_int_equal(play->block->events / sizeof(struct pad_event), 3);
	assert_true(event_at(play, 0).b == cookie_of(ends[0]));
	assert_int_equal(play->block->stream.info[0], 0);
	at.registers[RDI] = (uint64_t)file;
	pad_play_run(&at, (const void *)(uintptr_t)move);
	assert_int_equal(play->questions, 0);
	assert_int_equal(play->block->events / sizeof(struct pad_event), 3);
	assert_memory_equal(play->block->usage, none, sizeof(none));
	pad_play_end(play);
	close(file);
	close(ends[0]);
	close(ends[1]);
}

static void where_there_is_no_room_for_events_it_asks(void **state)
{
	struct pad_play *play;
	int ends[2];

	(void)state;
	connect_ends(ends);
	for (unsigned room = 1; room <= 5; room++) {
		play = start(&sends);
		know(play, ends[0]);
		play->block->events_taken = -(PAD_EVENTS_SIZE - room * sizeof(struct pad_event));
		transfer(ends[0], 0);
		assert_true(play->block->events <= room * sizeof(struct pad_event));
		assert_int_equal(play->questions == 0, room == 5);
		pad_play_end(play);
	}
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_tells_where_the_stream_is),
		cmocka_unit_test(a_stop_while_the_kernel_is_asked_changes_nothing),
		cmocka_unit_test(what_is_not_known_asks_and_files_do_not),
		cmocka_unit_test(a_known_pipe_is_noted_without_asking),
		cmocka_unit_test(while_no_call_is_open_connections_are_noted_and_pipes_do_not_ask),
		cmocka_unit_test(while_no_call_is_open_no_more_is_asked_than_needed),
		cmocka_unit_test(of_several_messages_the_bytes_are_noted),
		cmocka_unit_test(where_there_is_no_room_for_events_it_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
