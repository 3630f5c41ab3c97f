/* index.c - the index of messages that wait at their senders. */
#include "index.h"

#include "../../core/core.h"

static uint32_t hash_of(const struct co_wanted *key)
{
	uint32_t h = ((key->context * 0x9e3779b1u) ^ key->rank) * 0x85ebca6bu + key->tag;

	h = (h ^ h >> 16) * 0x7feb352du;
	return h ^ h >> 15;
}

static bool is_key(const struct co_wanted *a, const struct co_wanted *b)
{
	return a->rank == b->rank && a->tag == b->tag && a->context == b->context;
}

/* Where the trie has the oldest place of a key, or would have it. */
static struct co_index_place **find(struct co_index_place **at, const struct co_wanted *key)
{
	uint32_t h = hash_of(key);

	for (; *at && !is_key(&(*at)->key, key); h >>= 1)
		at = &(*at)->below[h & 1];
	return at;
}

static void enter(struct co_index_place **index, struct co_index_place *p)
{
	struct co_index_place **at = find(index, &p->key), *oldest = *at;

	p->next = p->before = p;
	p->link = NULL;
	if (oldest) {
		p->next = oldest;
		p->before = oldest->before;
		p->before->next = oldest->before = p;
	} else {
		p->below[0] = p->below[1] = NULL;
		p->link = at;
		*at = p;
	}
}

/* Put p where `gone` is in the trie. */
static void replace(struct co_index_place *gone, struct co_index_place *p)
{
	p->link = gone->link;
	*p->link = p;
	for (int i = 0; i < 2; i++) {
		p->below[i] = gone->below[i];
		if (p->below[i])
			p->below[i]->link = &p->below[i];
	}
}

/* Take p, the only one of its key, out of the trie: the key of any leaf below p fits there, too. */
static void remove_key(struct co_index_place *p)
{
	struct co_index_place *leaf = p;

	while (leaf->below[0] || leaf->below[1])
		leaf = leaf->below[!leaf->below[0]];
	*leaf->link = NULL;
	if (leaf != p)
		replace(p, leaf);
}

static void leave(struct co_index_place *p)
{
	if (p->link && p->next == p)
		remove_key(p);
	else if (p->link)
		replace(p, p->next);
	p->next->before = p->before;
	p->before->next = p->next;
}

bool co_index_add(struct co_member *of, struct co_index_place **index, struct co_message *m,
		  const struct co_wanted *its)
{
	struct co_index_entry *e = co_member_take_main(of, sizeof(*e));

	if (!e)
		return false;
	e->m = m;
	for (uint32_t i = 0; i < CO_INDEX_PLACES; i++) {
		struct co_index_place *p = &e->place[i];

		p->key.rank = i & 1 ? CO_ANY_RANK : its->rank;
		p->key.tag = i & 2 ? CO_ANY_TAG : its->tag;
		p->key.context = its->context;
		p->nth = i;
		enter(index, p);
	}
	return true;
}

struct co_index_place *co_index_find(struct co_index_place **index, const struct co_wanted *key)
{
	return *find(index, key);
}

struct co_message *co_index_take(struct co_member *of, struct co_index_entry *e)
{
	struct co_message *m = e->m;

	for (uint32_t i = 0; i < CO_INDEX_PLACES; i++)
		leave(&e->place[i]);
	co_member_give(of, e);
	return m;
}
