/* mdmac.c - the five engines that move memory, each seized by one coroutine at a time. */
#include <errno.h>

#include <cohart/dma.h>

#include "load.h"

static struct mdmac {
	alignas(CO_LINE) struct co_mutex owner;
	struct co_dma transfer;
} mdmacs[MDMACS];

static int begin_move(struct mdmac *m, const void *from, void *to, uint32_t words)
{
	int r = 0;

	/* A coroutine that a fault has ended may have left a transfer under way. */
	while (!r && co_dma_check(&m->transfer) == -EINPROGRESS)
		r = co_dma_wait(&m->transfer);
	if (r == -ECANCELED) {
		co_mutex_unlock(&m->owner);
		return r;
	}
	m->transfer = (struct co_dma){ .to = to, .from = from, .bytes = (size_t)words * 8 };
	r = co_dma_start(&m->transfer);
	if (r)
		co_mutex_unlock(&m->owner);
	return r;
}

int bfskn_start_mdmac(unsigned engine, const void *from, void *to, uint32_t words)
{
	if (engine >= MDMACS)
		return -EINVAL;
	return co_mutex_try_lock(&mdmacs[engine].owner)
		       ? -EBUSY
		       : begin_move(&mdmacs[engine], from, to, words);
}

static bool is_mine(unsigned engine)
{
	return engine < MDMACS && co_mutex_owner(&mdmacs[engine].owner) == co_self();
}

static bool has_one(void)
{
	for (unsigned engine = 0; engine < MDMACS; engine++) {
		if (is_mine(engine))
			return true;
	}
	return false;
}

int bfskn_seize_mdmac(const void *from, void *to, uint32_t words)
{
	unsigned near = co_hart() ? (co_hart() - 1) / 5 % MDMACS : MDMAC_CPU;
	int r;

	for (unsigned i = 0; i < MDMACS; i++) {
		unsigned engine = (near + i) % MDMACS;

		if (co_mutex_try_lock(&mdmacs[engine].owner))
			continue;
		r = begin_move(&mdmacs[engine], from, to, words);
		return r ? r : (int)engine;
	}
	if (has_one())
		return -EBUSY;
	r = co_mutex_lock(&mdmacs[near].owner);
	if (r && r != -EOWNERDEAD)
		return r;
	r = begin_move(&mdmacs[near], from, to, words);
	return r ? r : (int)near;
}

int bfskn_check_mdmac(unsigned engine)
{
	return is_mine(engine) ? co_dma_check(&mdmacs[engine].transfer) : -EINVAL;
}

int bfskn_wait_mdmac(unsigned engine)
{
	int r;

	if (!is_mine(engine))
		return -EINVAL;
	r = co_dma_wait(&mdmacs[engine].transfer);
	if (r != -ETIMEDOUT && r != -ECANCELED)
		co_mutex_unlock(&mdmacs[engine].owner);
	return r;
}

int bfskn_free_mdmac(unsigned engine)
{
	int r;

	while ((r = bfskn_wait_mdmac(engine)) == -ECANCELED)
		co_pause();
	return r;
}

void bfskn_mdmacs_leave(void)
{
	for (unsigned engine = 0; engine < MDMACS; engine++)
		(void)bfskn_free_mdmac(engine);
}
