/*
 * mirror.c - guest instructions of a message between ranks of two boards, both ends: what rank 0
 * sends to board 1 comes back, as from there. So this board is both ends, and a run repeats to the
 * instruction. Rows of tests/bench/bench; qemu/run --harts 2 --icount=0 mirror.elf --uplink
 *
 * The carrier runs here, in the call that submits a descriptor, in place of cohart-rank: its
 * instructions are counted by themselves, and subtracted.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hal/cpu.h>

#include "../../hal/drivers/uplink_ram.h"
#include "../../runtime/core/hart_var.h"
#include "../../runtime/core/memory/main_heap.h"
#include "../../runtime/libs/cluster/frame.h"

extern struct uplink_ram hal_uplink_ram;

/* Of hart 0, which has no static data of ranks. */
struct carrier {
	struct hal_uplink_descriptor under_way[HAL_UPLINK_MOST];
	unsigned n;
	uint32_t completed;
	uint64_t spent, frames; /* instructions in here; frames that were carried */
};
CO_HART_VAR(struct carrier *, carrier);

int __real_hal_uplink_open(struct hal_uplink_job *job);
int __wrap_hal_uplink_open(struct hal_uplink_job *job);
int __real_hal_uplink_submit(const struct hal_uplink_descriptor *d);
int __wrap_hal_uplink_submit(const struct hal_uplink_descriptor *d);

int __wrap_hal_uplink_open(struct hal_uplink_job *job)
{
	struct carrier *c = co_main_alloc(sizeof(*c));

	if (!c)
		return -1;
	memset(c, 0, sizeof(*c));
	*co_hart_var(carrier, 0) = c;
	hal_uplink_ram.boards = 2;
	/* release: `boards`; pairs with hal_uplink_open(). */
	co_atomic_store(&hal_uplink_ram.attached, 1, CO_RELEASE);
	return __real_hal_uplink_open(job);
}

static void complete(struct carrier *c, unsigned i, uint64_t bytes)
{
	struct hal_uplink_descriptor *d = &c->under_way[i];

	hal_uplink_ram.completion[c->completed++ % HAL_UPLINK_MOST] =
		(struct hal_uplink_completion){ d->request, bytes, 1, d->tag, 0, 0 };
	/* release: the completion and the data; pairs with hal_uplink_completed(). */
	co_atomic_store(&hal_uplink_ram.completed, c->completed, CO_RELEASE);
	memmove(d, d + 1, (--c->n - i) * sizeof(*d));
}

/* Carry the newest descriptor's message, if its other end is there: both ends are this board's. */
static void carry(struct carrier *c)
{
	const struct hal_uplink_descriptor *d = &c->under_way[c->n - 1], *out = d, *in;
	uint64_t bytes;
	struct frame *f;
	unsigned i = 0;

	while (i < c->n - 1 &&
	       (c->under_way[i].tag != d->tag || c->under_way[i].operation == d->operation))
		i++;
	if (i == c->n - 1)
		return;
	in = &c->under_way[i];
	if (in->operation == HAL_UPLINK_SEND) {
		in = d;
		out = &c->under_way[i];
	}
	f = (struct frame *)(uintptr_t)in->address;
	bytes = out->bytes;
	memcpy(f, (const void *)(uintptr_t)out->address, bytes);
	if (d->tag == FRAME_TAG && f->kind == FRAME_MESSAGE) { /* seen from board 1 */
		f->message.source += f->ranks;
		f->message.dest -= f->ranks;
	}
	c->frames += d->tag == FRAME_TAG;
	complete(c, c->n - 1, bytes);
	complete(c, i, bytes);
}

int __wrap_hal_uplink_submit(const struct hal_uplink_descriptor *d)
{
	int r = __real_hal_uplink_submit(d);
	struct carrier *c = *co_hart_var(carrier, 0);
	uint64_t began = hal_cpu_instret();

	if (!r) {
		c->under_way[c->n++] = *d;
		carry(c);
	}
	c->spent += hal_cpu_instret() - began;
	return r;
}

static char out[1 << 16], in[1 << 16];

/* Guest instructions of a message, and how many frames went for it. */
static void cost_of(int bytes, int turns)
{
	struct carrier *c = *co_hart_var(carrier, 0);
	uint64_t began = 0, spent = 0, frames = 0;

	for (int i = -turns; i < turns; i++) {
		if (!i) {
			spent = c->spent;
			frames = c->frames;
			began = hal_cpu_instret();
		}
		out[0] = (char)i;
		MPI_Send(out, bytes, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
		MPI_Recv(in, bytes, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (in[0] != (char)i)
			abort();
	}
	began = hal_cpu_instret() - began - (c->spent - spent);
	printf("bench,uplink_message,2,%d,%.2f,instructions\n", bytes, (double)began / turns);
	printf("# %.2f frames a message\n", (double)(c->frames - frames) / turns);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	cost_of(8, 1000);
	cost_of(1024, 1000);
	MPI_Finalize();
	return 0;
}
