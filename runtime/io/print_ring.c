/* print_ring.c - deferred output: the rings, and hart 0's side of them. */
#include "print_ring.h"
#include "../core/hart_var.h"

/* How often co_io_catch_up_last() looks for a link: 64 times, then once in 20 us. */
#define LAST_LOOKS 1000

/* A hart's unprinted output. */
#define PRINT_RING_BYTES 4096
struct ring {
	alignas(CO_LINE) struct co_aword printed; /* hart 0 writes */
	alignas(CO_LINE) unsigned char record[PRINT_RING_BYTES + CO_RECORD_BYTES];
};
CO_HART_BUFFER(struct ring, print_ring);

struct co_inbox co_io_records = { .last = { (uintptr_t)&co_io_records.stub } };
static struct co_outlet outlet = { &co_io_records.stub };
struct co_waitq co_io_work;
_Thread_local struct co_io_print_ring co_io_print_ring;

/* On hart 0: the record that it prints, and the client before that. */
static const struct co_io_record *printing;
static struct co_io_client client_before;

/*
 * Unprinted records lie between `printed` and next; or, after next has wrapped, from `printed` on,
 * and below next. The two are equal only if there are none: so next does not wrap before something
 * of the last round is printed. A record may extend past the end of the ring: there is room for it.
 */
struct co_io_record *co_io_record_look(void)
{
	struct co_io_print_ring *o = &co_io_print_ring;
	struct ring *a = co_hart_buffer(print_ring, co_executor.hart);
	unsigned char *end = a->record + PRINT_RING_BYTES;
	/* acquire: hart 0 has read what will be overwritten; pairs with end_record(). */
	uintptr_t printed = co_atomic_load(&a->printed, CO_ACQUIRE);

	if (!o->next)
		o->next = a->record;
	if (o->next >= end && printed && printed <= (uintptr_t)o->next)
		o->next = a->record;
	o->stop = printed > (uintptr_t)o->next ? (unsigned char *)(printed - CO_RECORD_BYTES) : end;
	return co_io_record_next();
}

int co_io_record_announce(int n)
{
	co_wake_one(&co_io_work);
	return n;
}

static void end_record(void)
{
	struct ring *a = co_hart_buffer(print_ring, co_io_record_hart(printing));
	uintptr_t end = printing->end;

	co_io_client_set(client_before);
	printing = NULL;
	/* release: the record is not read any more; pairs with co_io_record_look(). */
	co_atomic_store(&a->printed, end, CO_RELEASE);
}

static bool is_empty(void)
{
	/* relaxed: the caller has acquired all records that it knows of. */
	return outlet.oldest == &co_io_records.stub &&
	       co_atomic_load(&co_io_records.last, CO_RELAXED) == (uintptr_t)&co_io_records.stub;
}

/*
 * Print the records that are in the list now, and no later ones: harts may print without end.
 * Between a record's entry and its link its hart is one instruction away from being done.
 */
static void print_until(unsigned looks)
{
	/* relaxed: as in is_empty(). */
	struct co_msg *end = (struct co_msg *)co_atomic_load(&co_io_records.last, CO_RELAXED);
	struct co_msg *m = NULL;
	unsigned spins = 0;

	/* Printing waits for nobody: this record's printing has faulted. It counts as printed. */
	if (printing)
		end_record();
	/* The stub is never taken: when the outlet is at it, all before it is taken. */
	while (m != end && !(end == &co_io_records.stub && outlet.oldest == end)) {
		m = co_inbox_take(&co_io_records, &outlet);
		if (m) {
			printing = (const struct co_io_record *)m;
			client_before = co_io_client_set(co_io_client_of(printing->owner));
			m->run(m);
			end_record();
			continue;
		}
		if (looks && spins >= looks)
			return;
		co_spin(&spins);
	}
}

bool co_io_catch_up(void)
{
	int err = errno;

	if (is_empty() && !printing)
		return false;
	print_until(0);
	errno = err;
	return true;
}

void co_io_catch_up_last(void)
{
	print_until(LAST_LOOKS);
}

bool co_io_records_wait(void)
{
	return co_inbox_ready(&co_io_records, &outlet);
}
