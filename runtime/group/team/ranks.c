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

int co_team_of_ranks(struct co_member **me)
{
	unsigned rank = co_process_rank();
	struct co_rank *r = &co_ranks[rank];

	CO_ASSERT_THAT(rank != CO_NO_RANK && r->main == co_self(),
		       "the caller is main() of a rank: the image is linked by cohart-mpicc");
	if (!r->member) {
		int error = co_team_open(&all, rank, &r->member);

		if (error)
			return error;
		r->leave = co_team_close;
	}
	*me = r->member;
	return 0;
}
