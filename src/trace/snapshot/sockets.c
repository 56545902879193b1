/* Finding sockets by inode in the tables of the kernel's protocols. See proc(5). */
#include "sockets.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "trace/kernel/proc_file.h"

enum { STATE_LISTEN = 10, ADDRESS_TEXT = INET6_ADDRSTRLEN + 16 };

/* Hexadecimal words in the machine's order. False: malformed. */
static bool parse_address(const char *hex, unsigned port, char ret[ADDRESS_TEXT])
{
	const size_t n = strlen(hex) / 8;
	char text[INET6_ADDRSTRLEN];
	uint32_t words[4];

	if (strlen(hex) != 8 && strlen(hex) != 32)
		return false;
	for (size_t i = 0; i < n; i++)
		if (sscanf(hex + 8 * i, "%8x", &words[i]) != 1)
			return false;
	if (!inet_ntop(n == 1 ? AF_INET : AF_INET6, words, text, sizeof(text)))
		return false;
	if (port)
		snprintf(ret, ADDRESS_TEXT, n == 1 ? "%s:%u" : "[%s]:%u", text, port);
	else
		snprintf(ret, ADDRESS_TEXT, "%s:*", text);
	return true;
}

static const char *describe_internet(const char *line, const char *protocol, uint64_t inode,
				     struct arena *arena)
{
	char local[40], remote[40], here[ADDRESS_TEXT], there[ADDRESS_TEXT];
	unsigned local_port, remote_port, state;
	unsigned long found;

	if (sscanf(line, " %*[^:]: %39[0-9A-Fa-f]:%x %39[0-9A-Fa-f]:%x %x %*s %*s %*s %*s %*s %lu",
		   local, &local_port, remote, &remote_port, &state, &found) != 6 ||
	    found != inode || !parse_address(local, local_port, here) ||
	    !parse_address(remote, remote_port, there))
		return NULL;
	if (!remote_port)
		return arena_printf(arena, "%s socket %s%s", protocol, here,
				    state == STATE_LISTEN ? " (listens)" : "");
	return arena_printf(arena, "%s socket %s -> %s", protocol, here, there);
}

static const char *describe_unix(const char *line, uint64_t inode, struct arena *arena)
{
	unsigned long found;
	int path = 0;

	if (sscanf(line, "%*x: %*x %*x %*x %*x %*x %lu %n", &found, &path) != 1 || found != inode)
		return NULL;
	if (!path || !line[path])
		return "unix socket without a name";
	return arena_printf(arena, "unix socket %s", line + path);
}

static const char *describe_line(const char *table, const char *line, uint64_t inode,
				 struct arena *arena)
{
	return strcmp(table, "unix") ? describe_internet(line, table, inode, arena)
				     : describe_unix(line, inode, arena);
}

const char *sockets_describe(pid_t pid, uint64_t inode, struct arena *arena)
{
	static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6", "unix", "raw"};
	const char *found = NULL;
	char name[32];

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && !found; i++) {
		struct proc_lines table;
		const char *line;

		snprintf(name, sizeof(name), "net/%s", tables[i]);
		proc_lines_open(&table, pid, name);
		while (!found && (line = proc_lines_next(&table)))
			found = describe_line(tables[i], line, inode, arena);
		proc_lines_close(&table);
	}
	return found;
}
