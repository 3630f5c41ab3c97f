/*
 * collective.c - lines that go down and up a tree, copies from and into the root's memory, and
 * acknowledgements.
 *
 * A collective is one line from its root to all members: with the data, if they are few, or with
 * the address of the root's memory. In the latter case each member copies its part by itself, and
 * acknowledges the line when all members below it have done so; so the root knows when all have.
 *
 * In a reduction lines go up: each member combines its value with its children's, whose subtrees
 * have the next ranks, in order. To all, and of a scan, lines come down after that.
 */
#include "team.h"

enum kind { BROADCAST, SCATTER, GATHER, REDUCE, ALL_REDUCE, SCAN };

/* In the first word of a line, beside the kind: members do not agree on the number of bytes. */
#define DISAGREE 8u
#define HEAD_BITS 4

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
		m->nth = me >= far;
		at = me < far ? at + 1 : far;
	}
	m->children = 0;
	if (level > 1 && at + 1 < m->ranks)
		m->child[m->children++] = at + 1;
	if (level > 1 && at + ((uint32_t)1 << (level - 1)) < m->ranks)
		m->child[m->children++] = at + ((uint32_t)1 << (level - 1));
}

/* Lines go up a linear tree only if each child has a slot. */
void co_team_set_tree(struct co_member *m, uint32_t root, enum co_team_way way)
{
	uint32_t me = (m->rank + m->ranks - root) % m->ranks;
	enum co_team_form form = m->team->form;
	bool deep = form == CO_TEAM_TREE || (form == CO_TEAM_AUTO && m->ranks > CO_TEAM_FEW);
	bool too_many = m->ranks > CO_TEAM_UPS + 1;

	m->tree_of[CO_TEAM_DOWN] = m->tree_of[CO_TEAM_UP] = root;
	if (!deep && too_many)
		m->tree_of[!way] = CO_TEAM_NOBODY;
	m->root = root;
	m->parent = root;
	m->knower = CO_TEAM_NOBODY;
	m->since = m->in.count;
	m->asks = true;
	m->below = m->in.count - CO_TEAM_DEPTH;
	if (deep || (too_many && way == CO_TEAM_UP)) {
		set_depth_first(m, root, me);
		return;
	}
	m->nth = me - 1;
	m->children = me ? 0 : m->ranks - 1;
	m->child[0] = 1;
	m->child[1] = 2;
}

/* Begin a collective of this root. */
static inline void use_tree(struct co_member *m, uint32_t root, enum co_team_way way)
{
	if (m->tree_of[way] != root)
		co_team_set_tree(m, root, way);
}

/* ---- Waits ---- */

/*
 * A rank that expects a later line from here is ahead already: by fewer collectives than a team has
 * members, since each of these waits in its root. An acknowledgement may be older by far.
 */
#define AHEAD 65536u

static inline bool is_few(uint32_t under_way, uint32_t at_most)
{
	return under_way + AHEAD < at_most + AHEAD;
}

/* Has the line come (at_most 0), or are so few under way to that rank? */
static bool there(struct co_member *m, uint32_t rank, const struct co_lane_cursor *l,
		  uint32_t at_most)
{
	return at_most ? is_few(co_lane_under_way(&m->ack[rank], l->count), at_most)
		       : co_lane_came(&l->slot->ready);
}

/* there(), after the flag was raised. */
static bool there_now(struct co_member *m, uint32_t rank, const struct co_lane_cursor *l,
		      uint32_t at_most)
{
	if (!at_most)
		return co_lane_came_now(&l->slot->ready);
	/* seq_cst: after the flag; pairs with co_lane_acknowledge(). */
	return is_few(l->count - co_atomic_load(&m->ack[rank].acked, CO_SEQ_CST), at_most);
}

const char co_wait_collective[] = "collective of a team";

struct part {
	struct co_member *m;
	const struct co_lane_cursor *l;
	uint32_t rank, at_most;
};

static bool ask_for_part(void *part, uint32_t how)
{
	const struct part *p = part;
	struct co_member *m = p->m;

	co_lane_ask(&co_team_ack_at(m, p->rank)->wake, how);
	return co_member_ask(m, how) || there_now(m, p->rank, p->l, p->at_most);
}

static NOINLINE int await_part(struct co_member *m, uint32_t rank, const struct co_lane_cursor *l,
			       uint32_t at_most)
{
	struct part part = { m, l, rank, at_most };
	int r = 0;

	if (at_most == CO_TEAM_DEPTH) {
		/* A line from there may have come since the last acknowledgement. */
		if (l->count - m->below < CO_TEAM_DEPTH)
			return 0;
		m->below = l->count - CO_TEAM_DEPTH; /* no nearer, even after 2^32 collectives */
	}
	while (!r && !there(m, rank, l, at_most)) {
		/* relaxed: ask_for_part() looks again. */
		if (co_atomic_load(&m->broken, CO_RELAXED))
			return -EOWNERDEAD;
		r = m->serve ? m->serve(m, ask_for_part, &part) : -EAGAIN;
		if (r == -EAGAIN)
			r = co_lane_wait_inline(&m->queue, m->team, co_wait_collective, CO_FOREVER,
						ask_for_part, &part);
		r = co_member_waited(m, r);
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

/* ---- Down and up ---- */

/* Write a line to `rank`, into the slot that lies there as `slot` lies in m. */
INLINE void write_line(struct co_member *m, uint32_t rank, const void *slot, const uintptr_t *msg,
		       unsigned words)
{
	struct co_lane_slot *there = (struct co_lane_slot *)((uintptr_t)slot - (uintptr_t)m +
							     (uintptr_t)co_member_at(m, rank));

	co_lane_copy(there->msg, msg, words);
	co_lane_publish(&there->ready);
	co_team_wake(m, rank);
}

/* Send a line to child i. */
INLINE int send_to_child(struct co_member *m, uint32_t i, const uintptr_t *msg, unsigned words)
{
	uint32_t rank = co_team_child(m, i);
	int r = await_unless(m, rank, &m->in, CO_TEAM_DEPTH);

	if (!r)
		write_line(m, rank, m->in.slot, msg, words);
	return r;
}

INLINE int send_down(struct co_member *m, const uintptr_t *msg, unsigned words)
{
	for (uint32_t i = 0; i < m->children; i++) {
		int r = send_to_child(m, i, msg, words);

		if (r)
			return r;
	}
	return 0;
}

int co_team_send_item(struct co_member *m, const uintptr_t *line)
{
	return send_down(m, line, CO_ITEM_WORDS);
}

/* Tell `rank` that this member has read all lines of collectives before number `count`. */
static inline void tell(struct co_member *m, uint32_t rank, uint32_t count)
{
	co_lane_acknowledge(co_team_ack_at(m, rank), count);
	co_team_wake(m, rank);
}

/* Wait for the line from above. It stays in its slot until finish_collective(). */
static int receive_line(struct co_member *m)
{
	if (m->knower != m->parent) {
		tell(m, m->parent, m->in.count);
		m->knower = m->parent;
	}
	m->asks = false; /* the line says that the parent is here */
	return await_unless(m, m->parent, &m->in, 0);
}

/* The collective is over for this member; `all`: when it is for all below. */
static int finish_collective(struct co_member *m, bool all)
{
	struct co_lane_cursor after = m->in;

	co_lane_cursor_next(&after);
	for (uint32_t i = 0; all && i < m->children; i++) {
		int r = await_unless(m, co_team_child(m, i), &after, 1);

		if (r)
			return r;
	}
	if (m->rank == m->root) {
		m->in = after;
		m->knower = CO_TEAM_NOBODY;
		return 0;
	}
	co_lane_done(&m->in, co_team_ack_at(m, m->parent));
	co_team_wake(m, m->parent);
	return 0;
}

/* The first word of a line. */
static inline uintptr_t head_of(enum kind kind, size_t bytes)
{
	return bytes << HEAD_BITS | kind;
}

static inline void assert_kind(uintptr_t head, enum kind kind)
{
	CO_ASSERT_THAT((head & (DISAGREE - 1)) == kind, "all members call the same collective");
}

static inline unsigned words_with(size_t bytes)
{
	return 1 + (unsigned)((bytes + sizeof(uintptr_t) - 1) / sizeof(uintptr_t));
}

/* The words of a line: its value, or its root's address, behind the head. */
static inline unsigned words_of(uintptr_t head)
{
	size_t bytes = head >> HEAD_BITS, kind = head & (DISAGREE - 1);
	bool value = kind != SCATTER && kind != GATHER && bytes <= CO_TEAM_SHORT;

	return value ? words_with(bytes) : 2;
}

/* The error if `theirs` and this member's number of bytes differ. */
static inline int compare_bytes(uintptr_t theirs, size_t bytes)
{
	return theirs >> HEAD_BITS > bytes   ? -EMSGSIZE
	       : theirs >> HEAD_BITS < bytes ? -EBADMSG
	       : theirs & DISAGREE           ? -EBADMSG
					     : 0;
}

/* The words of a line whose head is not the head that this member would send. */
static NOINLINE unsigned other_words(uintptr_t theirs, uintptr_t head)
{
	assert_kind(theirs, head & (DISAGREE - 1));
	return words_of(theirs);
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
	use_tree(m, root, CO_TEAM_DOWN);
	if (m->rank != root) {
		int r = receive_line(m);

		if (r)
			return r;
		*msg = m->in.slot->msg;
		if ((*msg)[0] != head)
			words = other_words((*msg)[0], head);
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

/* The root's memory, as all members know it. */
static uintptr_t root_memory(const void *p, size_t bytes)
{
	const void *known = co_public(p, bytes);

	CO_ASSERT_THAT(co_spm_shared(known, bytes),
		       "the memory of a broadcast's root is where every hart may use it");
	return (uintptr_t)known;
}

/* Take a broadcast of another number of bytes than this member has room for. */
static NOINLINE int take_other(struct co_member *m, const uintptr_t *msg, void *data, size_t bytes)
{
	size_t sent = msg[0] >> HEAD_BITS, n = sent < bytes ? sent : bytes;
	int differ = compare_bytes(msg[0], bytes), r = 0;

	if (sent > CO_TEAM_SHORT)
		r = copy(m, data, (const void *)msg[1], n);
	else if (n)
		memcpy(data, &msg[1], n);
	if (!r)
		r = finish_collective(m, sent > CO_TEAM_SHORT);
	return r ? r : differ;
}

int co_broadcast(struct co_member *me, unsigned root, void *data, size_t bytes)
{
	bool few = bytes <= CO_TEAM_SHORT;
	uintptr_t line[CO_TEAM_WORDS] = { head_of(BROADCAST, bytes), (uintptr_t)data };
	const uintptr_t *msg = line;
	int r;

	if (root >= me->ranks || (!few && bytes > SIZE_MAX >> HEAD_BITS))
		return -EINVAL;
	if (me->rank == root && few)
		memcpy(&line[1], data, bytes);
	else if (me->rank == root)
		line[1] = root_memory(data, bytes);
	r = spread(me, root, line[0], &msg, few ? words_with(bytes) : 2);
	if (r == 0 && msg[0] != line[0])
		return take_other(me, msg, data, bytes);
	if (r == 0 && me->rank != root && few)
		memcpy(data, &msg[1], bytes);
	else if (r == 0 && me->rank != root)
		r = copy(me, data, (const void *)msg[1], bytes);
	return r ? r : finish_collective(me, !few);
}

int co_broadcast_short(struct co_member *me, unsigned root, void *data, size_t bytes, size_t *sent)
{
	uintptr_t line[CO_TEAM_WORDS] = { head_of(BROADCAST, bytes) };
	const uintptr_t *msg = line;
	int r;

	if (root >= me->ranks || bytes > SIZE_MAX >> HEAD_BITS)
		return -EINVAL;
	if (me->rank == root && bytes <= CO_TEAM_SHORT)
		memcpy(&line[1], data, bytes);
	r = spread(me, root, line[0], &msg, words_of(line[0]));
	if (r)
		return r;
	*sent = msg[0] >> HEAD_BITS;
	if (me->rank != root && *sent <= CO_TEAM_SHORT)
		memcpy(data, &msg[1], *sent < bytes ? *sent : bytes);
	return finish_collective(me, false);
}

/*
 * The root has a part for each rank, of as many bytes as its line says, which is at *msg. `line` is
 * for this member's.
 */
INLINE int parts(struct co_member *m, unsigned root, uintptr_t at_root, size_t bytes,
		 enum kind kind, uintptr_t line[2], const uintptr_t **msg, uintptr_t *part)
{
	size_t all;
	int r;

	if (root >= m->ranks || __builtin_mul_overflow(bytes, (size_t)m->ranks, &all) ||
	    all > SIZE_MAX >> HEAD_BITS)
		return -EINVAL;
	line[0] = head_of(kind, bytes);
	line[1] = m->rank == root ? root_memory((const void *)at_root, all) : 0;
	*msg = line;
	r = spread(m, root, line[0], msg, 2);
	if (r)
		return r;
	*part = (*msg)[1] + m->rank * bytes;
	return (*msg)[0] == line[0] ? 0 : -EAGAIN;
}

/* Copy a part whose number of bytes is another here than at the root. */
static NOINLINE int other_part(struct co_member *m, const uintptr_t *msg, void *to,
			       const void *from, size_t bytes)
{
	size_t each = msg[0] >> HEAD_BITS, n = each < bytes ? each : bytes;
	uintptr_t there = msg[1] + m->rank * each;
	int differ = compare_bytes(msg[0], bytes);
	int r = copy(m, to ?: (void *)there, from ?: (const void *)there, n);

	if (!r)
		r = finish_collective(m, true);
	return r ? r : differ;
}

int co_scatter(struct co_member *me, unsigned root, const void *from, size_t bytes, void *to)
{
	uintptr_t line[2], part;
	const uintptr_t *msg;
	int r = parts(me, root, (uintptr_t)from, bytes, SCATTER, line, &msg, &part);

	if (r == -EAGAIN)
		return other_part(me, msg, to, NULL, bytes);
	if (r == 0)
		r = copy(me, to, (const void *)part, bytes);
	return r ? r : finish_collective(me, true);
}

int co_gather(struct co_member *me, unsigned root, const void *from, size_t bytes, void *to)
{
	uintptr_t line[2], part;
	const uintptr_t *msg;
	int r = parts(me, root, (uintptr_t)to, bytes, GATHER, line, &msg, &part);

	if (r == -EAGAIN)
		return other_part(me, msg, NULL, from, bytes);
	if (r == 0)
		r = copy(me, (void *)part, from, bytes);
	return r ? r : finish_collective(me, true);
}

/* ---- Reductions ---- */

/* A value on its way, as a line that m sends, and the function that combines two values. */
struct reduction {
	struct co_member *m;
	co_combine_fn *fn;
	void *arg;
	size_t bytes;
	alignas(2 * sizeof(uintptr_t)) uintptr_t before_line; /* so that the value is aligned */
	uintptr_t line[CO_TEAM_WORDS];
};

static inline struct co_lane_slot *up_slot(struct co_member *m, uint32_t i)
{
	return (struct co_lane_slot *)m->ups[i];
}

/* value = value op right, of a line, if all members of the line's subtree agree with m. */
static void combine(struct reduction *x, const uintptr_t *right)
{
	assert_kind(right[0], x->line[0] & (DISAGREE - 1));
	if (compare_bytes(right[0], x->bytes))
		x->line[0] |= DISAGREE;
	else if (x->bytes)
		x->fn(&x->line[1], &right[1], x->arg);
}

/* Begin: the value is this member's, and the tree is the root's. */
static int begin_reduction(struct reduction *x, struct co_member *m, unsigned root, enum kind kind,
			   const void *value, size_t bytes, co_combine_fn *fn, void *arg)
{
	x->m = m;
	x->fn = fn;
	x->arg = arg;
	x->bytes = bytes;
	if (root >= m->ranks || bytes > CO_TEAM_SHORT)
		return -EINVAL;
	/* relaxed: a look before each wait will see it. */
	if (co_atomic_load(&m->broken, CO_RELAXED))
		return -EOWNERDEAD;
	x->line[0] = head_of(kind, bytes);
	if (bytes)
		memcpy(&x->line[1], value, bytes);
	use_tree(m, root, CO_TEAM_UP);
	/* Each sends a line only if it knows that its last one was read. */
	for (uint32_t i = 0; i < m->children && m->in.count == m->since; i++)
		tell(m, co_team_child(m, i), m->in.count);
	return 0;
}

/* Combine the value with the children's, in order; their lines stay. */
static int take_ups(struct reduction *x)
{
	struct co_member *m = x->m;

	for (uint32_t i = 0; i < m->children; i++) {
		const struct co_lane_cursor up = { .slot = up_slot(m, i) };
		int r = await_unless(m, co_team_child(m, i), &up, 0);

		if (r)
			return r;
		combine(x, up.slot->msg);
	}
	m->below = m->in.count;
	return 0;
}

static inline void free_up(struct co_member *m, uint32_t i)
{
	co_lane_free(&up_slot(m, i)->ready);
}

static int send_up(struct reduction *x)
{
	struct co_member *m = x->m;

	if (m->rank == m->root)
		return 0;
	if (m->asks) {
		int r = await_unless(m, m->parent, &m->in, 1);

		if (r)
			return r;
	}
	m->asks = true;
	write_line(m, m->parent, m->ups[m->nth], x->line, words_of(x->line[0]));
	return 0;
}

/* Take the line from above, which the parent sends when it has this member's. */
static int take_down(struct reduction *x, const uintptr_t **msg)
{
	struct co_member *m = x->m;
	int r = await_unless(m, m->parent, &m->in, 0);

	if (r)
		return r;
	m->asks = false;
	*msg = m->in.slot->msg;
	assert_kind((*msg)[0], x->line[0] & (DISAGREE - 1));
	return 0;
}

/* The collective is over: go to the next one. `took`: a line from above was taken. */
static void end_reduction(struct co_member *m, bool took)
{
	if (took)
		co_lane_free(&m->in.slot->ready);
	co_lane_cursor_next(&m->in);
}

int co_reduce(struct co_member *me, unsigned root, void *value, size_t bytes, co_combine_fn *fn,
	      void *arg)
{
	struct reduction x;
	int r = begin_reduction(&x, me, root, REDUCE, value, bytes, fn, arg), differ;

	if (!r)
		r = take_ups(&x);
	if (!r)
		r = send_up(&x);
	if (r)
		return r;
	for (uint32_t i = 0; i < me->children; i++) {
		free_up(me, i);
		tell(me, co_team_child(me, i), me->in.count + 1);
	}
	end_reduction(me, false);
	differ = compare_bytes(x.line[0], bytes);
	if (me->rank == root && bytes && !differ)
		memcpy(value, &x.line[1], bytes);
	return differ;
}

int co_all_reduce(struct co_member *me, void *value, size_t bytes, co_combine_fn *fn, void *arg)
{
	struct reduction x;
	const uintptr_t *msg = x.line;
	int r = begin_reduction(&x, me, 0, ALL_REDUCE, value, bytes, fn, arg), differ;

	if (!r)
		r = take_ups(&x);
	for (uint32_t i = 0; i < me->children && !r; i++)
		free_up(me, i);
	if (!r)
		r = send_up(&x);
	if (!r && me->rank)
		r = take_down(&x, &msg);
	if (!r)
		r = send_down(me, msg, words_of(msg[0]));
	if (r)
		return r;
	differ = compare_bytes(msg[0], bytes);
	if (!differ && bytes)
		memcpy(value, &msg[1], bytes);
	end_reduction(me, me->rank);
	return differ;
}

/*
 * Send each child the combined values of all ranks before its subtree, which the line has for this
 * member and all ranks before it. A child that has its line may send the next one up: its slot is
 * free by then.
 */
static int send_prefixes(struct reduction *x)
{
	struct co_member *m = x->m;
	uintptr_t line[CO_TEAM_WORDS];
	int r = 0;

	for (uint32_t i = 0; i < m->children && !r; i++) {
		unsigned words = words_of(x->line[0]);

		memcpy(line, x->line, words * sizeof(*line));
		if (i + 1 < m->children)
			combine(x, up_slot(m, i)->msg);
		free_up(m, i);
		r = send_to_child(m, i, line, words);
	}
	return r;
}

int co_scan(struct co_member *me, void *value, void *before, size_t bytes, co_combine_fn *fn,
	    void *arg)
{
	struct reduction x;
	const uintptr_t *msg;
	int r = begin_reduction(&x, me, 0, SCAN, value, bytes, fn, arg), differ;

	if (!r)
		r = take_ups(&x);
	if (!r)
		r = send_up(&x);
	if (!r && me->rank)
		r = take_down(&x, &msg);
	if (r)
		return r;
	/* From here on the line has the combined values of all ranks up to `me`. */
	if (me->rank) {
		memcpy(x.line, msg, words_of(msg[0]) * sizeof(*msg));
		differ = compare_bytes(msg[0], bytes);
		if (before && !differ && bytes)
			memcpy(before, &msg[1], bytes);
		if (!differ && bytes)
			fn(&x.line[1], value, arg);
	} else {
		differ = compare_bytes(x.line[0], bytes);
		if (bytes)
			memcpy(&x.line[1], value, bytes);
	}
	if (!differ && bytes)
		memcpy(value, &x.line[1], bytes);
	r = send_prefixes(&x);
	if (r)
		return r;
	end_reduction(me, me->rank);
	return differ;
}

/* ---- A barrier in which messages go on ---- */

/* Note the ranks of the barrier's tree, which keeps to the machine's groups. */
static NOINLINE void link_tree(struct co_member *m)
{
	struct co_barrier_member *b = &m->in_barrier;

	(void)co_barrier_link(&m->barrier, m->rank, b);
	m->above = b->above ? co_container_of(b->above, struct co_member, in_barrier)->rank : 0;
	m->below_it = b->children;
	for (uint32_t i = 0; i < b->children; i++)
		m->below_at[i] = co_container_of(b->below[i], struct co_member, in_barrier)->rank;
	m->linked = true;
}

/*
 * No line is sent. A member that has come acknowledges the collective, as do all below it, to the
 * member above, and is released by an acknowledgement from there.
 */
int co_team_sync(struct co_member *me)
{
	struct co_lane_cursor after = me->in;
	int r;

	/* relaxed: a look before each wait will see it. */
	if (co_atomic_load(&me->broken, CO_RELAXED))
		return -EOWNERDEAD;
	CO_ASSERT_THAT(!co_lane_came(&me->in.slot->ready), "all members call the same collective");
	if (!me->linked)
		link_tree(me);
	co_lane_cursor_next(&after);
	for (uint32_t i = 0; i < me->below_it; i++) {
		r = await_unless(me, me->below_at[i], &after, 1);
		if (r)
			return r;
	}
	if (me->rank) {
		tell(me, me->above, after.count);
		r = await_unless(me, me->above, &after, 1);
		if (r)
			return r;
	}
	for (uint32_t i = 0; i < me->below_it; i++)
		tell(me, me->below_at[i], after.count);
	/* All have come, and so have read all lines up and down. */
	me->asks = false;
	me->below = after.count;
	me->in = after;
	return 0;
}
