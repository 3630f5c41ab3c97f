/*
 * board.c - a board's memory, mapped here, and the uplink in it: descriptors become calls of MPI on
 * that memory, and their ends completions.
 *
 * Nothing that the board writes is trusted: a descriptor is copied, then checked, and only the copy
 * is used; all addresses lie within the board's own memory. How many descriptors are under way is
 * counted here.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rank.h"

static int memory_fd = -1;
static unsigned char *memory;
static uint64_t memory_bytes;
static struct uplink_ram *uplink;
static bool attached;

static uint32_t taken, completed; /* descriptors; completions */

/*
 * Descriptors under way. A receive is no call of MPI until its message has come, and its length is
 * known: Open MPI (4.1.4) writes all of a long message, however small the receive's room is.
 */
static struct transfer {
	struct hal_uplink_descriptor d; /* `operation` 0: none */
	MPI_Status came;                /* of a receive's message */
	void *copy;                     /* of a message that is longer than the room; or NULL */
	size_t copy_bytes;
} transfers[HAL_UPLINK_MOST];
static MPI_Request requests[HAL_UPLINK_MOST];
static unsigned waiting[HAL_UPLINK_MOST], n_waiting; /* receives without a message, in order */
static bool *ended;                                  /* of each board */

int board_memory(void)
{
	memory_fd = memfd_create("ram", 0); /* the emulator's, too */
	for (int i = 0; i < HAL_UPLINK_MOST; i++)
		requests[i] = MPI_REQUEST_NULL;
	ended = calloc((size_t)rank_boards, sizeof(*ended));
	return ended ? memory_fd : -1;
}

/* Map the memory when the emulator has given it its size. */
static void map_memory(const struct image *image)
{
	uint64_t at = image->uplink - image->ram_base;
	struct stat status;

	if (fstat(memory_fd, &status) || !status.st_size)
		return;
	memory_bytes = (uint64_t)status.st_size;
	if (image->uplink < image->ram_base || at > memory_bytes ||
	    sizeof(*uplink) > memory_bytes - at || at % alignof(struct uplink_ram))
		rank_abort(1, "its memory has no place for its uplink");
	memory = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);
	if (memory == MAP_FAILED)
		rank_abort(1, "its memory cannot be mapped: %s", strerror(errno));
	uplink = (struct uplink_ram *)(memory + at);
}

/* Answer a board that is ready. */
static void attach_board(void)
{
	/* acquire: the board has cleared its counters; pairs with hal_uplink_open(). */
	if (co_atomic_load(&uplink->ready, CO_ACQUIRE) != UPLINK_RAM_READY)
		return;
	uplink->board = (uint32_t)rank_board;
	uplink->boards = (uint32_t)rank_boards;
	/* release: both numbers; pairs with hal_uplink_open(). */
	co_atomic_store(&uplink->attached, 1, CO_RELEASE);
	attached = true;
}

static int bytes_of(const MPI_Status *status)
{
	int bytes = 0;

	MPI_Get_count(status, MPI_BYTE, &bytes);
	return bytes;
}

/* @param status  of what a receive has got, or NULL */
static void complete(const struct hal_uplink_descriptor *d, enum hal_uplink_error error,
		     const MPI_Status *status)
{
	struct hal_uplink_completion c = { .request = d->request, .error = error };

	if (status) {
		c.peer = (uint32_t)status->MPI_SOURCE;
		c.tag = (uint32_t)status->MPI_TAG;
		c.bytes = (uint64_t)bytes_of(status);
	}
	uplink->completion[completed++ % HAL_UPLINK_MOST] = c;
	/* release: the completion and the data; pairs with hal_uplink_completed(). */
	co_atomic_store(&uplink->completed, completed, CO_RELEASE);
}

/* Is this what hal/uplink.h allows? Where its memory is, if so; else NULL. */
static unsigned char *checked(const struct hal_uplink_descriptor *d, const struct image *image)
{
	uint64_t at = d->address - image->ram_base;
	bool receives = d->operation == HAL_UPLINK_RECEIVE;

	if (!receives && d->operation != HAL_UPLINK_SEND)
		return NULL;
	if (d->peer == (uint32_t)rank_board ||
	    (d->peer >= (uint32_t)rank_boards && !(receives && d->peer == HAL_UPLINK_ANY)))
		return NULL;
	if (d->tag > HAL_UPLINK_TAG_MOST || d->bytes > HAL_UPLINK_BYTES_MOST)
		return NULL;
	if (d->address < image->ram_base || at > memory_bytes || d->bytes > memory_bytes - at)
		return NULL;
	return memory + at;
}

static void begin(const struct hal_uplink_descriptor *d, const struct image *image)
{
	unsigned char *data = checked(d, image);
	bool sends = d->operation == HAL_UPLINK_SEND;
	unsigned i = 0;

	if (!data || (sends && ended[d->peer])) {
		complete(d, data ? HAL_UPLINK_ENDED : HAL_UPLINK_REFUSED, NULL);
		return;
	}
	while (transfers[i].d.operation)
		i++;
	if (!sends)
		waiting[n_waiting++] = i;
	else if (MPI_Issend(data, (int)d->bytes, MPI_BYTE, (int)d->peer, (int)d->tag,
			    MPI_COMM_WORLD, &requests[i])) {
		complete(d, HAL_UPLINK_FAILED, NULL);
		return;
	}
	transfers[i] = (struct transfer){ .d = *d };
}

static bool take_descriptors(const struct image *image)
{
	/* acquire: descriptors and data; pairs with hal_uplink_submit(). */
	uint32_t submitted = co_atomic_load(&uplink->submitted, CO_ACQUIRE);
	bool any = submitted != taken;

	/* The counter may go back, too. */
	if (submitted - taken > HAL_UPLINK_MOST || submitted - completed > HAL_UPLINK_MOST)
		rank_abort(1, "its uplink is garbled: %u descriptors at once",
			   (unsigned)(submitted - completed));
	while (taken != submitted) {
		struct hal_uplink_descriptor d;

		memcpy(&d, &uplink->descriptor[taken++ % HAL_UPLINK_MOST], sizeof(d));
		__asm__ volatile("" : "+m"(d)); /* the board may write: it is read once */
		begin(&d, image);
	}
	return any;
}

/* Does an earlier receive wait for the same messages? */
static bool waits_behind(unsigned nth, const struct hal_uplink_descriptor *d)
{
	for (unsigned i = 0; i < nth; i++) {
		const struct hal_uplink_descriptor *before = &transfers[waiting[i]].d;

		if (before->peer == d->peer && before->tag == d->tag)
			return true;
	}
	return false;
}

/* Memory of the PC for what comes beyond a receive's room: a piece, mapped again and again. */
#define SURPLUS_BYTES ((size_t)4 << 20)

/* Memory for a message, of which only the first `room` bytes are kept. NULL: there is none. */
static void *surplus_map(size_t bytes, size_t room)
{
	static int fd = -1;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), at = (room + page - 1) / page * page;
	char *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (fd < 0)
		fd = memfd_create("surplus", MFD_CLOEXEC);
	if (all == MAP_FAILED || fd < 0 || ftruncate(fd, (off_t)SURPLUS_BYTES))
		return NULL;
	for (; at < bytes; at += SURPLUS_BYTES) {
		size_t n = bytes - at < SURPLUS_BYTES ? bytes - at : SURPLUS_BYTES;

		if (mmap(all + at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
			return NULL;
	}
	return all;
}

/* A receive's message has come: fetch it. */
static void fetch(unsigned i, MPI_Message *message, const struct image *image)
{
	struct transfer *t = &transfers[i];
	int bytes = bytes_of(&t->came);
	void *to = memory + (t->d.address - image->ram_base);

	if ((uint64_t)bytes > t->d.bytes) {
		t->copy_bytes = (size_t)bytes;
		to = t->copy = surplus_map(t->copy_bytes, t->d.bytes);
		if (!to)
			rank_abort(1, "no memory for a message of %d bytes", bytes);
	}
	if (MPI_Imrecv(to, bytes, MPI_BYTE, message, &requests[i]))
		rank_abort(1, "MPI has lost a message");
}

/* Look for messages for the receives that have none. */
static bool match(const struct image *image)
{
	unsigned left = 0, n = n_waiting;
	bool any = false;

	for (unsigned k = 0; k < n; k++) {
		unsigned i = waiting[k];
		struct transfer *t = &transfers[i];
		int peer = t->d.peer == HAL_UPLINK_ANY ? MPI_ANY_SOURCE : (int)t->d.peer, came = 0;
		MPI_Message message;

		if (!waits_behind(left, &t->d))
			MPI_Improbe(peer, (int)t->d.tag, MPI_COMM_WORLD, &came, &message, &t->came);
		if (came) {
			fetch(i, &message, image);
		} else if (peer >= 0 && ended[peer]) {
			complete(&t->d, HAL_UPLINK_ENDED, NULL);
			t->d.operation = 0;
		} else {
			waiting[left++] = i;
			continue;
		}
		any = true;
	}
	n_waiting = left;
	return any;
}

static void end_transfer(struct transfer *t, int code, const struct image *image)
{
	bool receives = t->d.operation == HAL_UPLINK_RECEIVE;
	enum hal_uplink_error error = code ? HAL_UPLINK_FAILED : HAL_UPLINK_DONE;

	if (t->copy) {
		memcpy(memory + (t->d.address - image->ram_base), t->copy, t->d.bytes);
		munmap(t->copy, t->copy_bytes);
		error = HAL_UPLINK_CUT_OFF;
	}
	complete(&t->d, error, receives ? &t->came : NULL);
	t->d.operation = 0;
}

static bool end_requests(const struct image *image)
{
	int n = 0, which[HAL_UPLINK_MOST];
	MPI_Status status[HAL_UPLINK_MOST] = { 0 }; /* errors are set only where there is one */

	MPI_Testsome(HAL_UPLINK_MOST, requests, &n, which, status);
	if (n == MPI_UNDEFINED)
		return false;
	for (int i = 0; i < n; i++)
		end_transfer(&transfers[which[i]], status[i].MPI_ERROR, image);
	return n > 0;
}

bool board_progress(const struct image *image, bool runs)
{
	bool any;

	if (!uplink && runs)
		map_memory(image);
	if (uplink && !attached)
		attach_board();
	if (!attached)
		return false;
	any = take_descriptors(image);
	any |= match(image);
	return end_requests(image) || any;
}

bool board_is_done(void)
{
	/* acquire: as in take_descriptors(). */
	return !attached || co_atomic_load(&uplink->submitted, CO_ACQUIRE) == taken;
}

/*
 * What the board sent is there to be matched by now. Sends that it will not receive end; their
 * requests are not looked at again.
 */
void board_peer_ended(int board)
{
	ended[board] = true;
	for (int i = 0; i < HAL_UPLINK_MOST; i++) {
		struct hal_uplink_descriptor *d = &transfers[i].d;

		if (d->operation != HAL_UPLINK_SEND || d->peer != (uint32_t)board)
			continue;
		requests[i] = MPI_REQUEST_NULL;
		complete(d, HAL_UPLINK_ENDED, NULL);
		d->operation = 0;
	}
}
