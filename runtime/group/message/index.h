/*
 * index.h - an index of messages that wait at their senders, by rank, tag and context.
 *
 * A message is entered four times: by its rank or CO_ANY_RANK, and its tag or CO_ANY_TAG. So
 * a receive looks up one key, wildcards included, and finds the messages of that key in the order
 * in which they have been entered. The keys are a binary trie of their hashes: at depth d, bit d
 * says on which side a key is. Entries are in main memory, the receiver's: a search reads nothing
 * of senders.
 */
#ifndef COHART_GROUP_INDEX_H
#define COHART_GROUP_INDEX_H

#include <cohart/message.h>

#include "../team/team.h"

/* The message that a receive looks for. */
struct co_wanted {
	uint32_t rank, tag, context;
};

/* A message's place in the ring of its key. The oldest of a ring is in the trie. */
struct co_index_place {
	struct co_index_place *next, *before;
	struct co_index_place **link;    /* the pointer of the trie to it; NULL: it is not there */
	struct co_index_place *below[2]; /* the trie's next keys */
	struct co_wanted key;
	uint32_t nth; /* of the entry's places */
};

#define CO_INDEX_PLACES 4

struct co_index_entry {
	struct co_member_block block;
	struct co_message *m; /* at its sender */
	struct co_index_place place[CO_INDEX_PLACES];
};

static inline struct co_index_entry *co_index_entry(struct co_index_place *p)
{
	return co_container_of(p - p->nth, struct co_index_entry, place[0]);
}

/* Enter m, whose rank, tag and context these are, as the youngest. False: no memory. */
bool co_index_add(struct co_member *of, struct co_index_place **index, struct co_message *m,
		  const struct co_wanted *its);

/* The oldest message of a key, or NULL. */
struct co_index_place *co_index_find(struct co_index_place **index, const struct co_wanted *key);

/* Take an entry out, and give back its memory. Returns its message. */
struct co_message *co_index_take(struct co_member *of, struct co_index_entry *e);

#endif
