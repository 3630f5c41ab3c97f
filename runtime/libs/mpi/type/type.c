/* type.c - datatypes: their parts, sizes and bounds, checks, the end of a datatype. */
#include <stdlib.h>
#include <string.h>

#include "walk.h"

int co_mpi_check_made(MPI_Datatype type)
{
	if (!type)
		return co_mpi_say(MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
	return co_mpi_is(type, CO_MPI_IS_TYPE) ? MPI_SUCCESS
					       : co_mpi_say(MPI_ERR_TYPE, "no datatype, or freed");
}

int co_mpi_type_error(MPI_Datatype type)
{
	int r = co_mpi_check_made(type);

	if (!r && !type->committed)
		r = co_mpi_say(MPI_ERR_TYPE, "not committed: %s", co_mpi_type_name(type));
	return r;
}

/* MPI_BOTTOM is NULL: with a type that has absolute addresses it is a buffer. */
int co_mpi_buffer_error(const void *buf, MPI_Count count, MPI_Datatype type)
{
	int r = co_mpi_check_type(type);

	if (r)
		return r;
	if (count < 0)
		return co_mpi_say(MPI_ERR_COUNT, "count %lld", count);
	if (count == 0 || type->size == 0)
		return MPI_SUCCESS;
	if (buf == MPI_IN_PLACE)
		return co_mpi_say(MPI_ERR_BUFFER, "MPI_IN_PLACE");
	if (!buf && type->true_lower == 0)
		return co_mpi_say(MPI_ERR_BUFFER, "NULL");
	return MPI_SUCCESS;
}

/* ---- Parts ---- */

int co_mpi_type_blocks(const struct co_mpi_made *m)
{
	switch (m->combiner) {
	case MPI_COMBINER_VECTOR:
	case MPI_COMBINER_HVECTOR:
	case MPI_COMBINER_INDEXED:
	case MPI_COMBINER_HINDEXED:
	case MPI_COMBINER_INDEXED_BLOCK:
	case MPI_COMBINER_HINDEXED_BLOCK:
	case MPI_COMBINER_STRUCT:
		return m->ints[0];
	default:
		return 1;
	}
}

struct co_mpi_block co_mpi_type_block(const struct co_mpi_made *m, int i)
{
	MPI_Datatype of = m->types[m->combiner == MPI_COMBINER_STRUCT ? i : 0];
	const int *v = m->ints;

	switch (m->combiner) {
	case MPI_COMBINER_CONTIGUOUS:
		return (struct co_mpi_block){ of, v[0], 0 };
	case MPI_COMBINER_VECTOR:
		return (struct co_mpi_block){ of, v[1], (MPI_Aint)i * v[2] * of->extent };
	case MPI_COMBINER_HVECTOR:
		return (struct co_mpi_block){ of, v[1], i * m->addresses[0] };
	case MPI_COMBINER_INDEXED:
		return (struct co_mpi_block){ of, v[1 + i], v[1 + v[0] + i] * of->extent };
	case MPI_COMBINER_HINDEXED:
		return (struct co_mpi_block){ of, v[1 + i], m->addresses[i] };
	case MPI_COMBINER_INDEXED_BLOCK:
		return (struct co_mpi_block){ of, v[1], v[2 + i] * of->extent };
	case MPI_COMBINER_HINDEXED_BLOCK:
		return (struct co_mpi_block){ of, v[1], m->addresses[i] };
	case MPI_COMBINER_STRUCT:
		return (struct co_mpi_block){ of, v[1 + i], m->addresses[i] };
	case MPI_COMBINER_SUBARRAY:
	case MPI_COMBINER_DARRAY:
		return (struct co_mpi_block){ m->inner, 1, m->at };
	default: /* MPI_COMBINER_DUP, _RESIZED */
		return (struct co_mpi_block){ of, 1, 0 };
	}
}

/* ---- Sizes and bounds ---- */

struct bound {
	MPI_Aint at;
	bool found, set;
};

struct bounds {
	struct bound low, high;
	MPI_Aint true_low, true_high;
	bool data, dense;
	MPI_Datatype only;
	MPI_Aint next; /* where data has to go on for the type to be dense */
	unsigned char align;
};

/* A bound that was set has precedence over a bound of the data. */
static void take_bound(struct bound *b, MPI_Aint at, bool set, bool beyond)
{
	if (set != b->set ? set : !b->found || beyond)
		*b = (struct bound){ at, true, set };
}

static void add_data(struct bounds *b, const struct co_mpi_block *k, MPI_Aint before,
		     MPI_Aint after)
{
	MPI_Datatype of = k->of;
	MPI_Aint low = k->at + of->true_lower + before;
	MPI_Aint high = k->at + of->true_lower + of->true_extent + after;

	if (!b->data)
		b->only = co_mpi_type_only(of);
	else if (b->only != co_mpi_type_only(of))
		b->only = NULL;
	b->dense = b->dense && (k->n == 1 ? of->dense : of->plain) && (!b->data || low == b->next);
	b->next = high;
	b->true_low = !b->data || low < b->true_low ? low : b->true_low;
	b->true_high = !b->data || high > b->true_high ? high : b->true_high;
	b->align = of->align > b->align ? of->align : b->align;
	b->data = true;
}

static void add_block(struct bounds *b, struct co_mpi_block k)
{
	MPI_Datatype of = k.of;
	MPI_Aint reach, before, after, low, high;

	if (k.n == 0)
		return;
	reach = (MPI_Aint)(k.n - 1) * of->extent;
	before = reach < 0 ? reach : 0;
	after = reach > 0 ? reach : 0;
	low = k.at + of->lower + before;
	high = k.at + of->lower + of->extent + after;
	if (of->has_lower || of->elements)
		take_bound(&b->low, low, of->has_lower, low < b->low.at);
	if (of->has_upper || of->elements)
		take_bound(&b->high, high, of->has_upper, high > b->high.at);
	if (of->elements)
		add_data(b, &k, before, after);
}

/* Add all blocks. Of equal blocks at equal distances the first two and the last one are enough. */
static void add_blocks(struct bounds *b, MPI_Datatype t)
{
	const struct co_mpi_made *m = t->made;
	int n = co_mpi_type_blocks(m);
	bool regular = m->combiner == MPI_COMBINER_VECTOR || m->combiner == MPI_COMBINER_HVECTOR;
	bool dense;

	for (int i = 0; i < n; i++) {
		struct co_mpi_block k = co_mpi_type_block(m, i);

		t->size += k.n * k.of->size;
		t->elements += k.n * k.of->elements;
		add_block(b, k);
		if (!regular || i != 1 || n == 2)
			continue;
		dense = b->dense;
		k = co_mpi_type_block(m, n - 1);
		add_block(b, k);
		b->dense = dense;
		t->size = n * k.n * k.of->size;
		t->elements = n * k.n * k.of->elements;
		break;
	}
}

void co_mpi_type_measure(MPI_Datatype t)
{
	struct bounds b = { .dense = true };

	t->size = t->elements = 0;
	add_blocks(&b, t);
	if (b.data) {
		t->true_lower = b.true_low;
		t->true_extent = b.true_high - b.true_low;
	}
	t->align = b.align;
	t->lower = b.low.at; /* 0 without a lower bound */
	t->extent = b.high.at - t->lower;
	/* Pad as a C compiler pads a struct, so that an array of it is aligned. */
	if (t->made->combiner == MPI_COMBINER_STRUCT && !b.high.set && b.align)
		t->extent += (b.align - t->extent % b.align) % b.align;
	t->only = b.only;
	t->has_lower = b.low.set;
	t->has_upper = b.high.set;
	t->dense = b.dense;
	t->plain = b.dense && (t->size == 0 || t->extent == t->size);
}

void co_mpi_type_bound(MPI_Datatype t, MPI_Aint lower, MPI_Aint extent)
{
	t->lower = lower;
	t->extent = extent;
	t->has_lower = t->has_upper = true;
	t->plain = t->dense && (t->size == 0 || extent == t->size);
}

/* ---- Beginning and end ---- */

MPI_Datatype co_mpi_type_new(int combiner, int n_ints, int n_addresses, int n_types)
{
	struct made_type {
		struct co_mpi_type type;
		struct co_mpi_made made;
		_Alignas(max_align_t) char room[];
	} * t;
	size_t addresses = (size_t)n_addresses * sizeof(MPI_Aint);
	size_t types = (size_t)n_types * sizeof(MPI_Datatype);

	t = calloc(1, sizeof(*t) + addresses + types + (size_t)n_ints * sizeof(int));
	if (!t)
		return NULL;
	t->type.magic = CO_MPI_IS_TYPE;
	t->type.references = 1;
	t->type.made = &t->made;
	t->made.combiner = combiner;
	t->made.n_ints = n_ints;
	t->made.n_addresses = n_addresses;
	t->made.n_types = n_types;
	t->made.addresses = (MPI_Aint *)t->room;
	t->made.types = (MPI_Datatype *)(t->room + addresses);
	t->made.ints = (int *)(t->room + addresses + types);
	return &t->type;
}

void co_mpi_type_put(MPI_Datatype t)
{
	if (--t->references > 0 || t->predefined)
		return;
	for (int i = 0; i < t->made->n_types; i++) {
		if (t->made->types[i])
			co_mpi_type_put(t->made->types[i]);
	}
	if (t->made->inner)
		co_mpi_type_put(t->made->inner);
	co_mpi_unmark(&t->magic);
	co_mpi_unmark(&t->simple);
	free(t);
}

void co_mpi_type_commit(MPI_Datatype t)
{
	t->committed = true;
	if (t->plain)
		t->simple = CO_MPI_IS_SIMPLE;
}

CO_MPI_DEFINE(Type_commit, MPI_Datatype *datatype)
{
	int r = co_mpi_check_made(*datatype);

	if (!r)
		co_mpi_type_commit(*datatype);
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_free, MPI_Datatype *datatype)
{
	MPI_Datatype t = *datatype;
	int r = co_mpi_check_made(t);

	if (!r && t->predefined)
		r = co_mpi_say(MPI_ERR_TYPE, "%s is predefined", t->name);
	if (!r)
		r = co_mpi_attributes_free(t, &t->attributes);
	if (r)
		return co_mpi_error(NULL, __func__, r);
	co_mpi_type_put(t);
	*datatype = MPI_DATATYPE_NULL;
	return MPI_SUCCESS;
}

MPI_Count co_mpi_bytes(MPI_Count count, MPI_Datatype type)
{
	return count >= 0 && co_mpi_is(type, CO_MPI_IS_TYPE) ? count * type->size : -1;
}

int co_mpi_two_error(void)
{
	return co_mpi_say(MPI_ERR_BUFFER, "both buffers are one: use MPI_IN_PLACE");
}
