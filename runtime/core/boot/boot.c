/*
 * boot.c - from the first C function to main(): harts, their roles, the layout of memory.
 *
 * Hart 0 reads the machine and the command line, carves RAM after the image into page tables,
 * scratchpad windows, stacks and heap, and builds the map that all harts share. Then every hart,
 * hart 0 included, runs co_boot_hart(): it adds its private part to a view of that map, initializes
 * its window and runs its executor.
 */
#include <errno.h>
#include <string.h>

#include <hal/cache.h>
#include <hal/device.h>
#include <hal/guard.h>
#include <hal/host.h>
#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/mark.h>
#include <hal/monitors.h>
#include <hal/probe.h>
#include <hal/time.h>

#include "../hook.h"
#include "../lost.h"
#include "../memory/block.h"
#include "../memory/image.h"
#include "../memory/slab.h"
#include "../timeline.h"
#include "boot.h"
#include "process.h"

#define START_US 5000000 /* longest time until the next hart is up */

extern void (*const __init_array_start[])(void), (*const __init_array_end[])(void);

int main(int argc, char **argv);

/* Results of steps for later ones. Hart 0's. */
static uintptr_t board_hwid, board_dtb;
static uintptr_t pool, pool_bytes; /* page tables */
static uintptr_t shared_map;
static int main_argc;
static char **main_argv;

/* A hart in its steps. */
struct arrival {
	unsigned hart;
	struct co_hart *h;
	uintptr_t map;
};

const char *co_board(void)
{
	return hal_board.name;
}

static void probe_board(void)
{
	hal_board_probe(board_hwid, board_dtb);
}

static void read_options(void)
{
	co_options_read(&main_argc, &main_argv);
	co_machine.per_hart = co_options.per_hart;
}

static void read_clock(void)
{
	co_machine.hz = hal_time_hz();
	if (!co_machine.hz)
		co_die("the clock has a frequency of 0: the loader is to set it (docs/porting.md)");
}

static void choose_topology(void)
{
	unsigned there = hal_board.harts;
	const char *text = co_options.topology;
	const char *wrong;

	co_machine.room = there;
	co_machine.group_of = hal_probe_take(there * sizeof(*co_machine.group_of));
	co_machine.group = hal_probe_take(there * sizeof(*co_machine.group));
	co_machine.scope_harts = hal_probe_take(CO_ROLES * there * sizeof(unsigned));
	if (!text) {
		co_topology_default(there, &co_machine);
		return;
	}
	wrong = co_topology_parse(text, &co_machine);
	if (wrong)
		co_die("topology '%s': %s (write 4x(1+64), 1+4x(1+4), or a preset: `make list`)",
		       text, wrong);
	if (co_machine.harts <= there)
		return;
	if (!co_options.allow_missing)
		co_die("topology '%s' needs %u harts, this machine has %u (give it more, or "
		       "--allow-missing)",
		       text, co_machine.harts, there);
	co_report("cohart: topology '%s' needs %u harts, this machine has %u: it shrinks to them",
		  text, co_machine.harts, there);
	wrong = co_topology_shrink(there, &co_machine);
	if (wrong)
		co_die("topology '%s', shrunk to %u harts: %s", text, there, wrong);
}

static void divide_windows(void)
{
	co_spm_divide(co_options.spm);
}

static void make_ranks(void)
{
	if (co_process_make)
		co_process_make(main_argc, main_argv);
}

/* After the image: page tables, windows (without a memory of their own), areas, stacks, heap. */
static void carve(void)
{
	uintptr_t ram_end = hal_board.ram.base + hal_board.ram.bytes;
	uintptr_t windows = (uintptr_t)co_machine.harts * BOARD_SPM_BYTES;
	uintptr_t main_parts = (uintptr_t)co_machine.harts * CO_MAIN_PART_BYTES;
	uintptr_t after;
	uintptr_t pages;
	uintptr_t rings;
	size_t bits;
	uintptr_t stacks = co_stack_bytes_of_all(ram_end - (uintptr_t)__image_end, &bits);
	size_t table_bytes = co_slab_tables_bytes();
	uintptr_t tables = co_machine.harts * table_bytes;
	uintptr_t more = co_round_up(tables + bits, HAL_PAGE_BYTES);

	pages = HAL_MAP_PAGES(windows + main_parts + more + stacks) + co_image_map_pages() +
		co_machine.harts * HAL_MAP_VIEW_PAGES + co_local_map_pages() +
		(co_process_map_pages ? co_process_map_pages() : 0) +
		(hal_device_map ? HAL_DEVICE_MAP_PAGES : 0);
	pool = co_round_up(hal_board.free, HAL_PAGE_BYTES);
	pool_bytes = pages * HAL_PAGE_BYTES;
	after = pool + pool_bytes;
	co_machine.spm = BOARD_SPM_BASE ? BOARD_SPM_BASE : co_round_up(after, BOARD_SPM_BYTES);
	co_machine.spm_end = co_machine.spm + (uintptr_t)co_machine.harts * BOARD_SPM_BYTES;
	co_machine.main_parts = BOARD_SPM_BASE ? after : co_machine.spm + windows;
	co_machine.tables = co_machine.main_parts + main_parts;
	co_machine.table_bytes = table_bytes;
	co_machine.stacks_base = co_machine.tables + more;
	co_machine.stacks_end = co_machine.stacks_base + stacks;
	rings = co_round_up(co_machine.stacks_end, HAL_PAGE_BYTES);
	co_machine.heap_base = rings + co_timeline_bytes();
	co_machine.heap_end = ram_end & ~(uintptr_t)(HAL_PAGE_BYTES - 1);
	if (co_machine.heap_base >= co_machine.heap_end ||
	    (uint64_t)co_machine.harts * co_machine.per_hart * sizeof(uintptr_t) >
		    hal_board.ram.bytes)
		co_die("%u harts with %u KiB of SPM and tables for %u coroutines each do not fit: %lu MiB of RAM are needed, %lu are there",
		       co_machine.harts, BOARD_SPM_BYTES >> 10, co_machine.per_hart,
		       (unsigned long)((co_machine.heap_base - hal_board.ram.base) >> 20) + 1,
		       (unsigned long)(hal_board.ram.bytes >> 20));
	co_stack_carve(co_machine.stacks_base, (void *)(co_machine.tables + tables));
	co_timeline_carve(rings);
	co_main_carve(co_machine.heap_base, co_machine.heap_end);
}

static void mark_windows(void)
{
	hal_mark_at(HAL_MARK_WINDOWS, co_machine.spm);
	hal_mark_at(HAL_MARK_WINDOWS_END, co_machine.spm + co_machine.harts * BOARD_SPM_BYTES);
}

static void check_thread_locals(void)
{
	if ((uintptr_t)__tls_bytes + CO_TLS_ALIGN > CO_TLS_BYTES)
		co_die("the program's _Thread_local variables take %lu bytes, a hart has %u for them",
		       (unsigned long)(uintptr_t)__tls_bytes, CO_TLS_BYTES - CO_TLS_ALIGN);
}

/* Map a hart's executor and trap stack; shared by all harts if they are in main memory. */
static void map_stacks(uintptr_t map, unsigned hart)
{
	uintptr_t stacks = co_hart_stacks(hart);

	co_map_add(map, stacks + CO_EXECUTOR_STACK, CO_EXECUTOR_STACK_BYTES, HAL_MAP_RW);
	co_map_add(map, stacks + CO_TRAP_STACK, CO_TRAP_STACK_BYTES, HAL_MAP_RW);
}

/*
 * Map all memory that every hart may access, page tables included, since hal_map_rights() reads
 * them.
 */
static void map_shared(void)
{
	uintptr_t rings = co_machine.heap_base - co_timeline_bytes();

	hal_map_init(pool, pool_bytes);
	shared_map = hal_map_new(NULL);
	co_image_map(shared_map);
	co_map_add(shared_map, (uintptr_t)__image_end, pool - (uintptr_t)__image_end, HAL_MAP_RW);
	co_map_add(shared_map, pool, pool_bytes, HAL_MAP_R);
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		co_map_add(shared_map, (uintptr_t)co_hart_at(hart), CO_SPM_SHARED_BYTES,
			   HAL_MAP_RW);
		if (CO_SPM_ROOMY)
			continue;
		co_map_add(shared_map, co_main_part(hart), CO_MAIN_PART_STACKS, HAL_MAP_RW);
		map_stacks(shared_map, hart);
	}
	co_map_add(shared_map, co_machine.tables, co_machine.stacks_base - co_machine.tables,
		   HAL_MAP_RW);
	co_stack_map(shared_map);
	co_map_add(shared_map, rings, co_machine.heap_end - rings, HAL_MAP_RW);
	for (const struct hal_region *d = hal_board.devices; d->bytes; d++)
		co_map_add(shared_map, d->base, d->bytes, HAL_MAP_DEVICE);
	if (hal_device_map)
		hal_device_map(shared_map);
}

/* A hart that starts. HAS_COME and LEFT_OUT exclude each other: the first swap wins. */
enum arrival_state { COMES, HAS_COME, LEFT_OUT };

/* Write a hart's start record into its window. */
static void make_record(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);
	uintptr_t stacks = co_hart_stacks(hart);

	/* A hart on a coarse map, to which the window may be a device, reads only these fields. */
	co_atomic_store(&h->online, 0, CO_RELAXED);
	co_atomic_store(&h->arrival, COMES, CO_RELAXED);
	h->boot = (struct hal_boot){
		.sp = stacks + CO_EXECUTOR_STACK + CO_EXECUTOR_STACK_BYTES,
		.trap_sp = stacks + CO_TRAP_STACK + CO_TRAP_STACK_BYTES,
		.tp = (uintptr_t)h + CO_SPM_TLS,
		.hart = hart,
	};
}

static void make_records(void)
{
	for (unsigned hart = 0; hart < co_machine.harts; hart++)
		make_record(hart);
}

/* Build and activate this hart's view of memory: the shared map and its private part. */
static void map_private(struct arrival *a)
{
	unsigned hart = a->hart;
	uintptr_t window = (uintptr_t)a->h;
	uintptr_t map = hal_map_view(shared_map, window, BOARD_SPM_BYTES);
	int r;

	if (CO_SPM_SHARED_BYTES == co_machine.spm_public)
		co_map_add(map, window + CO_SPM_TLS, CO_TLS_BYTES, HAL_MAP_RW);
	if (CO_SPM_ROOMY)
		map_stacks(map, hart);
	co_map_stacks(map, window + CO_SPM_STACK0, CO_STACK_SPM_BYTES, CO_SPM_STACK_STRIDE,
		      (unsigned)CO_SPM_STACKS);
	r = co_local_map(map, shared_map, hart);
	if (!r && co_process_map)
		r = co_process_map(map, shared_map, hart);
	if (r)
		co_die("hart %u: its memory map could not be built: error %d", hart, -r);
	hal_map_activate(map);
	a->map = map;
}

/* Not before the map, since to a coarse one a window may be a device. */
static void arrive(struct arrival *a)
{
	/* acq_rel: the second swap sees the first; pairs with leave_out(). */
	if (co_atomic_swap(&a->h->arrival, HAS_COME, CO_ACQ_REL) == LEFT_OUT)
		hal_cpu_halt();
}

static void mark_hart(struct arrival *a)
{
	hal_mark_at(HAL_MARK_HART, a->h);
	hal_mark_at(HAL_MARK_LEADER, co_hart_at(co_group(co_hart_group(a->hart))->manager));
	if (co_process_mark)
		co_process_mark(a->hart);
}

static void init_thread_locals(struct arrival *a)
{
	co_tls_init((char *)a->h + CO_SPM_TLS);
}

static void init_interrupts(struct arrival *a)
{
	if (BOARD_MONITORS)
		hal_monitors_init_hart(a->hart);
	hal_irq_init_hart(a->hart);
}

#if HAL_IMAGE
/* Heads of the variables' sections: machine.h. */
static char window_head[CO_SPM_VARS] __attribute__((section(".bss.hart_vars_head"), used));
#if !CO_SPM_ROOMY
static char part_head[sizeof(struct co_area)]
	__attribute__((section(".bss.hart_buffers_head"), used));
#endif
#endif

static void init_window(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);
	struct co_area *area = co_area_of(h, hart);
	size_t behind = offsetof(struct co_hart, heap);

	/*
	 * All fields that hart 0 has not written; `online` is 0 already, so hart 0 sees no change.
	 */
	memset(h, 0, offsetof(struct co_hart, boot));
	memset((char *)h + behind, 0, sizeof(*h) - behind);
	h->doorbell = hal_ipi_doorbell(hart);
	memset(area->node, 0, sizeof(area->node));
	co_timeline_init(hart);
	co_atomic_store(&area->depths.under_way, 0, CO_RELAXED);
	memset(area->seen, 0, sizeof(area->seen));
	memset((char *)h + CO_SPM_VARS, 0, CO_HART_VARS_BYTES);
	if (!CO_SPM_ROOMY)
		memset((char *)area + sizeof(*area), 0, CO_HART_BUFFERS_END - sizeof(*area));
	co_inbox_init(&h->inbox);
	co_blocks_init(h, hart);
}

static void init_own_window(struct arrival *a)
{
	init_window(a->hart);
}

static void init_executor(struct arrival *a)
{
	co_executor_init(a->hart);
	co_executor.map = a->map;
	co_timeline_start(&co_executor);
}

static void init_heap(struct arrival *a)
{
	co_spm_init(a->hart);
}

static void call_hart_boot(struct arrival *a)
{
	co_hooks_call(hart_boot, a->hart);
}

static void go_online(struct arrival *a)
{
	/* release: pairs with await_hart(). */
	co_atomic_store(&a->h->online, 1, CO_RELEASE);
}

/*
 * Go on without a compute hart, if the command line allows it: it counts as lost, and stops if it
 * comes up later.
 */
static void leave_out(unsigned hart, const char *why)
{
	unsigned long hwid = (unsigned long)hal_board.hwid[hart];

	if (!co_options.allow_missing)
		co_die("hart %u (hwid 0x%lx) %s (--allow-missing: go on without it)", hart, hwid,
		       why);
	if (co_hart_role(hart) != CO_ROLE_COMPUTE)
		co_die("hart %u (hwid 0x%lx) %s, and without a %s hart its group cannot work", hart,
		       hwid, why, co_role_name(co_hart_role(hart)));
	/* acq_rel: as in co_boot_hart(). */
	if (co_atomic_swap(&co_hart_at(hart)->arrival, LEFT_OUT, CO_ACQ_REL) == HAS_COME)
		co_die("hart %u (hwid 0x%lx) has come, but no further", hart, hwid);
	init_window(hart);
	/* co_boot_hart() stops it before it touches shared memory. relaxed, both: no other hart
	 * reads them yet. */
	co_atomic_store(&co_hart_at(hart)->stopped, 1, CO_RELAXED);
	co_atomic_store(&co_hart_at(hart)->notified, 1, CO_RELAXED);
	(void)co_hart_mark_lost(hart);
	co_blocks_close(hart);
	co_report("cohart: hart %u (hwid 0x%lx) %s: it is left out", hart, hwid, why);
}

static void await_hart(unsigned hart)
{
	struct co_patience patience = co_patience_begin(START_US);
	unsigned spins = 0;

	/* acquire: its window is initialized; pairs with co_boot_hart()'s release. */
	while (!co_atomic_load(&co_hart_at(hart)->online, CO_ACQUIRE)) {
		if (!co_patience_lasts(&patience)) {
			leave_out(hart, "was started but has not come up");
			return;
		}
		co_spin(&spins);
	}
}

/* If the last harts are lost, shrink the topology instead. */
static void drop_the_last(void)
{
	unsigned harts = co_machine.harts;
	const char *wrong;

	while (harts > 1 && co_hart_lost(harts - 1))
		harts--;
	if (harts == co_machine.harts)
		return;
	wrong = co_topology_shrink(harts, &co_machine);
	if (wrong)
		co_die("topology '%s': %s", co_machine.topology, wrong);
}

/* Start harts 1 to n - 1, and wait until all are up or left out. */
static void start_harts(void)
{
	for (unsigned hart = 1; hart < co_machine.harts; hart++) {
		struct co_hart *h = co_hart_at(hart);
		int r;

		hal_cache_clean(h, sizeof(h->boot) + offsetof(struct co_hart, boot));
		if (BOARD_MONITORS)
			hal_monitors_start_hart(h->boot.tp);
		r = hal_board_start_hart(hart, &h->boot);
		if (r)
			leave_out(hart, r == -ENOSYS
						? "could not be started: no firmware answers PSCI"
						: "could not be started");
		else if (BOARD_MONITORS)
			await_hart(hart);
	}
	/* Each hart has START_US, counted from when its predecessor is up. */
	for (unsigned hart = 1; hart < co_machine.harts; hart++) {
		if (!co_hart_lost(hart))
			await_hart(hart);
	}
	drop_the_last();
}

static void call_machine_up(void)
{
	co_machine.booting = false;
	co_hooks_call(machine_up);
}

/* Harts that were left out are lost for all files that want to hear of it, and for the monitors. */
static void lose_left_out(void)
{
	for (unsigned hart = 1; hart < co_machine.harts; hart++) {
		if (!co_hart_lost(hart))
			continue;
		if (BOARD_MONITORS)
			hal_monitors_lose_hart(hart);
		co_hooks_call(hart_lost, hart);
		co_hart_at(hart)->looked = true;
	}
}

/*
 * Stack for the shutdown, reserved between the frames of main_coroutine() and main(): other
 * coroutines may use objects in main()'s frame until they have ended.
 */
#define END_BYTES (8192 * HAL_STACK_SCALE)
#pragma GCC diagnostic ignored "-Wframe-larger-than="
static NOINLINE int main_below(void)
{
	char room[END_BYTES];
	int code = main(main_argc, main_argv);

	__asm__ volatile("" : "=m"(room)); /* keeps `room`, and main() from being a tail call */
	return code;
}

static intptr_t main_coroutine(void *arg)
{
	(void)arg;
	co_machine.main = co_self();
	co_machine.main->flags |= CO_FLAG_MAIN;
	for (void (*const *init)(void) = __init_array_start; init < __init_array_end; init++)
		(*init)();
	return main_below();
}

static void start_main(void)
{
	int r;

	/* With ranks each spawn looks whose memory it is given; the timeline notes it. */
	co_machine.open = co_has_ranks() || co_executor.trace ? 0 : co_machine.harts;
	r = co_start_main(main_coroutine);
	if (r)
		co_die("main could not be started: error %d", -r);
}

/*
 * The order of boot, which `make boot-order` prints, with the functions of the image's hooks. Hart
 * 0 alone:
 */
static void (*const boot_machine[])(void) = {
	hal_host_find,       /* does a host answer? */
	probe_board,         /* console, interrupt controller, RAM, harts */
	read_options,        /* the command line */
	read_clock,          /* its frequency */
	choose_topology,     /* groups and roles */
	co_local_make,       /* harts that share a copy of static data */
	divide_windows,      /* the division of all windows */
	make_ranks,          /* private data, arguments */
	carve,               /* RAM after the image */
	mark_windows,        /* for locality */
	check_thread_locals, /* do they fit? */
	map_shared,          /* memory of all harts */
	make_records,        /* the stack of each hart */
};
/* Each hart on its own stack, hart 0 before all others. */
static void (*const boot_each_hart[])(struct arrival *a) = {
	map_private,        /* its view of memory, switched on */
	arrive,             /* or halt: it was left out */
	mark_hart,          /* for locality */
	init_thread_locals, /* executor included */
	init_interrupts,    /* doorbell and timer */
	init_own_window,    /* control block, variables, inbox, free blocks */
	init_executor,      /* no coroutine yet */
	init_heap,          /* of the window */
	call_hart_boot,     /* the hook */
	go_online,          /* hart 0 waits for it */
};
/* Hart 0 while all run their executors. */
static void (*const boot_others[])(void) = {
	start_harts,     /* and wait for them */
	co_scopes_make,  /* sets of harts by role */
	call_machine_up, /* the hook */
	lose_left_out,   /* as lost harts */
	start_main,      /* the first coroutine */
};
#define STEPS(table) (sizeof(table) / sizeof(*(table)))

void co_boot(uintptr_t hwid, uintptr_t dtb)
{
	co_machine.booting = true;
	board_hwid = hwid;
	board_dtb = dtb;
	for (unsigned i = 0; i < STEPS(boot_machine); i++)
		boot_machine[i]();
	hal_boot_enter(&co_hart_at(0)->boot);
}

void co_boot_hart(const struct hal_boot *rec)
{
	unsigned hart = (unsigned)rec->hart;
	struct arrival a = { .hart = hart, .h = co_hart_at(hart) };

	for (unsigned i = 0; i < STEPS(boot_each_hart); i++)
		boot_each_hart[i](&a);
	for (unsigned i = 0; hart == 0 && i < STEPS(boot_others); i++)
		boot_others[i]();
	co_executor_loop();
}
