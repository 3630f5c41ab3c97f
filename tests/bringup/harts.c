/*
 * harts.c - rungs 2 to 5: one hart, all harts, timer, doorbell. It stands where the runtime stands
 * in other images: boot/<arch> calls co_boot() and co_boot_hart(), and below is the HAL alone.
 * No host is asked for anything. RUNG is the last rung that this image climbs.
 *
 * Until rung 4 has seen the clock run, nothing sleeps, and what is waited for is waited for by
 * counting. From then on each sleep of a doubtful kind has one of a proven kind beside it: a hart
 * that hears no doorbell is woken by its timer. So each rung ends with a line, or with the line
 * that says what the silence after it means.
 */
#include <errno.h>
#include <string.h>

#include <cohart/atomic.h>
#include <hal/board.h>
#include <hal/cache.h>
#include <hal/cpu.h>
#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/probe.h>
#include <hal/time.h>
#include <hal/trap.h>

#include "say.h"

#define LOOKS 10000000u   /* some seconds at most, on a hart of any speed */
#define SLEEP_MS 10u      /* of the harts but 0 */
#define LONG_MS 8000u     /* a busy PC lets an emulator's hart wait, too */
#define MANY_WAKE_UPS 100 /* in one sleep; an emulator may wake a hart now and then */
#define FEW_WAKE_UPS 10   /* until a doorbell */
#define TLS_ALIGN 64u

extern char __bss_start[], __bss_end[], __image_end[], __tls_bytes[]; /* linker/ */

enum order { NONE, SLEEP, RING, LISTEN, REST };

/* A hart. What it finds it writes before `done`, and hart 0 reads afterwards. */
struct hart {
	struct hal_boot boot; /* first: co_boot_hart() is given its address */
	struct co_aword order, done, come;
	uint64_t now;   /* at the start of the order */
	uint64_t slept; /* ticks */
	unsigned wake_ups, strays;
	bool rung, stays; /* by a doorbell; it is pending still after hal_ipi_clear() */
};

static struct hart *harts; /* by number */
static uint32_t linked = 0x600dda7a, cleared;

static void check(const char *next)
{
	say("  check next: %s\n", next);
}

static uint64_t us(uint64_t ticks)
{
	return ticks * 1000000 / hal_time_hz();
}

/* ---- Rung 2 ---- */

/* Different words at once, as RAM that is too small may be seen twice. */
static unsigned store_at_ends(void)
{
	uintptr_t end = hal_board.ram.base + hal_board.ram.bytes;
	uintptr_t at[] = { (hal_board.free + 7) & ~(uintptr_t)7,
			   end - hal_board.ram.bytes / 2 - sizeof(uintptr_t),
			   end - sizeof(uintptr_t) };
	uintptr_t was[3];
	unsigned first = at[1] > at[0] ? 0 : 1, wrong = 0;

	for (unsigned i = first; i < 3; i++) {
		say("  RAM at 0x%lx\n", (unsigned long)at[i]);
		was[i] = *(volatile uintptr_t *)at[i];
		*(volatile uintptr_t *)at[i] = ~at[i];
	}
	for (unsigned i = first; i < 3; i++) {
		if (*(volatile uintptr_t *)at[i] == ~at[i])
			continue;
		wrong++;
		say("  what was stored at 0x%lx is NOT KEPT\n", (unsigned long)at[i]);
	}
	for (unsigned i = 3; i-- > first;)
		*(volatile uintptr_t *)at[i] = was[i];
	if (wrong)
		check("RAM ends before that: the device tree's memory, BOARD_RAM_BYTES");
	return wrong;
}

static unsigned look_at_memory(void)
{
	uintptr_t image_end = (uintptr_t)__image_end;

	say("  image up to 0x%lx, RAM from 0x%lx, %lu MiB\n", (unsigned long)image_end,
	    (unsigned long)hal_board.ram.base, (unsigned long)(hal_board.ram.bytes >> 20));
	/* The compiler is not to know either. */
	__asm__ volatile("" : "+m"(linked), "+m"(cleared));
	if (linked != 0x600dda7a || cleared) {
		check("the image is not in memory as it was linked: BOARD_IMAGE_BASE, how much of "
		      "it the loader copies (a raw image has no .bss), who writes there");
		return 1;
	}
	if (image_end < hal_board.ram.base ||
	    image_end - hal_board.ram.base >= hal_board.ram.bytes) {
		check("the image does not lie in that RAM: BOARD_RAM_BASE, the device tree");
		return 1;
	}
	return store_at_ends();
}

static unsigned one_hart(uintptr_t hwid, uintptr_t dtb)
{
	say("  board %s", hal_board.name);
	if (!hal_board.is_process)
		say(", entered by hwid 0x%lx, with 0x%lx for a device tree", (unsigned long)hwid,
		    (unsigned long)dtb);
	say("\n");
	say("  %lu harts of %lu at most:", (unsigned long)hal_board.harts,
	    (unsigned long)BOARD_MAX_HARTS);
	for (unsigned i = 0; i < hal_board.harts && i < 16; i++)
		say(" 0x%lx", (unsigned long)hal_board.hwid[i]);
	say(hal_board.harts > 16 ? " ...\n" : "\n");
	return look_at_memory();
}

/* ---- Rung 3 ---- */

/* By counting, since the clock may stand; where it runs, for some seconds, too. */
static bool await_come(struct hart *h)
{
	uint64_t until = hal_time_now() + (uint64_t)hal_time_hz() * LONG_MS / 1000;
	uint64_t start = hal_time_now();

	for (unsigned i = 0; i < LOOKS || (hal_time_now() != start && hal_time_now() < until);
	     i++) {
		/* acquire: pairs with the release in co_boot_hart(). */
		if (co_atomic_load(&h->come, CO_ACQUIRE))
			return true;
		hal_cpu_relax();
	}
	return false;
}

static void make_hart(unsigned i)
{
	size_t tls = ((size_t)(uintptr_t)__tls_bytes + 2 * TLS_ALIGN) & ~(size_t)(TLS_ALIGN - 1);
	uintptr_t at = (uintptr_t)hal_probe_take(2 * HAL_BOOT_STACK_BYTES + tls + TLS_ALIGN);

	at = (at + TLS_ALIGN - 1) & ~(uintptr_t)(TLS_ALIGN - 1);
	harts[i].boot = (struct hal_boot){
		.tp = at,
		.sp = at + tls + HAL_BOOT_STACK_BYTES,
		.trap_sp = at + tls + 2 * HAL_BOOT_STACK_BYTES,
		.hart = i,
	};
}

static const char *why(int r)
{
	return r == -ENOSYS
		       ? "no firmware answers PSCI: the boot chain is to leave one (TF-A), or "
			 "the board has another way, a spin table or a doorbell"
		       : "hal_board_start_hart() is refused: its hwid is none of the machine's "
			 "(the device tree, hal_board.hwid[]), or the entry is";
}

static unsigned all_harts(void)
{
	unsigned missing = 0;

	harts = hal_probe_take(hal_board.harts * sizeof(*harts));
	for (unsigned i = 1; i < hal_board.harts; i++)
		make_hart(i);
	say("  hart 0 is up; if nothing follows, hal_board_start_hart() does not return\n");
	for (unsigned i = 1; i < hal_board.harts; i++) {
		unsigned long hwid = (unsigned long)hal_board.hwid[i];
		int r;

		hal_cache_clean(&harts[i], sizeof(harts[i]));
		r = hal_board_start_hart(i, &harts[i].boot);
		if (!r && await_come(&harts[i])) {
			say("  hart %lu (hwid 0x%lx) is up\n", (unsigned long)i, hwid);
			continue;
		}
		missing++;
		say("  hart %lu (hwid 0x%lx) %s\n", (unsigned long)i, hwid,
		    r ? "CANNOT BE STARTED" : "DOES NOT COME");
		check(r ? why(r)
			: "its hwid (hal_board.hwid[]); does the ring that starts it reach it "
			  "(BOARD_CLINT_BASE, BOARD_SPIN_TABLE, the entry that is given to "
			  "firmware); is what it reads with caches off written back "
			  "(hal_cache_clean())");
	}
	return missing;
}

/* ---- Orders ---- */

static void finish(struct hart *h, enum order order)
{
	/* release: what was found; pairs with await(). */
	co_atomic_store(&h->done, order, CO_RELEASE);
}

static bool await(struct hart *h, enum order order)
{
	unsigned ms = order == SLEEP ? LONG_MS : 2 * LONG_MS;
	uint64_t until = hal_time_now() + (uint64_t)hal_time_hz() * ms / 1000;

	/* acquire: pairs with finish(). */
	while (co_atomic_load(&h->done, CO_ACQUIRE) != order) {
		if (hal_time_now() > until)
			return false;
		hal_cpu_relax();
	}
	return true;
}

static void give(struct hart *h, enum order order)
{
	co_atomic_store(&h->done, NONE, CO_RELAXED);
	co_atomic_store(&h->order, order, CO_RELEASE); /* pairs with co_boot_hart() */
}

/* Sleep until then, or until `rung` if a doorbell may end it. */
static void sleep_until(struct hart *h, uint64_t start, uint64_t until,
			const struct co_aword *doorbell)
{
	h->wake_ups = 0;
	hal_time_wake_at(until);
	do {
		hal_irq_wait();
		h->wake_ups++;
		/* acquire: pairs with ring(). */
	} while (hal_time_now() < until && !(doorbell && co_atomic_load(doorbell, CO_ACQUIRE)));
	h->slept = hal_time_now() - start;
	hal_time_wake_never();
}

static void sleep_ms(struct hart *h, unsigned ms)
{
	h->now = hal_time_now();
	sleep_until(h, h->now, h->now + (uint64_t)hal_time_hz() * ms / 1000, NULL);
}

/* ---- Rung 4 ---- */

static unsigned judge_sleep(unsigned i)
{
	struct hart *h = &harts[i];

	say("%lu us, woken %lu times\n", (unsigned long)us(h->slept), (unsigned long)h->wake_ups);
	if (h->wake_ups > MANY_WAKE_UPS) {
		check("something else stays pending and ends each wait at once: what is enabled in "
		      "hal_irq_init_hart(), hal_time_wake_never()");
		return 1;
	}
	return 0;
}

static unsigned clock_runs(void)
{
	uint64_t start, now;
	unsigned i = 0;

	say("  the clock has %lu Hz\n", (unsigned long)hal_time_hz());
	if (!hal_time_hz()) {
		check("Arm: CNTFRQ is the firmware's to set, on every hart; RISC-V: BOARD_TIME_HZ");
		return 1;
	}
	start = now = hal_time_now();
	while (now == start && i++ < LOOKS)
		now = hal_time_now();
	if (now == start) {
		say("  it STANDS at 0x%lx\n", (unsigned long)now);
		check("RISC-V: BOARD_CLINT_BASE and the unit's enable; Arm: the system counter's "
		      "enable, which is the firmware's (CNTCR)");
		return 1;
	}
	return 0;
}

static const char no_timer[] =
	"the timer does not end the sleep: is it enabled in hal_irq_init_hart() and at the "
	"interrupt controller (Arm: PPI 27, the virtual timer); RISC-V: has the hart Sstc, else "
	"BOARD_SHIM_FORWARDS";

static unsigned timer_of(unsigned i)
{
	uint64_t before = hal_time_now();
	uint64_t after;

	say("  hart %lu sleeps for %lu ms: ", (unsigned long)i, (unsigned long)SLEEP_MS);
	give(&harts[i], SLEEP);
	if (!await(&harts[i], SLEEP)) {
		say("it does NOT WAKE\n");
		check(no_timer);
		return 1;
	}
	after = hal_time_now();
	if (judge_sleep(i))
		return 1;
	if (harts[i].now >= before && harts[i].now <= after)
		return 0;
	say("  its clock is NOT hart 0's: 0x%lx, while that went from 0x%lx to 0x%lx\n",
	    (unsigned long)harts[i].now, (unsigned long)before, (unsigned long)after);
	check("one clock for all harts: Arm CNTVOFF_EL2, RISC-V one mtime");
	return 1;
}

static unsigned timers(void)
{
	unsigned wrong = clock_runs();

	if (wrong)
		return wrong;
	for (unsigned i = 1; i < hal_board.harts && !wrong; i++)
		wrong += timer_of(i);
	if (wrong)
		return wrong;
	say("  hart 0 sleeps for a second, by your watch, too; else check the frequency.\n"
	    "  If nothing follows, check next: %s\n  It took ",
	    no_timer);
	sleep_ms(&harts[0], 1000);
	return judge_sleep(0);
}

/* ---- Rung 5 ---- */

static struct co_aword doorbell;

static void ring(unsigned hart)
{
	co_atomic_store(&doorbell, 1, CO_RELEASE); /* pairs with sleep_until() */
	hal_ipi_send(hart);
}

/* Sleep until rung, with a timer for where that is not heard; and is the ring taken back then? */
static void listen(struct hart *h)
{
	uint64_t ms = hal_time_hz() / 1000;

	h->now = hal_time_now();
	sleep_until(h, h->now, h->now + LONG_MS * ms, &doorbell);
	h->rung = h->slept < LONG_MS * ms;
	h->strays = h->wake_ups > FEW_WAKE_UPS ? h->wake_ups : 0;
	hal_ipi_clear();
	sleep_ms(h, SLEEP_MS);
	h->stays = h->wake_ups > MANY_WAKE_UPS;
}

static unsigned judge_ring(unsigned from, unsigned to)
{
	struct hart *h = &harts[to];

	say("  hart %lu rings hart %lu: %s\n", (unsigned long)from, (unsigned long)to,
	    h->rung ? "heard" : "NOT HEARD");
	if (h->strays) {
		say("  but hart %lu was woken %lu times: something else ends its sleep\n",
		    (unsigned long)to, (unsigned long)h->strays);
		check("what else is enabled in hal_irq_init_hart()");
	}
	if (!h->rung)
		check("hal_ipi_doorbell() of that hart (by hwid, not by number), the doorbells' base, "
		      "and whether it is enabled for the mode that the hart sleeps in");
	if (h->stays) {
		say("  hart %lu is woken AGAIN AND AGAIN\n", (unsigned long)to);
		check("hal_ipi_clear() does not take the ring back");
	}
	return !h->rung || h->stays || h->strays;
}

/*
 * Sleep without a timer until rung: one that was due and is forgotten must not end it. By now the
 * doorbell is known to.
 */
static void rest(struct hart *h)
{
	h->wake_ups = 0;
	hal_time_wake_at(hal_time_now());
	hal_time_wake_never();
	/* acquire: pairs with ring(). */
	while (!co_atomic_load(&doorbell, CO_ACQUIRE)) {
		hal_irq_wait();
		h->wake_ups++;
	}
	hal_ipi_clear();
}

static unsigned rest_of(unsigned i)
{
	co_atomic_store(&doorbell, 0, CO_RELAXED);
	give(&harts[i], REST);
	sleep_ms(&harts[0], 5 * SLEEP_MS);
	ring(i);
	if (await(&harts[i], REST) && harts[i].wake_ups <= MANY_WAKE_UPS)
		return 0;
	say("  hart %lu, which sleeps without a timer, is woken %lu times\n", (unsigned long)i,
	    (unsigned long)harts[i].wake_ups);
	check("hal_time_wake_never() does not forget a timer that is due");
	return 1;
}

/* Both ways between hart 0 and hart i; the harts sleep before they are rung. */
static unsigned ring_both_ways(unsigned i)
{
	unsigned wrong;

	co_atomic_store(&doorbell, 0, CO_RELAXED);
	give(&harts[i], LISTEN);
	sleep_ms(&harts[0], 5 * SLEEP_MS);
	ring(i);
	if (!await(&harts[i], LISTEN)) {
		say("  hart %lu does NOT ANSWER\n", (unsigned long)i);
		return 1;
	}
	wrong = judge_ring(0, i);
	co_atomic_store(&doorbell, 0, CO_RELAXED);
	give(&harts[i], RING);
	listen(&harts[0]);
	(void)await(&harts[i], RING);
	wrong += judge_ring(i, 0);
	return wrong ? wrong : rest_of(i);
}

static unsigned doorbells(void)
{
	unsigned wrong = 0;

	if (hal_board.harts == 1) { /* its own, which is pending when it begins to sleep */
		ring(0);
		listen(&harts[0]);
		return judge_ring(0, 0);
	}
	for (unsigned i = 1; i < hal_board.harts && !wrong; i++)
		wrong += ring_both_ways(i);
	return wrong;
}

/* ---- What the runtime is in other images ---- */

void co_boot_hart(const struct hal_boot *rec)
{
	struct hart *h = (struct hart *)(uintptr_t)rec;

	hal_irq_init_hart((unsigned)rec->hart);
	hal_ipi_clear(); /* on some boards a ring has started it */
	/* release: pairs with await_come(). */
	co_atomic_store(&h->come, 1, CO_RELEASE);
	for (;;) {
		/* acquire: pairs with give(). relaxed: nobody else takes orders. */
		enum order order = (enum order)co_atomic_load(&h->order, CO_ACQUIRE);

		if (order == NONE) {
			/* Many that spin would keep an emulator from the others. */
			hal_time_wake_at(hal_time_now() + hal_time_hz() / 1000);
			hal_irq_wait();
			continue;
		}
		co_atomic_store(&h->order, NONE, CO_RELAXED);
		if (order == SLEEP)
			sleep_ms(h, SLEEP_MS);
		if (order == LISTEN)
			listen(h);
		if (order == REST)
			rest(h);
		if (order == RING) {
			sleep_ms(h, 5 * SLEEP_MS); /* so that hart 0 sleeps by then */
			ring(0);
		}
		finish(h, order);
	}
}

/* End after the last rung of this image, or where something is wrong. */
static void climb(const char *next, unsigned wrong)
{
	if (wrong || climbing == RUNG)
		end(climbing, wrong);
	say("rung %lu: passed\n", (unsigned long)climbing);
	climbing++;
	say("rung %lu: %s\n", (unsigned long)climbing, next);
}

void co_boot(uintptr_t hwid, uintptr_t dtb)
{
	climbing = 2;
	hal_board_probe(hwid, dtb);
	say("rung 2: one hart\n");
	climb("all harts", one_hart(hwid, dtb));
	climb("timer", all_harts());
	hal_irq_init_hart(0);
	climb("doorbell", timers());
	end(climbing, doorbells());
}
