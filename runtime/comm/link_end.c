/*
 * link_end.c - ends of links that are closed when a fault ends their coroutine.
 */
#include <cohart/link.h>

#include "link.h"

/* In its last words. The end's first member is the tie. */
static void close_it(struct co_tie *t, struct co *c)
{
	struct co_link_end *e = (struct co_link_end *)t;

	(void)c;
	if (e->tx)
		co_link_close_tx(e->tx);
	if (e->rx)
		co_link_close_rx(e->rx);
}

static void bind(struct co_link_end *e, struct co_link_tx *tx, struct co_link_rx *rx)
{
	e->tx = tx;
	e->rx = rx;
	co_tie_add(&e->tie, close_it);
}

void co_link_bind_tx(struct co_link_end *e, struct co_link_tx *tx)
{
	CO_ASSERT(e && tx && tx->hart == co_hart());
	bind(e, tx, NULL);
}

void co_link_bind_rx(struct co_link_end *e, struct co_link_rx *rx)
{
	CO_ASSERT(e && rx && rx->hart == co_hart());
	bind(e, NULL, rx);
}

void co_link_unbind(struct co_link_end *e)
{
	CO_ASSERT(e && co_tie_remove(&e->tie));
}
