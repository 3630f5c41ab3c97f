/* comm.c - communicators: duplicates, parts, names, hints, their contexts, and bad ones. */
#include "check.h"

static int rank, size;

static int compared(MPI_Comm a, MPI_Comm b)
{
	int result;

	CHECK(MPI_Comm_compare(a, b, &result) == 0);
	return result;
}

/* A sum over the communicator is that of its ranks of MPI_COMM_WORLD. */
static void works(MPI_Comm comm)
{
	MPI_Group all, group;
	int sum, wanted = 0;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Comm_group(comm, &group);
	for (int i = 0; i < size_of(comm); i++) {
		int world;

		MPI_Group_translate_ranks(group, 1, &i, all, &world);
		wanted += world;
	}
	CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) == 0 && sum == wanted);
	MPI_Group_free(&all);
	MPI_Group_free(&group);
}

static void predefined(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	int n;

	CHECK(size_of(MPI_COMM_SELF) == 1 && rank_in(MPI_COMM_SELF) == 0);
	CHECK(compared(MPI_COMM_WORLD, MPI_COMM_WORLD) == MPI_IDENT);
	CHECK(compared(MPI_COMM_WORLD, MPI_COMM_SELF) == (size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
	CHECK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &n) == 0);
	CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && n == (int)strlen(name));
	CHECK(MPI_Comm_get_name(MPI_COMM_SELF, name, &n) == 0 &&
	      strcmp(name, "MPI_COMM_SELF") == 0);
	works(MPI_COMM_SELF);
}

/* A message of one communicator is not received in the other. Ranks are in the same ring. */
static void apart(MPI_Comm a, MPI_Comm b)
{
	int in_ring = rank_in(a), of_b = rank_in(b), out = 1, in_a = 0, in_b = 0;
	MPI_Request r[4];

	MPI_Irecv(&in_b, 1, MPI_INT, (of_b - 1 + size) % size, 5, b, &r[0]);
	MPI_Irecv(&in_a, 1, MPI_INT, (in_ring - 1 + size) % size, 5, a, &r[1]);
	MPI_Isend(&out, 1, MPI_INT, (in_ring + 1) % size, 5, a, &r[2]);
	MPI_Waitall(2, r + 1, MPI_STATUSES_IGNORE);
	CHECK(in_a == 1 && in_b == 0);
	MPI_Barrier(a);
	out = 2;
	MPI_Isend(&out, 1, MPI_INT, (of_b + 1) % size, 5, b, &r[3]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Wait(&r[3], MPI_STATUS_IGNORE);
	CHECK(in_b == 2);
}

/* Made first of all, when each rank has handed out as many contexts: duplicates, each led by
 * another. */
static void led(void)
{
	MPI_Comm *by = malloc(sizeof(MPI_Comm) * (size_t)(2 * size)), *dups = by + size;

	for (int i = 0; i < size; i++)
		CHECK(MPI_Comm_split(MPI_COMM_WORLD, 0, (rank - i + size) % size, &by[i]) == 0);
	for (int i = 0; i < size; i++)
		CHECK(MPI_Comm_dup(by[i], &dups[i]) == 0);
	for (int i = 1; i < size; i++)
		apart(dups[0], dups[i]);
	for (int i = 0; i < 2 * size; i++)
		MPI_Comm_free(&by[i]);
	free(by);
}

static void duplicates(void)
{
	MPI_Comm dup, again, some[3];
	MPI_Request r[3];
	char name[MPI_MAX_OBJECT_NAME];
	int n;

	CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &dup) == 0);
	CHECK(compared(dup, MPI_COMM_WORLD) == MPI_CONGRUENT);
	works(dup);
	apart(MPI_COMM_WORLD, dup);
	CHECK(MPI_Comm_get_name(dup, name, &n) == 0 && n == 0);
	CHECK(MPI_Comm_set_name(dup, "mine") == 0);
	CHECK(MPI_Comm_get_name(dup, name, &n) == 0 && n == 4 && strcmp(name, "mine") == 0);
	CHECK(MPI_Comm_dup(dup, &again) == 0);
	apart(dup, again);
	MPI_Comm_free(&dup);
	CHECK(dup == MPI_COMM_NULL);
	works(again);
	for (int i = 0; i < 3; i++)
		CHECK(MPI_Comm_idup(again, &some[i], &r[i]) == 0);
	MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
	for (int i = 0; i < 3; i++) {
		works(some[i]);
		apart(some[i], some[(i + 1) % 3]);
	}
	for (int i = 0; i < 3; i++)
		CHECK(MPI_Comm_disconnect(&some[i]) == 0 && some[i] == MPI_COMM_NULL);
	MPI_Comm_free(&again);
}

static void splits(void)
{
	MPI_Comm part, none;

	/* Each third rank, the last first. */
	CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank % 3, -rank, &part) == 0);
	CHECK(size_of(part) == (size - rank % 3 + 2) / 3);
	CHECK(rank_in(part) == size_of(part) - 1 - rank / 3);
	works(part);
	MPI_Comm_free(&part);
	/* Equal keys: in the order of ranks. Rank 0 is in no part. */
	CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank ? 1 : MPI_UNDEFINED, 0, &part) == 0);
	if (rank == 0) {
		CHECK(part == MPI_COMM_NULL);
	} else {
		CHECK(size_of(part) == size - 1 && rank_in(part) == rank - 1);
		works(part);
		MPI_Comm_free(&part);
	}
	CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part) ==
	      0);
	CHECK(compared(part, MPI_COMM_WORLD) == MPI_CONGRUENT);
	CHECK(MPI_Comm_split_type(part, MPI_UNDEFINED, 0, MPI_INFO_NULL, &none) == 0);
	CHECK(none == MPI_COMM_NULL);
	MPI_Comm_free(&part);
	CHECK_ERROR(MPI_Comm_split(MPI_COMM_WORLD, -1, 0, &part), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Comm_split_type(MPI_COMM_WORLD, 77, 0, MPI_INFO_NULL, &part), MPI_ERR_ARG);
}

/* Of a group: by all ranks, or by those in it; disjoint ones at once. */
static void of_groups(void)
{
	MPI_Group all, mine;
	MPI_Comm part;
	int half = (size + 1) / 2;
	int range[1][3] = { { rank < half ? half - 1 : size - 1, rank < half ? 0 : half, -1 } };

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_range_incl(all, 1, range, &mine);
	CHECK(MPI_Comm_create(MPI_COMM_WORLD, mine, &part) == 0);
	CHECK(rank_in(part) == range[0][0] - rank);
	works(part);
	MPI_Comm_free(&part);
	CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, mine, 9, &part) == 0);
	works(part);
	MPI_Comm_free(&part);
	CHECK_ERROR(MPI_Comm_create_group(MPI_COMM_WORLD, mine, -9, &part), MPI_ERR_TAG);
	if (size > 1)
		CHECK_ERROR(MPI_Comm_create(MPI_COMM_SELF, all, &part), MPI_ERR_GROUP);
	CHECK_ERROR(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &part), MPI_ERR_GROUP);
	MPI_Group_free(&mine);
	range[0][0] = range[0][1] = 0;
	MPI_Group_range_incl(all, 1, range, &mine);
	CHECK(MPI_Comm_create(MPI_COMM_WORLD, mine, &part) == 0);
	CHECK((part == MPI_COMM_NULL) == (rank != 0));
	if (rank == 0)
		MPI_Comm_free(&part);
	MPI_Group_free(&mine);
	MPI_Group_free(&all);
}

static void hints(void)
{
	MPI_Comm dup, other;
	MPI_Info info, got;
	char value[8];
	int flag;

	MPI_Info_create(&info);
	MPI_Info_set(info, "key", "one");
	CHECK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &dup) == 0);
	MPI_Info_set(info, "key", "two");
	CHECK(MPI_Comm_get_info(dup, &got) == 0);
	CHECK(MPI_Info_get(got, "key", 7, value, &flag) == 0 && flag && !strcmp(value, "one"));
	MPI_Info_free(&got);
	CHECK(MPI_Comm_set_info(dup, info) == 0);
	MPI_Info_free(&info);
	CHECK(MPI_Comm_dup(dup, &other) == 0 && MPI_Comm_get_info(other, &got) == 0);
	CHECK(MPI_Info_get(got, "key", 7, value, &flag) == 0 && flag && !strcmp(value, "two"));
	MPI_Info_free(&got);
	MPI_Comm_free(&dup);
	MPI_Comm_free(&other);
	CHECK(MPI_Comm_get_info(MPI_COMM_WORLD, &got) == 0);
	CHECK(MPI_Info_get_nkeys(got, &flag) == 0 && flag == 0);
	MPI_Info_free(&got);
}

/* As many as a program makes in a long run: numbers and memory are not used up. */
static void many(void)
{
	MPI_Comm dup;

	for (int i = 0; i < 500; i++) {
		CHECK(MPI_Comm_dup(i % 2 ? MPI_COMM_SELF : MPI_COMM_WORLD, &dup) == 0);
		MPI_Comm_free(&dup);
	}
}

static void bad(void)
{
	MPI_Comm none = MPI_COMM_NULL, dup, copy;
	int n;

	CHECK_ERROR(MPI_Comm_size(MPI_COMM_NULL, &n), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Comm_rank(MPI_COMM_NULL, &n), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Comm_dup(MPI_COMM_NULL, &dup), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Comm_free(&none), MPI_ERR_COMM);
	none = MPI_COMM_WORLD;
	CHECK_ERROR(MPI_Comm_free(&none), MPI_ERR_COMM);
	none = MPI_COMM_SELF;
	CHECK_ERROR(MPI_Comm_free(&none), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_NULL, &n), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Comm_set_name(MPI_COMM_NULL, "x"), MPI_ERR_COMM);
	MPI_Comm_dup(MPI_COMM_SELF, &dup);
	copy = dup;
	MPI_Comm_free(&dup);
	CHECK_ERROR(MPI_Comm_rank(copy, &n), MPI_ERR_COMM);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	led();
	predefined();
	duplicates();
	splits();
	of_groups();
	hints();
	many();
	bad();
	MPI_Finalize();
	return 0;
}
