#!/bin/sh
# Over TLS the bytes below it tell whose call is whose: nothing of the library is known.
# not sanitized: two programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"

cat >tls.c <<'END'
#include <openssl/ssl.h>
#include <stdlib.h>
#include <time.h>

#include "ports.h"

enum { CALLS = 40, MOST = 40000 };

__attribute__((noinline)) static void ask(SSL *ssl, int k)
{
	static char bytes[MOST] = {1};
	int n, size = 1 + k * 500 % MOST; /* some are of several records */

	((int *)bytes)[0] = size + (int)sizeof(int);
	if (SSL_write(ssl, bytes, size + (int)sizeof(int)) <= 0 || SSL_read(ssl, &n, sizeof(n)) != sizeof(n) || n != size)
		exit(1);
}
__attribute__((noinline)) static int handle(SSL *ssl)
{
	static char bytes[MOST + sizeof(int)];
	const struct timespec pause = {.tv_nsec = 300000};
	int n, size, got = 0;

	do
		n = SSL_read(ssl, bytes + got, (int)sizeof(bytes) - got);
	while (n > 0 && (got += n) < ((int *)bytes)[0]);
	if (n <= 0)
		return 0;
	nanosleep(&pause, NULL);
	size = got - (int)sizeof(int);
	return SSL_write(ssl, &size, sizeof(size)) == sizeof(size);
}
int main(int argc, char **argv)
{
	const int asks = argv[1][0] == 'a';
	SSL_CTX *context = SSL_CTX_new(asks ? TLS_client_method() : TLS_server_method());
	SSL *ssl;

	if (!asks && (SSL_CTX_use_certificate_file(context, "cert.pem", SSL_FILETYPE_PEM) != 1 ||
		      SSL_CTX_use_PrivateKey_file(context, "key.pem", SSL_FILETYPE_PEM) != 1))
		return 1;
	ssl = SSL_new(context);
	SSL_set_fd(ssl, asks ? port_connect(argv[2]) : accept(port_listen(argv[2], 1), NULL, NULL));
	if ((asks ? SSL_connect(ssl) : SSL_accept(ssl)) != 1)
		return 1;
	for (int k = 0; asks && k < CALLS; k++)
		ask(ssl, k);
	while (!asks && handle(ssl))
		;
	return 0;
}
END
${CC:-cc} -O1 -g -I"$top/tests/cli" tls.c -o tls -lssl -lcrypto 2>gone || { echo 'no libssl-dev: skipped'; exit 77; }
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=localhost -days 2 >gone 2>&1 || { echo 'no openssl: skipped'; exit 77; }

# measured FUNCTION
measured() {
	timeout 120 "$fathom" run --no-models -q -m time,remote --max-overhead none --samples all -f "$1" -o "$1" -- ./tls "$1" port >"$1.told" 2>&1 ||
		echo "$1: $(cat "$1.told")" >failed
}
measured handle &
until [ -s port ] || [ -e failed ]; do sleep 0.05; done
measured ask
wait
[ ! -e failed ] || fail "$(cat failed)"
run 0 merge ask handle -o joint --no-models
[ "$(sqlite3 joint 'SELECT count(*), sum("matched.by" = 1), sum("time.server" >= 300), sum(requests = 1), sum(abs(time - "time.own" - "time.server" - "time.network") < 0.001) FROM ask')" = '40|40|40|40|40' ] ||
	fail "$(cat errors; sqlite3 joint 'SELECT k, time, "time.own", "time.server", "time.network", requests FROM ask')"
