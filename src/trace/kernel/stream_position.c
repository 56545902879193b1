/* Asks the kernel, by a copy of the descriptor that lives for some µs; the process does nothing. */
#include "stream_position.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc_file.h"

/* Bytes that arrive between two questions change the answer: ask so often at most. */
enum { TURNS = 16 };

/* An end of a connection, IPv4 as IPv6 writes it. */
struct end {
	struct in6_addr address;
	in_port_t port;
};

static bool end_of(const struct sockaddr_storage *from, struct end *ret)
{
	const struct sockaddr_in *four = (const void *)from;
	const struct sockaddr_in6 *six = (const void *)from;

	memset(ret, 0, sizeof(*ret));
	if (from->ss_family == AF_INET) {
		ret->address.s6_addr[10] = ret->address.s6_addr[11] = 0xff;
		memcpy(&ret->address.s6_addr[12], &four->sin_addr, 4);
		ret->port = four->sin_port;
	} else if (from->ss_family == AF_INET6) {
		ret->address = six->sin6_addr;
		ret->port = six->sin6_port;
	}
	return ret->port;
}

static bool is_loopback(const struct end *end)
{
	return IN6_IS_ADDR_LOOPBACK(&end->address) ||
	       (IN6_IS_ADDR_V4MAPPED(&end->address) && end->address.s6_addr[12] == 127);
}

/* FNV-1a. */
static uint64_t hash(uint64_t start, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		start = (start ^ at[i]) * UINT64_C(0x100000001b3);
	return start;
}

static uint64_t hash_boot(void)
{
	char boot[64];
	const size_t n = proc_read_path("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));

	return hash(UINT64_C(0xcbf29ce484222325), boot, n);
}

/* A number that samples can have; not 0. */
static uint64_t hash_to_number(uint64_t all)
{
	all = (all ^ all >> 52) & ((UINT64_C(1) << 52) - 1);
	return all ? all : 1;
}

/* Each host, and each network namespace, has a loopback of its own. */
static uint64_t hash_place(pid_t pid)
{
	uint64_t place = hash_boot();
	char path[64];
	struct stat net;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	if (stat(path, &net) == 0)
		place = hash(place, &net.st_ino, sizeof(net.st_ino));
	return place;
}

static uint64_t stream_of(uint64_t place, const struct end *from, const struct end *to)
{
	uint64_t all = hash(place, &from->address, sizeof(from->address));

	all = hash(all, &from->port, sizeof(from->port));
	all = hash(all, &to->address, sizeof(to->address));
	all = hash(all, &to->port, sizeof(to->port));
	return hash_to_number(all);
}

static bool read_ends(pid_t pid, int fd, struct stream_position *ret)
{
	struct sockaddr_storage storage;
	struct end here, there;
	socklen_t size = sizeof(storage);
	uint64_t place = UINT64_C(0xcbf29ce484222325);

	if (getsockname(fd, (struct sockaddr *)&storage, &size) != 0 || !end_of(&storage, &here))
		return false;
	size = sizeof(storage);
	if (getpeername(fd, (struct sockaddr *)&storage, &size) != 0 || !end_of(&storage, &there))
		return false;
	if (is_loopback(&here) || is_loopback(&there))
		place = hash_place(pid);
	ret->sending = stream_of(place, &here, &there);
	ret->receiving = stream_of(place, &there, &here);
	return true;
}

static bool read_info(int fd, struct tcp_info *ret)
{
	socklen_t size = sizeof(*ret);

	memset(ret, 0, sizeof(*ret));
	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, ret, &size) == 0 &&
	       size >= offsetof(struct tcp_info, tcpi_dsack_dups);
}

/* Of what arrived the process has not taken what waits. */
static bool read_byte_counts(int fd, struct stream_position *ret)
{
	struct tcp_info before, now;
	int waiting, unacknowledged;

	if (!read_info(fd, &now))
		return false;
	for (int i = 0; i < TURNS; i++) {
		before = now;
		if (ioctl(fd, SIOCINQ, &waiting) != 0 ||
		    ioctl(fd, SIOCOUTQ, &unacknowledged) != 0 || !read_info(fd, &now))
			return false;
		if (before.tcpi_bytes_received != now.tcpi_bytes_received ||
		    before.tcpi_bytes_acked != now.tcpi_bytes_acked)
			continue;
		ret->received = now.tcpi_bytes_received - (uint64_t)waiting;
		ret->waiting = waiting > 0;
		ret->sent = now.tcpi_bytes_sent - now.tcpi_bytes_retrans + now.tcpi_notsent_bytes;
		/* who has connected had a SYN acknowledged, too */
		ret->accepted = now.tcpi_bytes_acked == ret->sent - (uint64_t)unacknowledged;
		return true;
	}
	return false;
}

uint64_t stream_position_clock(void)
{
	static uint64_t clock;
	struct stat time;

	if (!clock) {
		clock = hash_boot();
		if (stat("/proc/self/ns/time", &time) == 0)
			clock = hash(clock, &time.st_ino, sizeof(time.st_ino));
		clock = hash_to_number(clock);
	}
	return clock;
}

/* Which unix socket is at the other end of @inode? 0: nobody says, as of other namespaces. */
static uint32_t ask_peer(uint32_t inode, const uint32_t cookie[2])
{
	struct {
		struct nlmsghdr header;
		struct unix_diag_req question;
	} asked = {
		.header = {.nlmsg_len = sizeof(asked),
			   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			   .nlmsg_flags = NLM_F_REQUEST},
		.question = {.sdiag_family = AF_UNIX,
			     .udiag_states = ~0u,
			     .udiag_ino = inode,
			     .udiag_show = UDIAG_SHOW_PEER,
			     .udiag_cookie = {cookie[0], cookie[1]}},
	};
	_Alignas(struct nlmsghdr) char answer[1024];
	const struct nlmsghdr *header = (const void *)answer;
	const int diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	const size_t head = NLMSG_LENGTH(sizeof(struct unix_diag_msg));
	uint32_t peer = 0;
	ssize_t n = -1;
	int left;

	if (diag < 0)
		return 0;
	if (send(diag, &asked, sizeof(asked), 0) == (ssize_t)sizeof(asked))
		n = recv(diag, answer, sizeof(answer), MSG_DONTWAIT);
	close(diag);
	if (n < (ssize_t)head || header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    header->nlmsg_len > (size_t)n)
		return 0;
	left = (int)(header->nlmsg_len - head);
	for (const struct rtattr *at = (const void *)(answer + NLMSG_ALIGN(head)); RTA_OK(at, left);
	     at = RTA_NEXT(at, left))
		if (at->rta_type == UNIX_DIAG_PEER && RTA_PAYLOAD(at) == sizeof(peer))
			memcpy(&peer, RTA_DATA(at), sizeof(peer));
	return peer;
}

/* 0: it is no socket. */
static uint64_t socket_cookie(int fd)
{
	uint64_t cookie;
	socklen_t size = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

/* A cookie is one socket's for ever, and so is its peer. */
static uint32_t peer_of(int fd, uint32_t inode)
{
	enum { KNOWN = 64 };
	static struct {
		uint64_t cookie;
		uint32_t peer;
	} known[KNOWN];
	const uint64_t cookie = socket_cookie(fd);
	uint32_t halves[2], peer;

	if (!cookie)
		return 0;
	if (known[cookie % KNOWN].cookie == cookie)
		return known[cookie % KNOWN].peer;
	halves[0] = (uint32_t)cookie;
	halves[1] = (uint32_t)(cookie >> 32);
	peer = ask_peer(inode, halves);
	if (!peer)
		return 0;
	known[cookie % KNOWN].cookie = cookie;
	known[cookie % KNOWN].peer = peer;
	return peer;
}

static uint64_t local_stream(uint64_t from, uint64_t to, const char *kind)
{
	uint64_t all = stream_position_clock();

	all = hash(all, kind, strlen(kind));
	all = hash(all, &from, sizeof(from));
	return hash_to_number(hash(all, &to, sizeof(to)));
}

static bool socket_is_named(int fd, int (*name_of)(int, struct sockaddr *, socklen_t *), bool *ret)
{
	struct sockaddr_storage name;
	socklen_t size = sizeof(name);

	if (name_of(fd, (struct sockaddr *)&name, &size) != 0 || name.ss_family != AF_UNIX)
		return false;
	*ret = size > sizeof(name.ss_family);
	return true;
}

/*
 * The connection has the number of the end that connected, which is the one without a name; the
 * other has none before it is accepted. Two ends without names are a pair.
 */
static bool read_unix(int fd, const struct stat *status, struct stream_position *ret)
{
	uint64_t here = status->st_ino, there = 0;
	bool named, peer_named;
	socklen_t size = sizeof(int);
	int type;

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
	    (type != SOCK_STREAM && type != SOCK_SEQPACKET) ||
	    !socket_is_named(fd, getsockname, &named) ||
	    !socket_is_named(fd, getpeername, &peer_named))
		return false;
	ret->connection = CONNECTION_UNIX;
	ret->accepted = named && !peer_named;
	ret->way = MESSAGE_BY_ORDER;
	if (named || !peer_named)
		there = peer_of(fd, (uint32_t)here);
	if ((named || !peer_named) && !there)
		ret->way = MESSAGE_BY_INTERVAL;
	if (ret->way == MESSAGE_BY_INTERVAL || (named && !peer_named))
		here = 0;
	ret->sending = local_stream(here, there, "unix");
	ret->receiving = local_stream(there, here, "unix");
	return true;
}

static void read_pipe(const struct stat *status, struct stream_position *ret)
{
	ret->connection = CONNECTION_PIPE;
	ret->way = MESSAGE_BY_ORDER;
	ret->sending = ret->receiving = local_stream(status->st_dev, status->st_ino, "pipe");
	ret->cookie = STREAM_PIPE | (uint64_t)status->st_dev << STREAM_PIPE_DEVICE | status->st_ino;
}

static bool read_local(int fd, struct stream_position *ret)
{
	struct stat status;
	int waiting;

	if (fstat(fd, &status) != 0)
		return false;
	if (S_ISFIFO(status.st_mode))
		read_pipe(&status, ret);
	else if (!S_ISSOCK(status.st_mode) || !read_unix(fd, &status, ret))
		return false;
	ret->waiting = ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0;
	return true;
}

static int copy_descriptor(pid_t pid, int fd)
{
	const int process = (int)syscall(SYS_pidfd_open, pid, 0);
	int copy;

	if (process < 0)
		return -1;
	copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	close(process);
	return copy;
}

static bool read_tcp(pid_t pid, int copy, struct stream_position *ret)
{
	*ret = (struct stream_position){.connection = CONNECTION_TCP, .way = MESSAGE_BY_POSITION};
	return read_ends(pid, copy, ret) && read_byte_counts(copy, ret);
}

bool stream_position_read(pid_t pid, int fd, struct stream_position *ret)
{
	const int copy = copy_descriptor(pid, fd);
	bool ok;

	if (copy < 0)
		return false;
	ok = read_tcp(pid, copy, ret);
	close(copy);
	return ok;
}

bool stream_position_read_any(pid_t pid, int fd, struct stream_position *ret)
{
	const int copy = copy_descriptor(pid, fd);
	bool ok;

	if (copy < 0)
		return false;
	ok = read_tcp(pid, copy, ret) || read_local(copy, ret);
	if (!ret->cookie)
		ret->cookie = socket_cookie(copy);
	close(copy);
	return ok;
}
