/*
 * uplink.c - fuzzes cohart-rank's side of an uplink: a board writes any descriptors and any counter
 * of them, while other boards send, receive and end. The messages' carrier, MPI, is played here.
 */
#include <setjmp.h>

#include "../../qemu/cluster/board.c"
#include "fuzz.h"

#define RAM_BASE 0x80000000u
#define RAM_BYTES (1u << 20)
#define UPLINK_AT 4096u
#define PEERS 4

int rank_board = 1, rank_boards = PEERS;
static jmp_buf ended_by_abort;

void rank_abort(int code, const char *format, ...)
{
	MUST(code);
	longjmp(ended_by_abort, 1);
}

/* ---- MPI ---- */

struct co_mpi_request {
	bool used, matched;
	int peer, tag;
	const unsigned char *data;
	size_t bytes;
};
static struct co_mpi_request sends[HAL_UPLINK_MOST], receives[HAL_UPLINK_MOST];

/* Messages of other boards that nobody has received. */
static struct {
	int peer, tag, bytes;
} arrived[16];
static unsigned n_arrived;

static MPI_Request take(struct co_mpi_request *all)
{
	for (unsigned i = 0; i < HAL_UPLINK_MOST; i++) {
		if (!all[i].used) {
			all[i] = (struct co_mpi_request){ .used = true };
			return &all[i];
		}
	}
	fuzz_broken("there are at most HAL_UPLINK_MOST of them", __FILE__, __LINE__);
	return NULL;
}

static bool is_ram(const unsigned char *p, size_t bytes)
{
	return p >= memory && bytes <= RAM_BYTES && (size_t)(p - memory) <= RAM_BYTES - bytes;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *n)
{
	*n = status->MPI_ERROR;
	return 0;
}

int MPI_Issend(const void *buf, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
	       MPI_Request *request)
{
	MPI_Request r = take(sends);

	MUST(n >= 0 && is_ram(buf, (size_t)n));
	MUST(peer >= 0 && peer < PEERS && peer != rank_board && !ended[peer]);
	MUST(tag >= 0 && tag <= HAL_UPLINK_TAG_MOST);
	*r = (struct co_mpi_request){ true, false, peer, tag, buf, (size_t)n };
	*request = r;
	return 0;
}

int MPI_Improbe(int peer, int tag, MPI_Comm comm, int *came, MPI_Message *message,
		MPI_Status *status)
{
	MUST(peer == MPI_ANY_SOURCE || (peer >= 0 && peer < PEERS && peer != rank_board));
	*came = 0;
	for (unsigned i = 0; i < n_arrived && !*came; i++) {
		if (arrived[i].tag != tag || (peer >= 0 && arrived[i].peer != peer))
			continue;
		*came = 1;
		/* The stub's count is in the status. */
		*status = (MPI_Status){ .MPI_SOURCE = arrived[i].peer,
					.MPI_TAG = tag,
					.MPI_ERROR = arrived[i].bytes };
		n_arrived--;
		memmove(&arrived[i], &arrived[i + 1], (n_arrived - i) * sizeof(arrived[0]));
	}
	return 0;
}

int MPI_Imrecv(void *buf, int n, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
	unsigned char *to = buf;

	/* It is a receive's room, or memory of cohart-rank's. */
	if (!is_ram(to, (size_t)n)) {
		const struct transfer *t = &transfers[request - requests];

		MUST(buf == t->copy && (size_t)n == t->copy_bytes && t->d.bytes < (size_t)n);
	} else {
		MUST((size_t)n <= transfers[request - requests].d.bytes);
	}
	if (n) {
		to[0] = 1;
		to[n / 2] = 1;
		to[n - 1] = 1;
	}
	*request = take(receives);
	(*request)->matched = true;
	return 0;
}

int MPI_Testsome(int n, MPI_Request all[], int *n_done, int which[], MPI_Status status[])
{
	bool any = false;

	*n_done = 0;
	for (int i = 0; i < n; i++) {
		MPI_Request r = all[i];

		any |= r != NULL;
		if (!r || !r->matched)
			continue;
		r->used = false;
		all[i] = MPI_REQUEST_NULL;
		which[(*n_done)++] = i;
	}
	if (!any)
		*n_done = MPI_UNDEFINED;
	return 0;
}

/* ---- The board ---- */

static const struct image image = { .ram_base = RAM_BASE, .uplink = RAM_BASE + UPLINK_AT };

/* Begin anew, as a board whose carrier has answered. */
static void begin_board(void)
{
	memset(memory, 0, RAM_BYTES);
	memset(transfers, 0, sizeof(transfers));
	memset(ended, 0, PEERS * sizeof(*ended));
	memset(sends, 0, sizeof(sends));
	memset(receives, 0, sizeof(receives));
	for (int i = 0; i < HAL_UPLINK_MOST; i++)
		requests[i] = MPI_REQUEST_NULL;
	n_waiting = n_arrived = 0;
	taken = completed = 0;
	attached = false;
	co_atomic_store(&uplink->ready, UPLINK_RAM_READY, CO_RELAXED);
	board_progress(&image, true);
	MUST(attached && uplink->board == (uint32_t)rank_board && uplink->boards == PEERS);
}

/* As many transfers as descriptors without a completion, and nothing else is under way. */
static void check(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < HAL_UPLINK_MOST; i++)
		n += transfers[i].d.operation != 0;
	MUST(n == taken - completed && n_waiting <= n);
	/* relaxed: there is one thread. */
	MUST(co_atomic_load(&uplink->completed, CO_RELAXED) == completed);
}

static const uint8_t *submit(const uint8_t *data, size_t size)
{
	uint32_t n = co_atomic_load(&uplink->submitted, CO_RELAXED);
	struct hal_uplink_descriptor *d = &uplink->descriptor[n % HAL_UPLINK_MOST];

	memcpy(d, data, size < sizeof(*d) ? size : sizeof(*d));
	if (n - completed < HAL_UPLINK_MOST)
		co_atomic_store(&uplink->submitted, n + 1, CO_RELAXED);
	return data + (size < sizeof(*d) ? size : sizeof(*d));
}

/* One step: its first byte says which. Returns where the next one begins. */
static const uint8_t *step(const uint8_t *data, const uint8_t *end)
{
	uint8_t what = *data++, peer = what >> 4 & 3;
	uint32_t word = 0;

	memcpy(&word, data, (size_t)(end - data) < 4 ? (size_t)(end - data) : 4);
	switch (what & 7) {
	case 0: /* any number */
		co_atomic_store(&uplink->submitted, word, CO_RELAXED);
		return end - data > 4 ? data + 4 : end;
	case 1: /* a message of another board has come */
		if (n_arrived < 16 && peer != rank_board) {
			arrived[n_arrived].peer = peer;
			arrived[n_arrived].tag = (int)(word & 7);
			arrived[n_arrived++].bytes = (int)(word >> 4 & 0xffffff);
		}
		return end - data > 4 ? data + 4 : end;
	case 2: /* another board has received all that it was sent */
		for (unsigned i = 0; i < HAL_UPLINK_MOST; i++)
			sends[i].matched |= sends[i].used && sends[i].peer == peer;
		return data;
	case 3: /* it has ended */
		if (peer != rank_board)
			board_peer_ended(peer);
		for (unsigned i = 0; i < HAL_UPLINK_MOST; i++)
			sends[i].used &= sends[i].peer != peer;
		return data;
	case 4:
		board_progress(&image, true);
		check();
		return data;
	default:
		return submit(data, (size_t)(end - data));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *volatile at = data, *end = data + size;

	if (!memory) {
		MUST(board_memory() >= 0 && !ftruncate(memory_fd, RAM_BYTES));
		board_progress(&image, true);
		MUST(memory && !attached);
	}
	begin_board();
	if (setjmp(ended_by_abort)) {
		for (unsigned i = 0; i < HAL_UPLINK_MOST; i++) {
			if (transfers[i].copy)
				munmap(transfers[i].copy, transfers[i].copy_bytes);
		}
		return 0;
	}
	while (at < end)
		at = step(at, end);
	/* What waits for a board by name ends with all boards. */
	board_progress(&image, true);
	for (int i = 0; i < PEERS; i++) {
		if (i != rank_board)
			board_peer_ended(i);
	}
	memset(sends, 0, sizeof(sends));
	n_arrived = 0;
	board_progress(&image, true);
	check();
	for (unsigned i = 0; i < HAL_UPLINK_MOST; i++) {
		MUST(!transfers[i].d.operation || (transfers[i].d.operation == HAL_UPLINK_RECEIVE &&
						   transfers[i].d.peer == HAL_UPLINK_ANY));
	}
	return 0;
}
