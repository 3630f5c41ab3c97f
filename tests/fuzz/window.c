/*
 * window.c - fuzzes requests for windows' memory that other boards send:
 * runtime/libs/mpi/rma/serve.c writes to what a rank has registered alone, and does all of a
 * request, or nothing.
 */
#include "../../runtime/libs/mpi/rma/serve.c"
/* Boards access words at any address. */
#pragma clang attribute push(__attribute__((no_sanitize("alignment"))), apply_to = function)
#include "../../runtime/libs/mpi/type/op_functions.c"
#pragma clang attribute pop
#include "fuzz.h"

#define BYTES 64
#define FAR_AWAY 0x1000 /* the address of dynamic memory, as the rank knows it */

struct co_mpi_rank co_mpi = { .board = 0, .boards = 2, .ranks = 4 };
static unsigned char *memory[2]; /* of ranks 0 and 1; ranks 2 and 3 are on the other board */
static int locked;
static bool waits[4];  /* ranks, for a lock */
static int last_error; /* of an answer */

/* ---- What serve.c calls ---- */

int co_mpi_lock(struct co_mutex *m)
{
	locked++;
	return 0;
}

void co_mutex_unlock(struct co_mutex *m)
{
	MUST(locked-- > 0);
}

void co_mpi_move(void *to, const void *from, size_t n)
{
	memmove(to, from, n);
}

void *co_process_at(const void *p, unsigned rank)
{
	MUST(rank < 2 && locked);
	return memory[rank] + ((uintptr_t)p - FAR_AWAY);
}

bool co_mpi_is_attached(const struct co_mpi_target *t, const char *low, const char *high)
{
	MUST(locked && low <= high);
	return (uintptr_t)low >= FAR_AWAY && (uintptr_t)high <= FAR_AWAY + BYTES;
}

bool co_mpi_lock_or_wait(struct co_mpi_target *targets, int rank, int who, int kind)
{
	MUST(rank >= 0 && rank < 4 && who >= 0 && who < 4 && locked);
	MUST(kind == MPI_LOCK_SHARED || kind == MPI_LOCK_EXCLUSIVE);
	MUST(!waits[who]);
	waits[who] = targets[rank].written || (targets[rank].readers && kind != MPI_LOCK_SHARED);
	if (waits[who])
		return false;
	targets[rank].readers += kind == MPI_LOCK_SHARED;
	targets[rank].written |= kind == MPI_LOCK_EXCLUSIVE;
	return true;
}

int co_mpi_unlock(struct co_mpi_target *targets, int rank, int kind)
{
	MUST(kind == MPI_LOCK_SHARED ? targets[rank].readers-- > 0 : targets[rank].written);
	if (kind != MPI_LOCK_SHARED)
		targets[rank].written = false;
	for (int i = 0; i < 4; i++) {
		if (waits[i])
			return i + 1;
	}
	return 0;
}

int co_mpi_next_granted(struct co_mpi_target *targets, int *list)
{
	int rank = *list - 1;

	*list = 0;
	if (rank >= 0)
		waits[rank] = false;
	return rank;
}

bool co_mpi_waits(struct co_mpi_target *targets, int rank)
{
	return waits[rank];
}

void co_cluster_post(uint32_t from, uint32_t to, uint32_t tag, uint32_t context, const void *data,
		     size_t bytes)
{
	MUST(from < 2 && to < 4 && (tag == CO_MPI_TAG_ANSWER || tag == CO_MPI_TAG_GRANT));
	for (size_t i = 0; i < bytes; i++)
		(void)((const volatile unsigned char *)data)[i];
	if (tag == CO_MPI_TAG_ANSWER)
		last_error = ((const struct co_mpi_far_answer *)data)->error;
}

/* serve.c sets windows up by these; nothing here does. */
void co_cluster_serve(struct co_cluster_server *s)
{
}

void co_cluster_unserve(struct co_cluster_server *s)
{
}

#define TYPE(name) struct co_mpi_type co_mpi_##name
TYPE(short_int);
TYPE(two_int);
TYPE(long_int);
TYPE(float_int);
TYPE(double_int);
TYPE(long_double_int);
TYPE(packed);
TYPE(wchar);

/* ---- Requests ---- */

/* One request: two bytes for its ranks, then itself, at the end of a block of its own. */
static void ask(struct co_mpi_served *w, const uint8_t *data, size_t size)
{
	unsigned char before[2][BYTES];
	struct co_cluster_request q = { .source = data[0] % 5u, .dest = data[1] % 5u };
	uint64_t *words = malloc(size + 8);
	int *error = &w->targets[q.source % 4].far_error;

	q.bytes = size - 2;
	q.data = words;
	memcpy(words, data + 2, q.bytes);
	if (q.dest >= 2 && q.dest < 4)
		q.dest -= 2; /* the uplink's frames are for ranks here */
	for (int i = 0; i < 2; i++)
		memcpy(before[i], memory[i], BYTES);
	last_error = *error = MPI_SUCCESS;
	serve(&w->server, &q);
	MUST(!locked);
	for (unsigned i = 0; i < 2; i++) {
		bool same = !memcmp(before[i], memory[i], BYTES);

		MUST(same || (i == q.dest && !last_error && !*error));
	}
	free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct co_mpi_target targets[4];
	struct co_mpi_served *w = calloc(1, sizeof(*w) + 4 * sizeof(int));
	unsigned char *asked = calloc(2, 4);

	if (size < 1 || !w || !asked) {
		free(w);
		free(asked);
		return 0;
	}
	memset(targets, 0, sizeof(targets));
	memset(waits, 0, sizeof(waits));
	*w = (struct co_mpi_served){
		.targets = targets, .is_dynamic = data[0] & 1, .here = 2, .n = 4, .asked = asked
	};
	for (int i = 0; i < 4; i++)
		w->world[i] = i;
	for (int i = 0; i < 2; i++) {
		memory[i] = calloc(1, BYTES);
		targets[i].base = (char *)memory[i];
		targets[i].bytes = BYTES;
	}
	for (const uint8_t *at = data + 1, *end = data + size; end - at > 3;) {
		size_t n = *at++;

		n = n < 2 ? 2 : n;
		n = n < (size_t)(end - at) ? n : (size_t)(end - at);
		ask(w, at, n);
		at += n;
	}
	free(memory[0]);
	free(memory[1]);
	free(asked);
	free(w);
	return 0;
}
