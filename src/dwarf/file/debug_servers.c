/*
 * libdebuginfod is loaded by libdw, where it is installed; while it waits it calls back. SIGINT is
 * blocked meanwhile, so that it is pending when we are called.
 */
#include "debug_servers.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

/* What is fetched sooner is not worth a word. */
static const uint64_t TOLD_AFTER_NS = 1000000000;

static void (*told_by)(const char *urls, const char *path);

struct asking {
	const char *path;
	uint64_t began_ns;
	bool told;
};

static _Thread_local struct asking asking; /* of the thread's only request */

void debug_servers_tell_by(void (*tell)(const char *urls, const char *path))
{
	told_by = tell;
}

static bool interrupted(void)
{
	sigset_t pending, interrupt;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	return sigpending(&pending) == 0 && sigismember(&pending, SIGINT) &&
	       sigtimedwait(&interrupt, NULL, &(struct timespec){0}) == SIGINT;
}

/* Not 0: the request is given up. */
static int on_progress(debuginfod_client *client, long part, long all)
{
	(void)client, (void)part, (void)all;
	if (!asking.told && told_by && clock_now_ns() - asking.began_ns >= TOLD_AFTER_NS) {
		told_by(getenv("DEBUGINFOD_URLS"), asking.path);
		asking.told = true;
	}
	return interrupted();
}

/* False: no server can be asked. */
static bool servers_watch(Dwfl *dwfl)
{
	typedef void set_progress(debuginfod_client *, int (*)(debuginfod_client *, long, long));
	debuginfod_client *client = dwfl_get_debuginfod_client(dwfl);
	void *library = client ? dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_NOLOAD) : NULL;
	set_progress *set =
		library ? (set_progress *)dlsym(library, "debuginfod_set_progressfn") : NULL;

	if (set)
		set(client, on_progress);
	if (library)
		dlclose(library); /* libdw has it, too */
	return set;
}

Dwarf *debug_servers_getdwarf(Dwfl *dwfl, Dwfl_Module *module, const char *path, Dwarf_Addr *bias)
{
	sigset_t interrupt, before;
	Dwarf *dwarf;

	if (!getenv("DEBUGINFOD_URLS") || !servers_watch(dwfl))
		return dwfl_module_getdwarf(module, bias);
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupt, &before);
	asking = (struct asking){.path = path, .began_ns = clock_now_ns()};
	dwarf = dwfl_module_getdwarf(module, bias);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return dwarf;
}
