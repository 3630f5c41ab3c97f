/*
 * process.c - ranks: which harts have one, and the memory that each has for itself.
 *
 * The linker puts each copy's first content between __private_start and __private_end; nobody uses
 * it in place. Copies lie behind the image, where every hart may use them; each rank's hart has its
 * own copy mapped at the addresses of the first content, and so have the harts of its group with
 * --ranks=groups. Hart 0 has none mapped (unless it is alone
 * and a rank, too), so that an address which nobody has translated is a fault there.
 */
#include <hal/board.h>
#include <hal/probe.h>

#include "process.h"

struct co_rank *co_ranks;
static uintptr_t private_copies;

static void take_copies(void)
{
	uintptr_t ram_end = hal_board.ram.base + hal_board.ram.bytes;
	uintptr_t copies = co_round_up(hal_board.free, HAL_PAGE_BYTES);
	unsigned n = co_machine.ranks;
	uint64_t bytes = (uint64_t)n * CO_PRIVATE_DATA_BYTES;

	if (copies > ram_end || bytes > ram_end - copies)
		co_die("%u ranks with %lu KiB of static data each do not fit: %lu MiB of RAM are "
		       "needed, %lu are there",
		       n, (unsigned long)(CO_PRIVATE_DATA_BYTES >> 10),
		       (unsigned long)((copies - hal_board.ram.base + bytes) >> 20) + 1,
		       (unsigned long)(hal_board.ram.bytes >> 20));
	hal_board.free = copies + (uintptr_t)bytes;
	private_copies = copies;
}

static void number_ranks(void)
{
	uint16_t *rank_of = hal_probe_take(co_machine.harts * sizeof(*rank_of));
	unsigned *harts = hal_probe_take(co_machine.harts * sizeof(*harts));
	unsigned n = 0;
	int group = -1; /* of the last rank */

	co_ranks = hal_probe_take((co_options.ranks ?: co_machine.harts) * sizeof(*co_ranks));
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		if (!(co_hart_role(hart) & CO_ROLE_COMPUTE) || n == (co_options.ranks ?: n + 1))
			continue;
		if (!co_options.rank_groups || (int)co_hart_group(hart) != group)
			harts[n++] = hart;
		group = (int)co_hart_group(hart);
		rank_of[hart] = (uint16_t)n;
	}
	if (n < co_options.ranks)
		co_die("--ranks=%u: there are %u compute harts, and each has one rank at most",
		       co_options.ranks, n);
	co_machine.ranks = n;
	co_machine.rank_hart = harts;
	co_machine.rank_of = rank_of;
}

/* A program may write to its arguments. */
static void copy_arguments(int argc, char **argv)
{
	size_t bytes = 0;

	for (int i = 0; i < argc; i++)
		bytes += strlen(argv[i]) + 1;
	for (unsigned n = 0; n < co_machine.ranks; n++) {
		char **copy = hal_probe_take(((size_t)argc + 1) * sizeof(*copy) + bytes);
		char *text = (char *)&copy[argc + 1];

		for (int i = 0; i < argc; i++) {
			copy[i] = memcpy(text, argv[i], strlen(argv[i]) + 1);
			text += strlen(text) + 1;
		}
		copy[argc] = NULL;
		co_ranks[n].argv = copy;
	}
}

void co_process_make(int argc, char **argv)
{
	if (!co_has_ranks())
		return;
	number_ranks();
	copy_arguments(argc, argv);
	if (!co_machine.rank_data)
		take_copies();
}

size_t co_process_map_pages(void)
{
	unsigned harts = co_options.rank_groups ? co_machine.harts : co_machine.ranks;

	return harts * HAL_MAP_OWN_PAGES(CO_PRIVATE_DATA_BYTES);
}

/* In the window of the rank's hart, if boot has set a part of it apart. */
static uintptr_t private_copy(unsigned rank)
{
	if (co_machine.rank_data)
		return (uintptr_t)co_hart_at(co_machine.rank_hart[rank]) + CO_SPM_HEAP_END;
	return private_copies + rank * CO_PRIVATE_DATA_BYTES;
}

int co_process_map(uintptr_t view, uintptr_t shared, unsigned hart)
{
	unsigned rank = co_rank_of(hart);
	size_t begun = (size_t)(__private_bss_start - __private_start);
	char *copy;

	if (rank == CO_NO_RANK || !CO_PRIVATE_DATA_BYTES)
		return 0;
	copy = (char *)private_copy(rank);
	if (hart == co_machine.rank_hart[rank]) {
		memcpy(copy, __private_start, begun);
		memset(copy + begun, 0, CO_PRIVATE_DATA_BYTES - begun);
	}
	return hal_map_own(view, shared, (uintptr_t)__private_start, CO_PRIVATE_DATA_BYTES,
			   (uintptr_t)copy);
}

void co_process_mark(unsigned hart)
{
	unsigned rank = co_rank_of(hart);

	if (rank != CO_NO_RANK)
		co_mark_pages((uintptr_t)__private_start, private_copy(rank),
			      CO_PRIVATE_DATA_BYTES);
}

unsigned co_process_rank(void)
{
	return co_rank_of(co_executor.hart);
}

unsigned co_process_ranks(void)
{
	return co_machine.ranks;
}

unsigned co_process_hart(unsigned rank)
{
	CO_ASSERT_THAT(rank < co_machine.ranks,
		       "there is a rank of that number (co_processes() of them)");
	return co_machine.rank_hart[rank];
}

struct co_scope co_process_scope(void)
{
	return (struct co_scope){ co_machine.rank_hart, co_machine.ranks };
}

struct co_scope co_process_harts(void)
{
	unsigned rank = co_process_rank();

	if (rank == CO_NO_RANK)
		return (struct co_scope){ NULL, 0 };
	if (co_options.rank_groups)
		return co_scope_of(CO_GROUP, co_hart_group(co_machine.rank_hart[rank]),
				   CO_ROLE_COMPUTE);
	return (struct co_scope){ &co_machine.rank_hart[rank], 1 };
}

bool co_process_private(const void *p, size_t bytes)
{
	uintptr_t from = (uintptr_t)p - (uintptr_t)__private_start;

	return from < CO_PRIVATE_DATA_BYTES || (from && -from < bytes && CO_PRIVATE_DATA_BYTES);
}

void *co_process_at(const void *p, unsigned rank)
{
	if (!co_is_private(p))
		return (void *)(uintptr_t)p;
	CO_ASSERT_THAT(rank < co_machine.ranks,
		       "there is a rank of that number (co_processes() of them)");
	return (void *)(private_copy(rank) + ((uintptr_t)p - (uintptr_t)__private_start));
}

void *co_process_public(const void *p)
{
	return co_process_at(p, co_process_rank());
}

void co_process_need(bool needed)
{
	unsigned rank = co_process_rank();

	CO_ASSERT_THAT(rank != CO_NO_RANK, "co_process_need() is called by a rank");
	co_ranks[rank].needed = needed;
}
