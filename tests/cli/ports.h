/* Connections over the local machine whose port is told by a file. Who cannot have one ends with 1. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static inline int port_connect(const char *path)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	FILE *file = fopen(path, "r");
	int port;

	if (!file || fscanf(file, "%d", &port) != 1)
		exit(1);
	fclose(file);
	at.sin_port = htons(port);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		exit(1);
	return fd;
}

/* For up to @most at a time, who are to be accepted. */
static inline int port_listen(const char *path, int most)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(at);
	FILE *file;

	if (bind(fd, (struct sockaddr *)&at, size) || listen(fd, most) ||
	    getsockname(fd, (struct sockaddr *)&at, &size))
		exit(1);
	file = fopen(path, "w");
	fprintf(file, "%d\n", ntohs(at.sin_port));
	fclose(file);
	return fd;
}
