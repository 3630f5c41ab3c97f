/* ranks.c - the team of all ranks of an image. */
#include "../../core/boot/process.h"
#include "../../core/hook.h"
#include "team.h"

static struct co_team all = { .name = "ranks" };

static void fill_in(void)
{
	all.scope = co_process_scope();
}

CO_HOOKS = { .machine_up = fill_in };

bool co_team_of_ranks_spans(struct co_team_beyond *beyond)
{
	fill_in(); /* in whatever order hooks are called */
	beyond->stand_in = co_team_stand_in(&all, beyond->ranks);
	all.beyond = beyond->stand_in ? beyond : NULL;
	return all.beyond;
}

/* The rank ends; it leaves the team when all do. */
static void leave(void *m)
{
	co_team_close(m);
}

int co_team_of_ranks(struct co_member **me)
{
	unsigned rank = co_process_rank();
	struct co_rank *r = &co_ranks[rank];

	CO_ASSERT_THAT(rank != CO_NO_RANK && r->main == co_self(),
		       "the caller is main() of a rank: the image is linked by cohart-mpicc");
	if (!r->at_end) {
		struct co_member *m;
		int error = co_team_open(&all, rank, &m);

		if (error)
			return error;
		r->group = m;
		r->at_end = leave;
	}
	*me = r->group;
	return 0;
}
