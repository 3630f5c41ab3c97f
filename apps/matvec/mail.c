/*
 * mail.c - the map once more, over mailboxes in place of a pipeline (seed C5): see matvec.h.
 *
 * A worker has one mailbox, for matrices from above and for word from below that they are done.
 * Nobody waits for room: it holds as many as are under way at all.
 */
#include <errno.h>

#include "matvec.h"

#define TAG 100
#define WORDS 2 /* the address, and 0: from above; else which child says that it is done */

int mail_send(const struct mail *m, unsigned rank, uintptr_t item, unsigned from)
{
	return co_mail_send(m->harts[rank], TAG + (int)rank, (uintptr_t[]){ item, from }, WORDS);
}

/* Depth first, as in cohart/team.h: 2^level - 1 workers begin with `at`. */
static void find_place(struct mail *m)
{
	unsigned level = 32 - (unsigned)__builtin_clz(m->workers), at = 0;

	while (at != m->rank) {
		unsigned far = at + (1u << --level);

		m->parent = at;
		m->child_of_parent = m->rank < far ? 1 : 2;
		at = m->rank < far ? at + 1 : far;
	}
	m->child[0] = at + 1;
	m->child[1] = at + (1u << (level - 1));
	m->children = level > 1 ? (m->child[0] < m->workers) + (m->child[1] < m->workers) : 0;
}

static void find_place_in_row(struct mail *m)
{
	m->parent = 0;
	m->child_of_parent = m->rank;
	m->child[0] = 1;
	m->children = m->rank ? 0 : m->workers - 1;
}

static unsigned child_of(const struct mail *m, unsigned i)
{
	return m->tree ? m->child[i] : m->child[0] + i;
}

int mail_open(struct mail *m)
{
	unsigned words;
	int r;

	if (m->rank < m->workers && m->tree)
		find_place(m);
	else if (m->rank < m->workers)
		find_place_in_row(m);
	words = CO_MAILBOX_WORDS(WORDS, (m->children + 1) * (SLOTS + 1));
	m->storage = co_spm_alloc(words * sizeof(uintptr_t), CO_LINE);
	if (!m->storage)
		return -ENOMEM;
	r = co_mailbox_open(&m->box, TAG + (int)m->rank, m->storage, words);
	if (r)
		co_spm_free(m->storage);
	return r;
}

void mail_close(struct mail *m)
{
	int r = co_mailbox_close(&m->box);

	CO_ASSERT(!r); /* nothing is under way */
	co_spm_free(m->storage);
}

/* Report what this worker and all below it have done. The first one reports to the Collector. */
static int report(struct mail *m)
{
	unsigned done = m->done[0];
	int r = 0;

	if (m->rank == m->workers)
		return 0;
	for (unsigned i = 1; i <= m->children; i++)
		done = (int)(m->done[i] - done) < 0 ? m->done[i] : done;
	for (; m->reported != done && r == 0; m->reported++) {
		uintptr_t item = m->under_way[m->reported % (SLOTS + 1)];

		r = m->rank ? mail_send(m, m->parent, item, m->child_of_parent)
			    : mail_send(m, m->workers, item, 0);
	}
	return r;
}

int mail_done(struct mail *m)
{
	m->done[0]++;
	return report(m);
}

/* Receive one message. Returns 1 if it is a matrix, 0 if not. */
static int receive(struct mail *m, uintptr_t *item)
{
	uintptr_t words[WORDS];
	int r = co_mailbox_recv(&m->box, words, WORDS, NULL);

	if (r < 0)
		return r;
	if (words[1]) {
		m->done[words[1]]++;
		return report(m);
	}
	*item = words[0];
	m->under_way[m->taken++ % (SLOTS + 1)] = words[0];
	for (unsigned i = 0; i < m->children; i++) {
		r = mail_send(m, child_of(m, i), words[0], 0);
		if (r)
			return r;
	}
	return 1;
}

int mail_take(struct mail *m, uintptr_t *item)
{
	uintptr_t got = 0;
	int r;

	do
		r = receive(m, &got);
	while (r == 0);
	if (r < 0)
		return r;
	if (got) {
		*item = got;
		return 0;
	}
	/* The end goes through the tree as matrices do. */
	r = mail_done(m);
	while (r == 0 && m->rank < m->workers && m->reported != m->taken)
		r = receive(m, &got);
	return r ? r : -EPIPE;
}
