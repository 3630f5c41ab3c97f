/* bupv_sync.c - level 3: barriers, signals, mutexes, global addresses (bupv.h). */
#include <errno.h>

#include <bupv.h>
#include <cohart/dma.h>
#include <cohart/spm.h>

#include "load.h"

#define me bfskn_me

int MP_local_barrier(void)
{
	return bfskn_local_barrier();
}

int MP_global_barrier(void)
{
	return bfskn_global_barrier();
}

int MP_arm_barrier(void)
{
	return bfskn_arm_barrier();
}

int MP_nm_barrier(void)
{
	return bfskn_nm_barrier();
}

_Static_assert(MP_SIGNALS == BFSKN_SIGNALS, "a block has them all");

static bool is_signal(unsigned signal)
{
	return me.program && me.block && signal < MP_SIGNALS;
}

int MP_send_signal(unsigned process, unsigned signal)
{
	if (!is_signal(signal) || process >= me.n)
		return -EINVAL;
	co_signal_send(&bfskn_block_of(me.core_of[process])->signals[signal]);
	return 0;
}

int MP_broadcast_signal(unsigned signal)
{
	if (!is_signal(signal))
		return -EINVAL;
	for (unsigned i = 0; i < me.n; i++) {
		if ((int)i != me.id && MP_send_signal(i, signal))
			return -EINVAL;
	}
	return 0;
}

int MP_wait_signal(unsigned signal)
{
	return is_signal(signal) ? co_signal_wait(&me.block->signals[signal]) : -EINVAL;
}

int MP_wait_any_signal(const unsigned *signals, unsigned n)
{
	struct co_signal *all[MP_SIGNALS];
	int r;

	if (!n || n > MP_SIGNALS)
		return -EINVAL;
	for (unsigned i = 0; i < n; i++) {
		if (!is_signal(signals[i]))
			return -EINVAL;
		all[i] = &me.block->signals[signals[i]];
	}
	r = co_signal_wait_any(all, n);
	return r < 0 ? r : (int)signals[r];
}

int MP_drop_signal(unsigned signal)
{
	return is_signal(signal) ? (int)co_signal_drop(&me.block->signals[signal]) : -EINVAL;
}

int MP_lock(struct co_tlock *mutex)
{
	return co_tlock_lock(mutex, co_hart());
}

void MP_unlock(struct co_tlock *mutex)
{
	co_tlock_unlock(mutex, co_hart());
}

void *MP_global_address(unsigned process, const void *local)
{
	if (!me.program || process >= me.n || !co_spm_shared(local, 1))
		return NULL;
	return co_spm_hart(local) == (int)me.core ? co_spm_at(local, me.core_of[process])
						  : (void *)(uintptr_t)local;
}

int MP_put(void *global, const void *from, uint32_t words)
{
	return words ? co_dma_copy(global, from, (size_t)words * sizeof(uint64_t)) : -EINVAL;
}

int MP_get(void *to, const void *global, uint32_t words)
{
	return words ? co_dma_copy(to, global, (size_t)words * sizeof(uint64_t)) : -EINVAL;
}
