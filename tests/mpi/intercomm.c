/* intercomm.c - inter-communicators: made, asked, split, merged, and each collective in them. */
#include "check.h"

static int rank, size;
static bool low; /* this side has rank 0 */
static int here, there;

/* What a rank of a side has at i. */
static int element(bool of_low, int r, int i)
{
	return (of_low ? 1 : 500000) + 1000 * r + i % 997;
}

static void fill(int *p, int n, int value)
{
	for (int i = 0; i < n; i++)
		p[i] = value;
}

static void give(int *p, int n, int first)
{
	for (int i = 0; i < n; i++)
		p[i] = element(low, rank, first + i);
}

/* Is it what rank r of the other side has, from `first` on? */
static bool has(const int *p, int n, int r, int first)
{
	for (int i = 0; i < n; i++)
		if (p[i] != element(!low, r, first + i))
			return false;
	return true;
}

static bool has_sum(const int *p, int n, int first)
{
	for (int i = 0; i < n; i++) {
		int sum = 0;

		for (int r = 0; r < there; r++)
			sum += element(!low, r, first + i);
		if (p[i] != sum)
			return false;
	}
	return true;
}

/* The root as each rank gives it: of the low side, or of the other. */
static int root_for(bool of_low, int root)
{
	if (low != of_low)
		return root;
	return rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

static int *out, *in, *counts, *at;
static MPI_Datatype *types;

/* From, or to, one rank. */
static void rooted(MPI_Comm inter, bool now, int n, bool of_low)
{
	int of = low == of_low ? here : there, root = of - 1, r = root_for(of_low, root);
	bool is_root = r == MPI_ROOT, other = low != of_low;

	give(out, n, 0);
	BOTH(Bcast, Ibcast, out, n, MPI_INT, r, inter);
	CHECK(!other || has(out, n, root, 0));
	give(out, n, 0);
	fill(in, n * there, -1);
	BOTH(Reduce, Ireduce, out, in, n, r == MPI_PROC_NULL ? MPI_DATATYPE_NULL : MPI_INT, MPI_SUM,
	     r, inter);
	CHECK(!is_root || has_sum(in, n, 0));
	BOTH(Gather, Igather, out, n, MPI_INT, in, n, MPI_INT, r, inter);
	for (int i = 0; i < there && is_root; i++)
		CHECK(has(in + i * n, n, i, 0));
	for (int i = 0; i < there; i++) {
		counts[i] = n;
		at[i] = (there - 1 - i) * n;
		give(in + i * n, n, i);
	}
	BOTH(Scatter, Iscatter, in, n, MPI_INT, out, n, MPI_INT, r, inter);
	CHECK(!other || has(out, n, root, rank));
	give(out, n, 0);
	BOTH(Gatherv, Igatherv, out, n, MPI_INT, in, counts, at, MPI_INT, r, inter);
	for (int i = 0; i < there && is_root; i++)
		CHECK(has(in + at[i], n, i, 0));
	for (int i = 0; i < there; i++)
		give(in + at[i], n, i);
	BOTH(Scatterv, Iscatterv, in, counts, at, MPI_INT, out, n, MPI_INT, r, inter);
	CHECK(!other || has(out, n, root, rank));
}

/* Among all of both sides. */
static void all(MPI_Comm inter, bool now, int n)
{
	BOTH(Barrier, Ibarrier, inter);
	give(out, n, 0);
	BOTH(Allreduce, Iallreduce, out, in, n, MPI_INT, MPI_SUM, inter);
	CHECK(has_sum(in, n, 0));
	BOTH(Allgather, Iallgather, out, n, MPI_INT, in, n, MPI_INT, inter);
	for (int i = 0; i < there; i++) {
		CHECK(has(in + i * n, n, i, 0));
		counts[i] = n;
		at[i] = (there - 1 - i) * n;
	}
	BOTH(Allgatherv, Iallgatherv, out, n, MPI_INT, in, counts, at, MPI_INT, inter);
	for (int i = 0; i < there; i++)
		CHECK(has(in + at[i], n, i, 0));
	for (int i = 0; i < there; i++) {
		give(out + i * n, n, i);
		types[i] = MPI_INT;
	}
	BOTH(Alltoall, Ialltoall, out, n, MPI_INT, in, n, MPI_INT, inter);
	for (int i = 0; i < there; i++)
		CHECK(has(in + i * n, n, i, rank));
	for (int i = 0; i < there; i++)
		give(out + at[i], n, i);
	BOTH(Alltoallv, Ialltoallv, out, counts, at, MPI_INT, in, counts, at, MPI_INT, inter);
	for (int i = 0; i < there; i++)
		CHECK(has(in + at[i], n, i, rank));
	for (int i = 0; i < there; i++)
		at[i] *= (int)sizeof(int);
	BOTH(Alltoallw, Ialltoallw, out, counts, at, types, in, counts, at, types, inter);
	for (int i = 0; i < there; i++)
		CHECK(has(in + at[i] / (int)sizeof(int), n, i, rank));
}

/* Of n elements for each pair: each side divides the product among its ranks. */
static void divided(MPI_Comm inter, bool now, int n)
{
	int mine = n * there;

	give(out, n * here * there, 0);
	BOTH(Reduce_scatter_block, Ireduce_scatter_block, out, in, mine, MPI_INT, MPI_SUM, inter);
	CHECK(has_sum(in, mine, rank * mine));
	for (int i = 0; i < here; i++)
		counts[i] = i ? 0 : mine * here;
	BOTH(Reduce_scatter, Ireduce_scatter, out, in, counts, MPI_INT, MPI_SUM, inter);
	CHECK(rank || has_sum(in, mine * here, 0));
}

static void collectives(MPI_Comm inter)
{
	int most = 5000 * size + 10 * size * size;

	rank = rank_in(inter);
	here = size_of(inter);
	MPI_Comm_remote_size(inter, &there);
	out = malloc(sizeof(int) * (size_t)most);
	in = malloc(sizeof(int) * (size_t)most);
	counts = malloc(sizeof(int) * (size_t)size);
	at = malloc(sizeof(int) * (size_t)size);
	types = malloc(sizeof(MPI_Datatype) * (size_t)size);
	for (int now = 0; now < 2; now++) {
		for (int n = 0; n <= 5000; n = n ? n * 71 : 1) {
			rooted(inter, now, n, true);
			rooted(inter, now, n, false);
			all(inter, now, n);
		}
		divided(inter, now, 5);
	}
	free(out);
	free(in);
	free(counts);
	free(at);
	free(types);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void asked(MPI_Comm inter, MPI_Comm local)
{
	int flag, n, first = 0, world, result;
	MPI_Group remote, all_ranks, mine;
	MPI_Comm dup;

	CHECK(MPI_Comm_test_inter(inter, &flag) == 0 && flag);
	CHECK(MPI_Comm_test_inter(local, &flag) == 0 && !flag);
	CHECK(size_of(inter) == size_of(local) && rank_in(inter) == rank_in(local));
	CHECK(MPI_Comm_remote_size(inter, &n) == 0 && n == size - size_of(local));
	CHECK(MPI_Comm_remote_group(inter, &remote) == 0);
	CHECK(MPI_Comm_group(inter, &mine) == 0);
	MPI_Comm_group(MPI_COMM_WORLD, &all_ranks);
	MPI_Group_translate_ranks(remote, 1, &first, all_ranks, &world);
	CHECK(world == (low ? size / 2 : 0));
	MPI_Group_translate_ranks(mine, 1, &first, all_ranks, &world);
	CHECK(world == (low ? 0 : size / 2));
	CHECK(MPI_Comm_compare(inter, MPI_COMM_WORLD, &result) == 0 && result == MPI_UNEQUAL);
	CHECK(MPI_Comm_dup(inter, &dup) == 0);
	CHECK(MPI_Comm_compare(inter, dup, &result) == 0 && result == MPI_CONGRUENT);
	MPI_Comm_free(&dup);
	MPI_Group_free(&remote);
	MPI_Group_free(&mine);
	MPI_Group_free(&all_ranks);
}

/* The side that says high comes last; if both say the same, the order is the same at all ranks. */
static void merged(MPI_Comm inter)
{
	MPI_Comm both;
	int n, sum;

	CHECK(MPI_Intercomm_merge(inter, low, &both) == 0);
	CHECK(size_of(both) == size);
	CHECK(rank_in(both) == (low ? size - size / 2 + rank : rank - size / 2));
	CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, both) == 0);
	CHECK(sum == size * (size - 1) / 2);
	MPI_Comm_free(&both);
	CHECK(MPI_Intercomm_merge(inter, 0, &both) == 0);
	n = rank_in(both);
	CHECK(MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, both) == 0);
	CHECK(sum == size * (size - 1) / 2);
	MPI_Comm_free(&both);
}

/* Parts have ranks of both sides, or are none. */
static void parts(MPI_Comm inter)
{
	MPI_Comm part;
	MPI_Group mine, first;
	int zero = 0, me = rank_in(inter), n, flag;

	CHECK(MPI_Comm_split(inter, me % 2, -me, &part) == 0);
	if (part != MPI_COMM_NULL) {
		CHECK(MPI_Comm_test_inter(part, &flag) == 0 && flag);
		CHECK(MPI_Allreduce(&me, &n, 1, MPI_INT, MPI_MAX, part) == 0 && n % 2 == me % 2);
		MPI_Comm_free(&part);
	} else {
		CHECK(me % 2 == 1);
	}
	/* Colors of one side only. */
	CHECK(MPI_Comm_split(inter, low, 0, &part) == 0 && part == MPI_COMM_NULL);
	MPI_Comm_group(inter, &mine);
	MPI_Group_incl(mine, 1, &zero, &first);
	CHECK(MPI_Comm_create(inter, first, &part) == 0);
	CHECK((part == MPI_COMM_NULL) == (me > 0));
	if (me == 0) {
		CHECK(size_of(part) == 1 && MPI_Comm_remote_size(part, &n) == 0 && n == 1);
		CHECK(MPI_Barrier(part) == 0);
		MPI_Comm_free(&part);
	}
	MPI_Group_free(&first);
	MPI_Group_free(&mine);
}

static void bad(MPI_Comm inter, MPI_Comm local)
{
	int a = 0, b = 0, n;
	MPI_Comm other;
	MPI_Group group;

	CHECK_ERROR(MPI_Comm_remote_size(local, &n), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Comm_remote_group(local, &group), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Intercomm_merge(local, 0, &other), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Scan(&a, &b, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Exscan(&a, &b, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Allreduce(MPI_IN_PLACE, &b, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_BUFFER);
	CHECK_ERROR(MPI_Bcast(&a, 1, MPI_INT, size, inter), MPI_ERR_ROOT);
	CHECK_ERROR(MPI_Cart_create(inter, 0, NULL, NULL, 0, &other), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Intercomm_create(local, size, MPI_COMM_WORLD, 0, 1, &other), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, size, 1, &other),
		    rank_in(local) ? MPI_ERR_OTHER : MPI_ERR_RANK);
}

/* On one rank there is no other side. */
static void alone(void)
{
	MPI_Comm inter;
	int n;

	CHECK_ERROR(MPI_Comm_remote_size(MPI_COMM_WORLD, &n), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 0, 1, &inter),
		    MPI_ERR_RANK);
}

int main(int argc, char **argv)
{
	MPI_Comm local, inter, dup;

	init(&argc, &argv, &rank, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	if (size == 1) {
		alone();
		MPI_Finalize();
		return 0;
	}
	low = rank < size / 2;
	MPI_Comm_split(MPI_COMM_WORLD, low, rank, &local);
	CHECK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? size / 2 : 0, 7, &inter) == 0);
	asked(inter, local);
	collectives(inter);
	merged(inter);
	parts(inter);
	CHECK(MPI_Comm_dup(inter, &dup) == 0);
	collectives(dup);
	bad(inter, local);
	MPI_Comm_free(&dup);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&local);
	MPI_Finalize();
	return 0;
}
