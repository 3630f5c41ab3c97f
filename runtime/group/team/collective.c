/*
 * collective.c - lines that go down a tree, copies from and into the root's memory, and
 * acknowledgements.
 *
 * A collective is one line from its root to all members: with the data, if they are few, or with
 * the address of the root's memory. In the latter case each member copies its part by itself, and
 * acknowledges the line when all members below it have done so; so the root knows when all have.
 */
#include "team.h"

enum kind { BROADCAST, SCATTER, GATHER };

/* ---- The tree ---- */

/* The depth-first tree: 2^level - 1 ranks, or fewer, begin with `at`, which is relative. */
static void set_depth_first(struct co_member *m, uint32_t root, uint32_t me)
{
	uint32_t level = 1, at = 0;

	while (((uint32_t)1 << level) - 1 < m->ranks)
		level++;
	while (at != me) {
		uint32_t far = at + ((uint32_t)1 << --level);

		m->parent = (at + root) % m->ranks;
		at = me < far ? at + 1 : far;
	}
	m->children = 0;
	if (level > 1 && at + 1 < m->ranks)
		m->child[m->children++] = at + 1;
	if (level > 1 && at + ((uint32_t)1 << (level - 1)) < m->ranks)
		m->child[m->children++] = at + ((uint32_t)1 << (level - 1));
}

static void set_tree(struct co_member *m, uint32_t root)
{
	uint32_t me = (m->rank + m->ranks - root) % m->ranks;
	enum co_team_form form = m->team->form;

	m->root = root;
	m->parent = root;
	if (form == CO_TEAM_TREE || (form == CO_TEAM_AUTO && m->ranks > CO_TEAM_FEW)) {
		set_depth_first(m, root, me);
		return;
	}
	m->children = me ? 0 : m->ranks - 1;
	m->child[0] = 1;
	m->child[1] = 2;
}

/* The rank of a child. */
static inline uint32_t child_of(const struct co_member *m, uint32_t i)
{
	uint32_t child = (i < 2 ? m->child[i] : i + 1) + m->root;

	return child < m->ranks ? child : child - m->ranks;
}

/* ---- Waits ---- */

/*
 * Has the line come (at_most 0), or are so few under way to that rank? Less than 0 if it is further
 * already, and expects a later line from here.
 */
static bool there(struct co_member *m, uint32_t rank, const struct co_lane_cursor *l,
		  uint32_t at_most)
{
	return at_most ? (int32_t)co_lane_under_way(&m->ack[rank], l->count) < (int32_t)at_most
		       : co_lane_came(&l->slot->ready);
}

/* there(), after the flag was raised. */
static bool there_now(struct co_member *m, uint32_t rank, const struct co_lane_cursor *l,
		      uint32_t at_most)
{
	return at_most ? !co_lane_full_now(&m->ack[rank], l->count, at_most)
		       : co_lane_came_now(&l->slot->ready);
}

struct part {
	struct co_member *m;
	const struct co_lane_cursor *l;
	uint32_t rank, at_most;
};

static bool ask_for_part(void *part, uint32_t how)
{
	const struct part *p = part;
	struct co_member *m = p->m;

	co_lane_ask(&co_member_at(m, p->rank)->ack[m->rank].wake, how);
	return co_member_ask(m, how) || there_now(m, p->rank, p->l, p->at_most);
}

static NOINLINE int await_part(struct co_member *m, uint32_t rank, const struct co_lane_cursor *l,
			       uint32_t at_most)
{
	struct part part = { m, l, rank, at_most };
	int r = 0;

	while (!r && !there(m, rank, l, at_most)) {
		/* relaxed: ask_for_part() looks again. */
		if (co_atomic_load(&m->broken, CO_RELAXED))
			return -EOWNERDEAD;
		r = co_member_waited(m,
				     co_lane_wait_inline(&m->queue, m->team, "collective of a team",
							 CO_FOREVER, ask_for_part, &part));
	}
	if (r)
		co_team_break(m);
	return r;
}

static inline int await_unless(struct co_member *m, uint32_t rank, const struct co_lane_cursor *l,
			       uint32_t at_most)
{
	return there(m, rank, l, at_most) ? 0 : await_part(m, rank, l, at_most);
}

/* Wake `rank`, if it may sleep for the word that was just written there. */
static inline void wake(struct co_member *m, uint32_t rank)
{
	co_lane_wake(&m->ack[rank].wake, &co_member_at(m, rank)->waiter);
}

/* ---- Down and up ---- */

INLINE int send_down(struct co_member *m, const uintptr_t *msg, unsigned words)
{
	for (uint32_t i = 0; i < m->children; i++) {
		uint32_t rank = child_of(m, i);
		struct co_lane_cursor there = m->in;
		int r = await_unless(m, rank, &m->in, CO_TEAM_DEPTH);

		if (r)
			return r;
		there.slot = (struct co_lane_slot *)((uintptr_t)there.slot - (uintptr_t)m +
						     (uintptr_t)co_member_at(m, rank));
		co_lane_copy(there.slot->msg, msg, words);
		co_lane_publish(&there.slot->ready);
		wake(m, rank);
	}
	return 0;
}

/* Wait for the line from above. It stays in its slot until finish_collective(). */
static int receive_line(struct co_member *m)
{
	if (m->knower != m->parent) {
		struct co_member *p = co_member_at(m, m->parent);

		/* seq_cst: as co_lane_done(), of all lines before the awaited one. */
		co_atomic_store(&p->ack[m->rank].acked, m->in.count, CO_SEQ_CST);
		wake(m, m->parent);
		m->knower = m->parent;
	}
	return await_unless(m, m->parent, &m->in, 0);
}

/* The collective is over for this member; `all`: when it is for all below. */
static int finish_collective(struct co_member *m, bool all)
{
	struct co_lane_cursor after = m->in;

	co_lane_cursor_next(&after);
	for (uint32_t i = 0; all && i < m->children; i++) {
		int r = await_unless(m, child_of(m, i), &after, 1);

		if (r)
			return r;
	}
	if (m->rank == m->root) {
		m->in = after;
		m->knower = CO_TEAM_NOBODY;
		return 0;
	}
	co_lane_done(&m->in, &co_member_at(m, m->parent)->ack[m->rank]);
	wake(m, m->parent);
	return 0;
}

/*
 * Pass on a line whose first word is `head`: at the root `msg`, else the line from above, to which
 * `msg` is then set. Returns 0, or the error if no line comes.
 */
static int spread(struct co_member *m, unsigned root, uintptr_t head, const uintptr_t **msg,
		  unsigned words)
{
	/* relaxed: a look before each wait will see it. */
	if (co_atomic_load(&m->broken, CO_RELAXED))
		return -EOWNERDEAD;
	if (m->root != root)
		set_tree(m, root);
	if (m->rank != root) {
		int r = receive_line(m);

		if (r)
			return r;
		*msg = m->in.slot->msg;
		CO_ASSERT_THAT((*msg)[0] == head,
			       "all members call the same collective, of the same size");
	}
	return send_down(m, *msg, words);
}

/* Copy from or into the root's memory, unless the root has left the collective. */
static int copy(struct co_member *m, void *to, const void *from, size_t bytes)
{
	if (!co_member_reach(m))
		return -EOWNERDEAD;
	memcpy(to, from, bytes);
	co_member_let_go(m);
	return 0;
}

static uintptr_t head_of(enum kind kind, size_t bytes)
{
	return bytes << 2 | kind;
}

/* The root's memory, as all members know it. */
static uintptr_t root_memory(const void *p, size_t bytes)
{
	const void *known = co_public(p, bytes);

	CO_ASSERT_THAT(co_spm_shared(known, bytes),
		       "the memory of a broadcast's root is where every hart may use it");
	return (uintptr_t)known;
}

int co_broadcast(struct co_member *me, unsigned root, void *data, size_t bytes)
{
	bool few = bytes <= CO_TEAM_SHORT;
	uintptr_t line[CO_TEAM_WORDS] = { head_of(BROADCAST, bytes), (uintptr_t)data };
	unsigned words = few ? 1 + (unsigned)((bytes + sizeof(line[0]) - 1) / sizeof(line[0])) : 2;
	const uintptr_t *msg = line;
	int r;

	if (root >= me->ranks)
		return -EINVAL;
	if (me->rank == root && few)
		memcpy(&line[1], data, bytes);
	else if (me->rank == root)
		line[1] = root_memory(data, bytes);
	r = spread(me, root, line[0], &msg, words);
	if (r == 0 && me->rank != root && few)
		memcpy(data, &msg[1], bytes);
	else if (r == 0 && me->rank != root)
		r = copy(me, data, (const void *)msg[1], bytes);
	return r ? r : finish_collective(me, !few);
}

/* The root's memory has a part for each rank. */
static int parts(struct co_member *m, unsigned root, uintptr_t at_root, size_t bytes,
		 enum kind kind, uintptr_t *part)
{
	uintptr_t line[2] = { head_of(kind, bytes), at_root };
	const uintptr_t *msg = line;
	size_t all;
	int r;

	if (root >= m->ranks || __builtin_mul_overflow(bytes, (size_t)m->ranks, &all) ||
	    all > SIZE_MAX / 4)
		return -EINVAL;
	if (m->rank == root)
		line[1] = root_memory((const void *)at_root, all);
	r = spread(m, root, line[0], &msg, 2);
	if (r == 0)
		*part = msg[1] + m->rank * bytes;
	return r;
}

int co_scatter(struct co_member *me, unsigned root, const void *from, size_t bytes, void *to)
{
	uintptr_t part;
	int r = parts(me, root, (uintptr_t)from, bytes, SCATTER, &part);

	if (r == 0)
		r = copy(me, to, (const void *)part, bytes);
	return r ? r : finish_collective(me, true);
}

int co_gather(struct co_member *me, unsigned root, const void *from, size_t bytes, void *to)
{
	uintptr_t part;
	int r = parts(me, root, (uintptr_t)to, bytes, GATHER, &part);

	if (r == 0)
		r = copy(me, (void *)part, from, bytes);
	return r ? r : finish_collective(me, true);
}

/* ---- Items of a map: team.h ---- */

void co_items_begin(struct co_member *m)
{
	set_tree(m, 0);
	m->knower = m->parent;
	m->done = m->reported = m->in.count;
}

/*
 * Find a child whose count is still at `reported`, where this member's is not: this member waits
 * for that child. If no child is, return `ranks`, and in *done the items that this member and all
 * below it have done.
 */
static uint32_t latest(const struct co_member *m, uint32_t *done)
{
	*done = m->done;
	for (uint32_t i = 0; i < m->children && *done != m->reported; i++) {
		uint32_t rank = child_of(m, i);
		/*
		 * seq_cst: after the flag, if it was raised; acquires the work of that subtree's
		 * members; pairs with co_lane_acknowledge().
		 */
		uint32_t n = co_atomic_load(&m->ack[rank].acked, CO_SEQ_CST);

		if (n == m->reported)
			return rank;
		if ((int32_t)(n - *done) < 0)
			*done = n;
	}
	return m->ranks;
}

bool co_items_report(struct co_member *m)
{
	uint32_t done;

	if (latest(m, &done) != m->ranks || done == m->reported)
		return false;
	m->reported = done;
	if (m->rank) {
		co_lane_acknowledge(&co_member_at(m, m->parent)->ack[m->rank], done);
		wake(m, m->parent);
	}
	return true;
}

bool co_items_ask(void *member, uint32_t how)
{
	struct co_member *m = member;
	uint32_t done, rank, raised = m->ranks;

	/*
	 * The flag of one child at a time suffices: once that child has reported, latest() finds
	 * the next.
	 */
	while ((rank = latest(m, &done)) != raised && rank != m->ranks) {
		co_lane_ask(&co_member_at(m, rank)->ack[m->rank].wake, how);
		raised = rank;
	}
	if (m->rank)
		co_lane_ask(&co_member_at(m, m->parent)->ack[m->rank].wake, how);
	return co_member_ask(m, how) || (rank == m->ranks && done != m->reported) ||
	       (m->rank && co_lane_came_now(&m->in.slot->ready));
}

/* Wait once, for news or a line. */
static int await_items(struct co_member *m)
{
	int r = co_member_waited(
		m, co_lane_wait(&m->queue, m->team, "item of a map", CO_FOREVER, co_items_ask, m));

	/* relaxed: co_items_ask() looks again. */
	return r ? r : co_atomic_load(&m->broken, CO_RELAXED) ? -EOWNERDEAD : 0;
}

int co_items_await(struct co_member *m)
{
	int r = 0;

	while (!co_items_report(m) && !r)
		r = await_items(m);
	return r;
}

static NOINLINE int send_item(struct co_member *m, const uintptr_t *line)
{
	return send_down(m, line, CO_ITEM_WORDS);
}

int co_items_put(struct co_member *m, const uintptr_t *line)
{
	int r = send_item(m, line);

	if (r == 0)
		co_lane_cursor_next(&m->in);
	return r;
}

int co_items_take(struct co_member *m, uintptr_t *line)
{
	int r = 0;

	for (; co_items_report(m), !co_lane_came(&m->in.slot->ready);) {
		r = await_items(m);
		if (r)
			return r;
	}
	co_lane_copy(line, m->in.slot->msg, CO_ITEM_WORDS);
	r = send_item(m, line);
	if (r == 0) {
		co_lane_free(&m->in.slot->ready);
		co_lane_cursor_next(&m->in);
	}
	return r;
}
