/* The table of cost calls. trace/ decides what they charge. */
#include "cost_call.h"

#include <stdlib.h>
#include <string.h>

/*
 * Sorted by name, for bsearch(). Functions that call these are left out: strdup() calls malloc(),
 * C11's mtx_lock() and C++'s std::mutex lock a pthread mutex. The mangled names are operators new
 * and delete.
 */
static const struct named_kind {
	const char *name;
	enum cost_call_kind kind;
} named[] = {
	{"_Unwind_ForcedUnwind", COST_UNWIND_FORCED},
	{"_Unwind_RaiseException", COST_UNWIND},
	{"_Unwind_Resume", COST_UNWIND},
	{"_Unwind_Resume_or_Rethrow", COST_UNWIND},
	{"_ZdaPv", COST_FREE},
	{"_ZdaPvRKSt9nothrow_t", COST_FREE},
	{"_ZdaPvSt11align_val_t", COST_FREE},
	{"_ZdaPvSt11align_val_tRKSt9nothrow_t", COST_FREE},
	{"_ZdaPvm", COST_FREE},
	{"_ZdaPvmSt11align_val_t", COST_FREE},
	{"_ZdlPv", COST_FREE},
	{"_ZdlPvRKSt9nothrow_t", COST_FREE},
	{"_ZdlPvSt11align_val_t", COST_FREE},
	{"_ZdlPvSt11align_val_tRKSt9nothrow_t", COST_FREE},
	{"_ZdlPvm", COST_FREE},
	{"_ZdlPvmSt11align_val_t", COST_FREE},
	{"_Znam", COST_ALLOCATE},
	{"_ZnamRKSt9nothrow_t", COST_ALLOCATE},
	{"_ZnamSt11align_val_t", COST_ALLOCATE},
	{"_ZnamSt11align_val_tRKSt9nothrow_t", COST_ALLOCATE},
	{"_Znwm", COST_ALLOCATE},
	{"_ZnwmRKSt9nothrow_t", COST_ALLOCATE},
	{"_ZnwmSt11align_val_t", COST_ALLOCATE},
	{"_ZnwmSt11align_val_tRKSt9nothrow_t", COST_ALLOCATE},
	{"__longjmp_chk", COST_JUMP},
	{"_longjmp", COST_JUMP},
	{"aligned_alloc", COST_ALLOCATE_ALIGNED},
	{"calloc", COST_ALLOCATE_ARRAY},
	{"cfree", COST_FREE},
	{"execve", COST_CHANGE},
	{"execveat", COST_CHANGE},
	{"fexecve", COST_CHANGE},
	{"free", COST_FREE},
	{"free_aligned_sized", COST_FREE},
	{"free_sized", COST_FREE},
	{"longjmp", COST_JUMP},
	{"malloc", COST_ALLOCATE},
	{"memalign", COST_ALLOCATE_ALIGNED},
	{"mmap", COST_MAP},
	{"mmap64", COST_MAP},
	{"munmap", COST_UNMAP},
	{"posix_memalign", COST_ALLOCATE_INTO},
	{"prctl", COST_CHANGE},
	{"pthread_cond_clockwait", COST_CONDITION_WAIT},
	{"pthread_cond_timedwait", COST_CONDITION_WAIT},
	{"pthread_cond_wait", COST_CONDITION_WAIT},
	{"pthread_mutex_clocklock", COST_LOCK_TAKE},
	{"pthread_mutex_lock", COST_LOCK_TAKE},
	{"pthread_mutex_timedlock", COST_LOCK_TAKE},
	{"pthread_mutex_trylock", COST_LOCK_TRY},
	{"pthread_mutex_unlock", COST_LOCK_RELEASE},
	{"pthread_rwlock_clockrdlock", COST_LOCK_TAKE},
	{"pthread_rwlock_clockwrlock", COST_LOCK_TAKE},
	{"pthread_rwlock_rdlock", COST_LOCK_TAKE},
	{"pthread_rwlock_timedrdlock", COST_LOCK_TAKE},
	{"pthread_rwlock_timedwrlock", COST_LOCK_TAKE},
	{"pthread_rwlock_tryrdlock", COST_LOCK_TRY},
	{"pthread_rwlock_trywrlock", COST_LOCK_TRY},
	{"pthread_rwlock_unlock", COST_LOCK_RELEASE},
	{"pthread_rwlock_wrlock", COST_LOCK_TAKE},
	{"pthread_spin_lock", COST_LOCK_TAKE_SPIN},
	{"pthread_spin_trylock", COST_LOCK_TRY},
	{"pthread_spin_unlock", COST_LOCK_RELEASE_SPIN},
	{"pvalloc", COST_ALLOCATE},
	{"read", COST_RECEIVE},
	{"readv", COST_RECEIVE},
	{"realloc", COST_REALLOCATE},
	{"reallocarray", COST_REALLOCATE_ARRAY},
	{"recv", COST_RECEIVE},
	{"recvfrom", COST_RECEIVE},
	{"recvmmsg", COST_RECEIVE},
	{"recvmsg", COST_RECEIVE},
	{"sem_clockwait", COST_SEMAPHORE_WAIT},
	{"sem_timedwait", COST_SEMAPHORE_WAIT},
	{"sem_trywait", COST_SEMAPHORE_WAIT},
	{"sem_wait", COST_SEMAPHORE_WAIT},
	{"send", COST_SEND},
	{"sendfile", COST_SEND},
	{"sendfile64", COST_SEND},
	{"sendmmsg", COST_SEND},
	{"sendmsg", COST_SEND},
	{"sendto", COST_SEND},
	{"siglongjmp", COST_JUMP},
	{"valloc", COST_ALLOCATE},
	{"write", COST_SEND},
	{"writev", COST_SEND},
};

static int cost_call_compare_names(const void *key, const void *element)
{
	return strcmp(key, ((const struct named_kind *)element)->name);
}

enum cost_call_kind cost_call_kind(const char *name)
{
	const struct named_kind *found = bsearch(name, named, sizeof(named) / sizeof(*named),
						 sizeof(*named), cost_call_compare_names);

	return found ? found->kind : COST_KIND_COUNT;
}

bool cost_call_gives_messages(const char *name)
{
	return !strcmp(name, "sendmmsg") || !strcmp(name, "recvmmsg");
}

bool cost_call_is_wanted(enum cost_call_kind kind, unsigned totals, bool mappings)
{
	switch (kind) {
	case COST_ALLOCATE:
	case COST_ALLOCATE_ARRAY:
	case COST_ALLOCATE_ALIGNED:
	case COST_ALLOCATE_INTO:
	case COST_REALLOCATE:
	case COST_REALLOCATE_ARRAY:
		return totals & metric_set_from(METRIC_HEAP);
	case COST_FREE:
		return totals & metric_set_from(METRIC_BLOCKS);
	case COST_MAP:
		return mappings && totals & metric_set_from(METRIC_HEAP);
	case COST_UNMAP:
		return mappings && totals & metric_set_from(METRIC_BLOCKS);
	case COST_LOCK_TAKE:
	case COST_LOCK_TAKE_SPIN:
	case COST_CONDITION_WAIT:
	case COST_SEMAPHORE_WAIT:
		return totals & metric_set_from(METRIC_LOCKS);
	case COST_LOCK_TRY:
	case COST_LOCK_RELEASE:
	case COST_LOCK_RELEASE_SPIN:
		return totals & 1 << METRIC_HOLD;
	case COST_SEND:
	case COST_RECEIVE:
		return totals & metric_set_from(METRIC_STREAMS);
	case COST_UNWIND:
	case COST_UNWIND_FORCED:
	case COST_JUMP:
	case COST_CHANGE:
		return totals;
	case COST_KIND_COUNT:
		break;
	}
	return false;
}

bool cost_call_leaves(enum cost_call_kind kind)
{
	return kind == COST_UNWIND || kind == COST_UNWIND_FORCED || kind == COST_JUMP;
}

bool cost_call_is_hooked(enum cost_call_kind kind)
{
	return cost_call_leaves(kind) || kind == COST_CHANGE;
}

unsigned cost_call_metrics(void)
{
	return metric_set_from(METRIC_HEAP | METRIC_LOCKS | METRIC_STREAMS);
}
