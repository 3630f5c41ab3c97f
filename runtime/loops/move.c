/* move.c - copying and filling by a whole group: a static loop over lines. */
#include <cohart/dma.h>
#include <cohart/parallel.h>

#include "../core/core.h"
#include "../dma/dma.h"
#include "parallel.h"

/* A copy or fill, in the caller's scratchpad. */
struct move {
	struct co_parallel loop;
	unsigned char *to;
	const unsigned char *from; /* NULL: the value */
	unsigned char value;
	size_t bytes;
	size_t offset; /* of the broadcast memory, in a window */
};

/* `from` NULL: the value. */
static void move_piece(unsigned char *to, const unsigned char *from, unsigned char value,
		       size_t bytes)
{
	if (from)
		memcpy(to, from, bytes);
	else
		memset(to, value, bytes);
}

/* Move some lines of the destination, so that no two harts write to one line. */
static int lines(void *arg, struct co_part *p)
{
	const struct move *m = arg;
	size_t before = (uintptr_t)m->to % CO_LINE;
	size_t from = (size_t)p->from[0] * CO_LINE;
	size_t to = (size_t)p->to[0] * CO_LINE;

	from = from > before ? from - before : 0;
	to = to - before < m->bytes ? to - before : m->bytes;
	move_piece(m->to + from, m->from ? m->from + from : NULL, m->value, to - from);
	return 0;
}

static void bring(unsigned char *to, const struct move *m)
{
	if (to != m->from)
		memcpy(to, m->from, m->bytes);
}

static int everywhere(void *arg, struct co_part *p)
{
	const struct move *m = arg;

	(void)p;
	bring((unsigned char *)co_executor.self + m->offset, m);
	return 0;
}

/* Run m as a loop of the group. Returns 0, or why it was not all done. */
static int together(struct move *m, const char *name, co_body_fn *body, long indices)
{
	int r;

	m->loop = (struct co_parallel){ .name = name,
					.body = body,
					.arg = m,
					.dims = 1,
					.range = { { 0, indices, 1 } },
					.scope = co_scope_here(CO_GROUP, CO_ROLE_COMPUTE) };
	r = co_parallel_check(&m->loop);
	return r ? r : co_parallel_run(&m->loop);
}

/* Is it worth starting the group's compute harts? */
static bool worth_it(const void *from, size_t bytes)
{
	unsigned harts;

	if (bytes < (from ? CO_MOVE_COPY_BYTES : CO_MOVE_FILL_BYTES))
		return false;
	harts = co_group(co_hart_group(co_hart()))->computes;
	if (!from || !(co_hart_role(co_hart()) & CO_ROLE_MANAGE))
		return harts >= 2;
	return bytes >= CO_MOVE_MANAGER_BYTES && harts >= CO_MOVE_MANAGER_HARTS;
}

static int move_bytes(void *to, const void *from, unsigned char value, size_t bytes)
{
	size_t before = (uintptr_t)to % CO_LINE;
	struct move *m = NULL;
	int r = -ENOBUFS;

	if (worth_it(from, bytes))
		m = co_spm_alloc(sizeof(*m), _Alignof(struct move));
	if (m) {
		*m = (struct move){ .to = to, .from = from, .value = value, .bytes = bytes };
		r = together(m, "move", lines, (long)((before + bytes + CO_LINE - 1) / CO_LINE));
		co_spm_free(m);
	}
	/* Not all harts could be started: do all of it here. */
	if (r)
		move_piece(to, from, value, bytes);
	return 0;
}

int co_move_copy(void *to, const void *from, size_t bytes)
{
	const struct hal_dma_copy c = co_dma_row(to, from, bytes);
	int r = co_dma_refuse(&c);

	return r ? r : move_bytes(to, from, 0, bytes);
}

int co_move_fill(void *to, unsigned char value, size_t bytes)
{
	if (!bytes)
		return -EINVAL;
	if (!co_dma_usable((uintptr_t)to, bytes, true))
		return -EFAULT;
	return move_bytes(to, NULL, value, bytes);
}

/* Each hart of the caller's group copies to its own scratchpad. */
static void broadcast(struct move *m)
{
	const struct co_group *g = co_group(co_hart_group(co_hart()));
	int r;

	if (co_hart_role(co_hart()) & CO_ROLE_MANAGE)
		(void)everywhere(m, NULL);
	r = g->computes ? together(m, "broadcast", everywhere, g->computes) : 0;
	for (unsigned i = 0; r && i < g->computes; i++)
		bring(co_spm_at(m->to, g->compute + i), m);
}

/* Does the source lie where a hart of the group writes its copy? */
static bool in_the_way(const void *spm, const void *from, size_t bytes)
{
	int hart = co_spm_hart(from);
	uintptr_t at = (uintptr_t)from;
	uintptr_t theirs;

	if (hart < 0 || co_hart_group((unsigned)hart) != co_hart_group(co_hart()) ||
	    !(co_hart_role((unsigned)hart) & CO_ROLE_COMPUTE))
		return false;
	theirs = (uintptr_t)co_spm_at(spm, (unsigned)hart);
	return at != theirs && (at - theirs < bytes || theirs - at < bytes);
}

int co_move_broadcast(void *spm, const void *from, size_t bytes)
{
	const struct hal_dma_copy c = co_dma_row(spm, from, bytes);
	struct move *m;
	int r = spm == from ? 0 : co_dma_refuse(&c);

	if (r)
		return r;
	if (!bytes)
		return -EINVAL;
	if (co_spm_hart(spm) != (int)co_hart() || !co_dma_usable((uintptr_t)spm, bytes, true))
		return -EFAULT;
	if (in_the_way(spm, from, bytes))
		return -EINVAL;
	m = co_spm_alloc(sizeof(*m), _Alignof(struct move));
	if (!m)
		return -ENOMEM;
	*m = (struct move){ .to = spm,
			    .from = from,
			    .bytes = bytes,
			    .offset = (uintptr_t)spm - (uintptr_t)co_executor.self };
	broadcast(m);
	co_spm_free(m);
	return 0;
}
