/*
 * link_end.c - ends of links that are closed when a fault ends their coroutine.
 */
#include <errno.h>

#include <cohart/cleanup.h>
#include <cohart/link.h>
#include <cohart/spm.h>

#include "link.h"

/* An end that is bound, where hart 0 can read it, too. */
struct co_link_note {
	struct co_cleanup cleanup;
	struct co_link_tx *tx;
	struct co_link_rx *rx;
};

/* The coroutine has ended early. Of a lost hart's ends link_lost.c knows. */
static void close_early(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_link_note *n =
		(struct co_link_note *)((uintptr_t)c - offsetof(struct co_link_note, cleanup));

	(void)of;
	if (why == CO_CLEANUP_HOST_DOWN)
		return;
	if (n->tx)
		co_link_close_tx(n->tx);
	if (n->rx)
		co_link_close_rx(n->rx);
}

static int bind(struct co_link_end *e, struct co_link_tx *tx, struct co_link_rx *rx)
{
	e->note = co_spm_alloc(sizeof(*e->note), alignof(struct co_link_note));
	if (!e->note)
		return -ENOMEM;
	e->note->tx = tx;
	e->note->rx = rx;
	co_cleanup_add(&e->note->cleanup, close_early);
	return 0;
}

int co_link_bind_tx(struct co_link_end *e, struct co_link_tx *tx)
{
	CO_ASSERT(e && tx && tx->hart == co_hart());
	return bind(e, tx, NULL);
}

int co_link_bind_rx(struct co_link_end *e, struct co_link_rx *rx)
{
	CO_ASSERT(e && rx && rx->hart == co_hart());
	return bind(e, NULL, rx);
}

void co_link_unbind(struct co_link_end *e)
{
	CO_ASSERT(e && e->note && co_cleanup_remove(&e->note->cleanup));
	co_spm_free(e->note);
	e->note = NULL;
}
