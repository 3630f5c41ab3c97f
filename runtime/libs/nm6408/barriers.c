/* barriers.c - barriers of the loaded processes: of a cluster, of all, of either kind of core. */
#include <errno.h>

#include <cohart/debug.h>

#include "load.h"

enum kind { LOCAL, GLOBAL, ARM, NM, KINDS };
enum { CLUSTER = 5, CLUSTERS = 5 }; /* the central core is one */

static struct co_barrier barrier[KINDS][CLUSTERS];
static struct co_barrier_member data[KINDS][CO_NET_CORES];
static uint8_t number[KINDS][CO_NET_CORES]; /* of each core's process, + 1; 0: no member */

static unsigned cluster_of(unsigned core)
{
	return (core + CLUSTER - 1) / CLUSTER;
}

static bool is_arm(unsigned core)
{
	return core == 0 || core % CLUSTER == 1;
}

static bool belongs(enum kind kind, unsigned cluster, unsigned core)
{
	return kind == LOCAL ? cluster_of(core) == cluster
	       : kind == ARM ? is_arm(core)
	       : kind == NM  ? !is_arm(core)
			     : true;
}

static void make_barrier(const struct bfskn_program *p, enum kind kind, unsigned cluster,
			 struct co_barrier_member *members)
{
	unsigned n = 0;

	for (unsigned core = 0; core < CO_NET_CORES; core++) {
		if (p->process_on[core] >= 0 && belongs(kind, cluster, core))
			number[kind][core] = (uint8_t)++n;
	}
	if (n) {
		int r = co_barrier_init(&barrier[kind][cluster], n, CO_BARRIER_AUTO, members);

		CO_ASSERT_THAT(r == 0, "a barrier of BFSKN's processes can be made");
	}
}

void bfskn_barriers_make(struct bfskn_program *p)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		for (unsigned core = 0; core < CO_NET_CORES; core++)
			number[kind][core] = 0;
	}
	for (unsigned c = 0; c < CLUSTERS; c++)
		make_barrier(p, LOCAL, c, c ? &data[LOCAL][1 + CLUSTER * (c - 1)] : data[LOCAL]);
	make_barrier(p, GLOBAL, 0, data[GLOBAL]);
	make_barrier(p, ARM, 0, data[ARM]);
	make_barrier(p, NM, 0, data[NM]);
}

static struct co_barrier *of(enum kind kind, unsigned core)
{
	return &barrier[kind][kind == LOCAL ? cluster_of(core) : 0];
}

void bfskn_barriers_join(unsigned core)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (number[kind][core])
			co_barrier_bind(of(kind, core), number[kind][core] - 1u);
	}
}

void bfskn_barriers_leave(unsigned core)
{
	for (unsigned kind = KINDS; kind--;) {
		if (number[kind][core])
			co_barrier_unbind(of(kind, core), number[kind][core] - 1u);
	}
}

static int wait(enum kind kind)
{
	unsigned core = co_hart();

	if (!bfskn_me.program || !number[kind][core])
		return -EINVAL;
	return co_barrier_wait(of(kind, core), number[kind][core] - 1u);
}

int bfskn_local_barrier(void)
{
	/* The machine's own barriers keep to scratchpads. */
	return bfskn_me.program && bfskn_is_whole(bfskn_me.program) ? co_barrier_group()
								    : wait(LOCAL);
}

int bfskn_global_barrier(void)
{
	return bfskn_me.program && bfskn_is_whole(bfskn_me.program) ? co_barrier_all()
								    : wait(GLOBAL);
}

int bfskn_arm_barrier(void)
{
	return wait(ARM);
}

int bfskn_nm_barrier(void)
{
	return wait(NM);
}
