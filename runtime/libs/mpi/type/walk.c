/* walk.c - the walk over the data that a datatype describes, and counts of its basic elements. */
#include "walk.h"

/* Does the walk stop at this type? */
static bool is_leaf(const struct co_mpi_walk *w, MPI_Datatype t)
{
	switch (w->down_to) {
	case CO_MPI_TO_DENSE:
		return t->dense;
	case CO_MPI_TO_NAMED:
		return t->predefined;
	default:
		return t->basic > CO_MPI_PAIR;
	}
}

/* Visit n elements of a leaf, `stride` apart. */
static bool visit_leaf(struct co_mpi_walk *w, MPI_Datatype t, MPI_Count n, MPI_Aint stride,
		       char *at)
{
	bool joined = stride == t->size || n == 1;
	struct co_mpi_run run = { at + t->true_lower, joined ? 1 : n, stride,
				  joined ? n * t->size : t->size, t };

	return w->visit(w, &run);
}

/* Visit one vector of leaves. */
static bool visit_vector(struct co_mpi_walk *w, const struct co_mpi_made *m, char *at)
{
	MPI_Datatype of = m->types[0];
	struct co_mpi_block second = co_mpi_type_block(m, 1);
	struct co_mpi_run run = { at + of->true_lower, m->ints[0], second.at, second.n * of->size,
				  of };

	return w->visit(w, &run);
}

static bool is_vector_of_leaves(const struct co_mpi_walk *w, const struct co_mpi_made *m)
{
	if (m->combiner != MPI_COMBINER_VECTOR && m->combiner != MPI_COMBINER_HVECTOR)
		return false;
	return is_leaf(w, m->types[0]) && (m->types[0]->plain || m->ints[1] == 1);
}

static bool walk(struct co_mpi_walk *w, MPI_Datatype t, MPI_Count n, MPI_Aint stride, char *at);

/* Walk over one element of several blocks. */
static bool walk_blocks(struct co_mpi_walk *w, const struct co_mpi_made *m, int blocks, char *at)
{
	if (is_vector_of_leaves(w, m))
		return visit_vector(w, m, at);
	for (int i = 0; i < blocks; i++) {
		struct co_mpi_block b = co_mpi_type_block(m, i);

		if (!walk(w, b.of, b.n, b.of->extent, at + b.at))
			return false;
	}
	return true;
}

/* Walk over n elements of a type, `stride` apart; a type of one block takes no recursive call. */
static bool walk(struct co_mpi_walk *w, MPI_Datatype t, MPI_Count n, MPI_Aint stride, char *at)
{
	while (n > 0 && t->size > 0) {
		int blocks;
		struct co_mpi_block b;

		if (is_leaf(w, t))
			return visit_leaf(w, t, n, stride, at);
		blocks = co_mpi_type_blocks(t->made);
		if (blocks > 1) {
			for (MPI_Count i = 0; i < n; i++) {
				if (!walk_blocks(w, t->made, blocks, at + i * stride))
					return false;
			}
			return true;
		}
		b = co_mpi_type_block(t->made, 0);
		if (b.n != 1 && n != 1 && stride != b.n * b.of->extent) {
			for (MPI_Count i = 0; i < n; i++) {
				if (!walk(w, b.of, b.n, b.of->extent, at + b.at + i * stride))
					return false;
			}
			return true;
		}
		at += b.at;
		t = b.of;
		stride = b.n == 1 ? stride : b.of->extent;
		n *= b.n;
	}
	return true;
}

bool co_mpi_walk(struct co_mpi_walk *w, MPI_Datatype type, MPI_Count n, const void *buf)
{
	return walk(w, type, n, type->extent, (char *)buf);
}

/* ---- Basic elements ---- */

struct counter {
	struct co_mpi_walk walk;
	MPI_Count bytes, elements; /* still to be passed */
	MPI_Count passed_bytes, passed;
};

static bool count_run(struct co_mpi_walk *w, const struct co_mpi_run *run)
{
	struct counter *c = (struct counter *)w;
	MPI_Count size = run->type->size, n = run->blocks * (run->bytes / size);
	MPI_Count all = n, room = c->bytes / size;

	room = room < c->elements ? room : c->elements;
	n = n < room ? n : room;
	c->bytes -= n * size;
	c->elements -= n;
	c->passed_bytes += n * size;
	c->passed += n;
	return n == all && c->elements > 0 && c->bytes > 0;
}

static struct counter count_elements(MPI_Datatype type, MPI_Count bytes, MPI_Count elements)
{
	struct counter c = { { count_run, CO_MPI_TO_BASIC }, bytes, elements, 0, 0 };

	co_mpi_walk(&c.walk, type, 1, NULL);
	return c;
}

MPI_Count co_mpi_elements(MPI_Datatype type, MPI_Count bytes)
{
	struct counter c;

	if (bytes == 0 || type->size == 0)
		return bytes ? -1 : 0;
	c = count_elements(type, bytes % type->size, type->elements);
	return c.bytes ? -1 : bytes / type->size * type->elements + c.passed;
}

MPI_Count co_mpi_elements_bytes(MPI_Datatype type, MPI_Count elements)
{
	if (type->elements == 0)
		return 0;
	return elements / type->elements * type->size +
	       count_elements(type, type->size, elements % type->elements).passed_bytes;
}
