/* items.c - items of a map (pipeline.c): lines down the tree, and counts of them up: team.h. */
#include "team.h"

void co_items_begin(struct co_member *m)
{
	co_team_set_tree(m, 0, CO_TEAM_DOWN);
	/* After a map the members' counts are not known, as a set tree says. */
	m->tree_of[CO_TEAM_DOWN] = m->tree_of[CO_TEAM_UP] = CO_TEAM_NOBODY;
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
		uint32_t rank = co_team_child(m, i);
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
		co_lane_acknowledge(co_team_ack_at(m, m->parent), done);
		co_team_wake(m, m->parent);
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
		co_lane_ask(&co_team_ack_at(m, rank)->wake, how);
		raised = rank;
	}
	if (m->rank)
		co_lane_ask(&co_team_ack_at(m, m->parent)->wake, how);
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

int co_items_put(struct co_member *m, const uintptr_t *line)
{
	int r = co_team_send_item(m, line);

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
	r = co_team_send_item(m, line);
	if (r == 0) {
		co_lane_free(&m->in.slot->ready);
		co_lane_cursor_next(&m->in);
	}
	return r;
}
