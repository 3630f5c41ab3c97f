/*
 * tiles.c - a pass by tiles (cohart/tile.h): what a block is made of comes into the scratchpad
 * while the one before is worked on, and the results of the one before that go out.
 */
#include "stencil.h"

/* What a member needs to know; it has a copy in its scratchpad. */
struct know {
	struct pass pass;
	unsigned dims;
	bool scalar;
	uint8_t number[ARRAYS]; /* of an array in the loop */
};

static const char *const names[ARRAYS] = { "a", "b", "c" }; /* in a plan */
static struct know know;
static struct co_tiles loop;

static double *row_of(const struct know *k, const struct co_block *b, unsigned array, long z,
		      long y)
{
	unsigned n = k->number[array];

	return k->dims == 3 ? co_tile_row(b, n, z, y) : co_tile_layer(b, n, y);
}

static int body(void *arg, struct co_block *b)
{
	const struct know *k = arg;
	const double *in[ROWS_MAX];
	long planes = k->dims == 3 ? b->n[0] : 1;
	long rows = b->n[k->dims - 2], cols = b->n[k->dims - 1];

	for (long z = 0; z < planes; z++) {
		for (long y = 0; y < rows; y++) {
			for (unsigned i = 0; i < k->pass.n_in; i++) {
				const struct neighbour *n = &k->pass.in[i];

				in[i] = row_of(k, b, n->array, z + n->dz, y + n->dy);
			}
			k->pass.row[k->scalar](row_of(k, b, k->pass.out, z, y), in, (size_t)cols,
					       k->pass.k);
		}
	}
	return 0;
}

/* How an array is used. Axes of the loop begin with Y if there are two dimensions. */
static void describe(struct co_tiled *t, const struct pass *p, const struct space *s,
		     unsigned array)
{
	unsigned dims = know.dims, first = AXES - dims;
	bool read = false, written = array == p->out;

	t->at = s->array[array];
	t->size = sizeof(double);
	for (unsigned d = 0; d < dims; d++)
		t->extent[d] = s->n[first + d];
	for (unsigned i = 0; i < p->n_in; i++) {
		const struct neighbour *n = &p->in[i];

		if (n->array != array)
			continue;
		read = true;
		if (n->dz)
			*(n->dz < 0 ? &t->before[Z - first] : &t->after[Z - first]) = 1;
		if (n->dy)
			*(n->dy < 0 ? &t->before[Y - first] : &t->after[Y - first]) = 1;
		if (!written) {
			t->before[dims - 1] = p->left;
			t->after[dims - 1] = p->right;
		}
	}
	t->access = !written ? CO_TILE_IN : read ? CO_TILE_UPDATE : CO_TILE_OUT;
}

static bool used(const struct pass *p, unsigned array)
{
	for (unsigned i = 0; i < p->n_in; i++) {
		if (p->in[i].array == array)
			return true;
	}
	return p->out == array;
}

/*
 * On a hart that is manager and member at once, the loop's own description takes from the room that
 * tiles are chosen for.
 */
static void make_room(void)
{
	struct co_spm_use use;

	co_spm_use(0, &use);
	if (co_harts() == 1)
		(void)co_tiles_fit(&loop, (use.heap_bytes - use.used) / 2, loop.tile);
}

int pass_tiled(const struct pass *p, const struct space *s, const struct setup *how)
{
	long from[AXES], to[AXES];

	know = (struct know){ .pass = *p, .dims = s->n[Z] > 1 ? 3 : 2, .scalar = how->scalar };
	loop = (struct co_tiles){ .name = "stencil, tiles",
				  .body = body,
				  .arg = &know,
				  .arg_bytes = sizeof(know),
				  .dims = know.dims,
				  .schedule = how->schedule,
				  .block = how->block };
	pass_range(p, s, from, to);
	for (unsigned d = 0; d < know.dims; d++) {
		unsigned axis = AXES - know.dims + d;

		loop.range[d] = (struct co_range){ from[axis], to[axis], 1 };
	}
	for (unsigned a = 0; a < ARRAYS; a++) {
		if (!used(p, a))
			continue;
		know.number[a] = (uint8_t)loop.arrays;
		loop.array[loop.arrays].buffer = co_plan_buffer(&how->plan, names[a]);
		describe(&loop.array[loop.arrays++], p, s, a);
	}
	make_room();
	return co_tiles_run(&loop);
}
