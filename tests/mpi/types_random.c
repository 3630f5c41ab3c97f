/*
 * types_random.c - datatypes made of each other at random, against a list of where each byte of
 * theirs lies. The seed is printed, and taken as the first argument.
 */
#include "check.h"

enum { MOST = 3000, KINDS = 7, TYPES = 12, ROUNDS = 60, ROOM = 60000, MIDDLE = ROOM / 2 };

/* What a type is, as the standard defines it: the places of its elements, in order, and bounds. */
struct model {
	MPI_Datatype type;
	int n;
	int at[MOST], size[MOST];
	int low, high, align;
	bool low_set, high_set; /* by resizing */
};

static unsigned long long state;

static int below(int n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (int)((state >> 33) % (unsigned)n);
}

/* Add one of a type, `at` there; its bounds count as long as none that was set is known. */
static bool add(struct model *m, const struct model *of, int at)
{
	if (m->n + of->n > MOST)
		return false;
	if (of->n == 0 && !of->low_set)
		return true;
	if (of->low_set != m->low_set ? of->low_set : (m->align < 0 || at + of->low < m->low))
		m->low = at + of->low;
	if (of->high_set != m->high_set ? of->high_set : (m->align < 0 || at + of->high > m->high))
		m->high = at + of->high;
	m->low_set = m->low_set || of->low_set;
	m->high_set = m->high_set || of->high_set;
	m->align = of->align > m->align ? of->align : m->align;
	for (int i = 0; i < of->n; i++) {
		m->at[m->n] = at + of->at[i];
		m->size[m->n++] = of->size[i];
	}
	return true;
}

static bool add_some(struct model *m, const struct model *of, int n, int at)
{
	for (int i = 0; i < n; i++) {
		if (!add(m, of, at + i * (of->high - of->low)))
			return false;
	}
	return true;
}

static void basic(struct model *m)
{
	static const MPI_Datatype types[] = { MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE };
	static const int sizes[] = { 1, 2, 4, 8 };
	int k = below(4);

	m->type = types[k];
	m->n = 1;
	m->at[0] = 0;
	m->size[0] = m->high = m->align = sizes[k];
	m->low = 0;
	m->low_set = m->high_set = false;
}

/* Made of one or two that are there, by a constructor of any kind; false: it would be too large. */
static bool make(struct model *m, const struct model *a, const struct model *b)
{
	int n = below(4), block = below(4), extent = a->high - a->low, blocks[4], places[4];
	MPI_Aint bytes[4];
	const MPI_Datatype of[] = { a->type, b->type, a->type, b->type };
	int kind = below(KINDS), stride = below(9) - 2;
	bool fits = true;

	*m = (struct model){ .align = -1 };
	for (int i = 0; i < 4; i++) {
		blocks[i] = below(3);
		places[i] = below(12) - 3;
		bytes[i] = below(90) - 20;
	}
	for (int i = 0; i < n && fits && kind < 5; i++) {
		if (kind == 0)
			fits = add_some(m, a, 1, i * extent);
		else if (kind == 1)
			fits = add_some(m, a, block, i * stride * extent);
		else if (kind == 2)
			fits = add_some(m, a, blocks[i], places[i] * extent);
		else if (kind == 3)
			fits = add_some(m, a, block, (int)bytes[i]);
		else
			fits = add_some(m, i % 2 ? b : a, blocks[i], (int)bytes[i]);
	}
	if (kind >= 5)
		fits = add(m, a, 0);
	m->align = m->align < 0 ? 0 : m->align;
	if (!fits)
		return false;
	if (kind == 0)
		MPI_Type_contiguous(n, a->type, &m->type);
	else if (kind == 1)
		MPI_Type_vector(n, block, stride, a->type, &m->type);
	else if (kind == 2)
		MPI_Type_indexed(n, blocks, places, a->type, &m->type);
	else if (kind == 3)
		MPI_Type_create_hindexed_block(n, block, bytes, a->type, &m->type);
	else if (kind == 4)
		MPI_Type_create_struct(n, blocks, bytes, of, &m->type);
	else if (kind == 5)
		MPI_Type_dup(a->type, &m->type);
	if (kind == 4 && !m->high_set && m->align)
		m->high += (m->align - (m->high - m->low) % m->align) % m->align;
	if (kind == 6) {
		m->low = below(20) - 10;
		m->high = m->low + below(100);
		m->low_set = m->high_set = true;
		MPI_Type_create_resized(a->type, m->low, m->high - m->low, &m->type);
	}
	return true;
}

static char from[ROOM], to[ROOM], packed[3 * 8 * MOST], wanted[3 * 8 * MOST];

/* The bytes of n of them, out of `from`, in order. */
static int expect(const struct model *m, int n)
{
	int bytes = 0;

	for (int i = 0; i < n * m->n; i++) {
		int at = MIDDLE + i / m->n * (m->high - m->low) + m->at[i % m->n];

		CHECK(at >= 0 && at + 8 <= ROOM);
		memcpy(wanted + bytes, from + at, (size_t)m->size[i % m->n]);
		bytes += m->size[i % m->n];
	}
	return bytes;
}

static bool is_small(const struct model *m)
{
	for (int i = 0; i < m->n; i++) {
		if (m->at[i] < -MIDDLE / 4 || m->at[i] > MIDDLE / 4)
			return false;
	}
	return m->high - m->low < MIDDLE / 4 && m->low - m->high < MIDDLE / 4;
}

/* n of them come back from their bytes, and a part of them, too; nothing else is touched. */
static void check_back(const struct model *m, int n, int bytes)
{
	static char clean[ROOM];
	MPI_Status status;
	int part = bytes ? below(bytes + 1) : 0, count;

	memset(clean, 0x55, ROOM);
	memset(to, 0x55, ROOM);
	MPI_Sendrecv(wanted, part, MPI_BYTE, 0, 0, to + MIDDLE, n, m->type, 0, 0, MPI_COMM_SELF,
		     &status);
	for (int i = 0, done = 0; i < n * m->n && done < part; i++) {
		int at = MIDDLE + i / m->n * (m->high - m->low) + m->at[i % m->n];
		int size = m->size[i % m->n] < part - done ? m->size[i % m->n] : part - done;

		memcpy(clean + at, wanted + done, (size_t)size);
		done += size;
	}
	CHECK(memcmp(to, clean, ROOM) == 0);
	if (part == bytes && MPI_Get_elements(&status, m->type, &count) == 0)
		CHECK(count == n * m->n);
}

static void check_one(const struct model *m)
{
	int n = 1 + below(3), at = 0, bytes, size;
	MPI_Aint lower, extent;
	MPI_Datatype t = m->type;

	MPI_Type_commit(&t);
	MPI_Type_get_extent(t, &lower, &extent);
	CHECK(lower == m->low && extent == m->high - m->low);
	bytes = expect(m, 1);
	MPI_Type_size(t, &size);
	CHECK(size == bytes);
	bytes = expect(m, n);
	CHECK(MPI_Pack(from + MIDDLE, n, t, packed, sizeof(packed), &at, MPI_COMM_WORLD) == 0);
	CHECK(at == bytes && memcmp(packed, wanted, (size_t)bytes) == 0);
	for (int i = 0; i < n * m->n; i++) { /* elements that overlap have no one value */
		for (int j = 0; j < i && n * m->n < 200; j++) {
			int gap = m->at[i % m->n] - m->at[j % m->n] +
				  (i / m->n - j / m->n) * (m->high - m->low);

			if (gap < m->size[j % m->n] && -gap < m->size[i % m->n])
				return;
		}
	}
	if (n * m->n < 200)
		check_back(m, n, bytes);
}

int main(int argc, char **argv)
{
	static struct model models[TYPES];

	MPI_Init(&argc, &argv);
	state = argc > 1 ? strtoull(argv[1], NULL, 0) : 20 + (unsigned)rank_in(MPI_COMM_WORLD);
	printf("rank %d: seed %llu\n", rank_in(MPI_COMM_WORLD), state);
	for (int i = 0; i < ROOM; i++)
		from[i] = (char)(i * 31 + i / 256);
	for (int round = 0; round < ROUNDS; round++) {
		int made = 4;

		for (int i = 0; i < 4; i++)
			basic(&models[i]);
		for (int i = 0; i < 40 && made < TYPES; i++) {
			const struct model *a = &models[below(made)], *b = &models[below(made)];

			if (!make(&models[made], a, b))
				continue;
			if (!is_small(&models[made])) {
				MPI_Type_free(&models[made].type);
				continue;
			}
			check_one(&models[made]);
			made++;
		}
		for (int i = 4; i < made; i++) /* those made of it go on using it */
			MPI_Type_free(&models[i].type);
	}
	MPI_Finalize();
	return 0;
}
