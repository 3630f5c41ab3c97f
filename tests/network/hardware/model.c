/*
 * model.c - hal/network.h without hardware: the registers of ports and switches, in memory.
 *
 * Of two ports that have both been started the one that is second, or a switch that makes their
 * route whole, moves all words at once. A lock of a few instructions keeps the registers; it is not
 * held while words move. A fault there ends the transfer at both sides: with -EFAULT, when that
 * hart calls the next function of these.
 */
#include <errno.h>

#include <cohart/atomic.h>
#include <hal/cpu.h>
#include <hal/ipi.h>
#include <hal/network_wires.h>
#include <hal/time.h>

#define CORES HAL_NETWORK_CORES
#define PORTS HAL_NETWORK_PORTS
#define SWITCHES HAL_NETWORK_SWITCHES
#define SWITCH_PORTS HAL_NETWORK_SWITCH_PORTS
#define HOPS 2        /* the most switches of a route */
#define STOPS_MS 1000 /* after so long without a word nothing moves any more */

enum state { FREE, STARTED, MOVES, OVER };

struct port {
	struct hal_network_block block;
	enum state state;
	int result;          /* OVER: what hal_network_check() says */
	struct co_a32 moved; /* words */
};

static struct co_a32 lock;
static struct port ports[CORES][2][PORTS];
static uint8_t comes_from[SWITCHES][SWITCH_PORTS]; /* + 1; 0: nothing */
static uint8_t leads_to[HAL_NETWORK_PLACES];
static _Thread_local struct port *moves[2]; /* what this hart moves words of; NULL: nothing */

static unsigned core_of(const struct port *p)
{
	return (unsigned)((p - &ports[0][0][0]) / (2 * PORTS));
}

/* The transfer is over at this side, unless it has been stopped. Under the lock. */
static void end(struct port *p, int result)
{
	if (p->state != MOVES)
		return;
	p->state = OVER;
	p->result = result;
	hal_ipi_send(core_of(p)); /* its interrupt */
}

/* This hart moves words no more. Under the lock. */
static void end_both(int result)
{
	for (unsigned i = 0; i < 2; i++) {
		end(moves[i], result);
		moves[i] = NULL;
	}
}

static void take_lock(void)
{
	/* acquire: the registers; pairs with leave(). */
	while (co_atomic_swap(&lock, 1, CO_ACQUIRE))
		hal_cpu_relax();
}

static void enter(void)
{
	take_lock();
	if (moves[0]) /* and has not come to the end of that */
		end_both(-EFAULT);
}

static void leave(void)
{
	/* release: pairs with take_lock(). */
	co_atomic_store(&lock, 0, CO_RELEASE);
}

/* ---- Routes ---- */

static unsigned over_there(unsigned place)
{
	return leads_to[place] ? leads_to[place] - 1u : HAL_NETWORK_PLACES;
}

/* Through a switch, from one of its ports on, or back; HAL_NETWORK_PLACES: it leads nowhere. */
static unsigned through(unsigned place, enum hal_network_way way)
{
	unsigned number = (place - HAL_NETWORK_SWITCHES_FROM) / SWITCH_PORTS;
	unsigned port = (place - HAL_NETWORK_SWITCHES_FROM) % SWITCH_PORTS;

	if (way == HAL_NETWORK_RECV)
		return comes_from[number][port]
			       ? HAL_NETWORK_AT_SWITCH(number, comes_from[number][port] - 1u)
			       : HAL_NETWORK_PLACES;
	for (unsigned out = 0; out < SWITCH_PORTS; out++) {
		if (comes_from[number][out] == port + 1)
			return HAL_NETWORK_AT_SWITCH(number, out);
	}
	return HAL_NETWORK_PLACES;
}

/* What a place's wire leads to in the end, as switches are set; NULL: no port. */
static struct port *follow(unsigned place, enum hal_network_way way)
{
	for (unsigned hops = 0; hops <= HOPS; hops++) {
		place = over_there(place);
		if (place < HAL_NETWORK_SWITCHES_FROM)
			return &ports[place / PORTS][!way][place % PORTS];
		if (place >= HAL_NETWORK_LINKS_FROM)
			return NULL;
		place = through(place, way);
		if (place == HAL_NETWORK_PLACES)
			return NULL;
	}
	return NULL;
}

/* ---- Words ---- */

static uint64_t *word_at(const struct hal_network_block *b, uint32_t n)
{
	uint64_t *at = (uint64_t *)b->at;

	return b->row ? at + n / b->row * ((size_t)b->row + b->gap) + n % b->row : at + n;
}

/* If both have been started, move. Under the lock, which it lets go of meanwhile. */
static void try_move(struct port *send, struct port *recv)
{
	struct hal_network_block from, to;
	uint32_t words;

	if (!send || !recv || send->state != STARTED || recv->state != STARTED)
		return;
	send->state = recv->state = MOVES;
	moves[0] = send;
	moves[1] = recv;
	from = send->block;
	to = recv->block;
	words = from.words < to.words ? from.words : to.words;
	leave();
	for (uint32_t i = 0; i < words; i++) {
		*word_at(&to, i) = *word_at(&from, i);
		/* relaxed, both: for hal_network_left(). */
		co_atomic_store(&send->moved, i + 1, CO_RELAXED);
		co_atomic_store(&recv->moved, i + 1, CO_RELAXED);
	}
	take_lock();
	end_both(from.words == to.words ? 0 : -EMSGSIZE);
}

/* ---- Registers ---- */

int hal_network_init(unsigned core)
{
	enter();
	hal_network_wire(leads_to);
	leave();
	(void)core;
	return 0;
}

int hal_network_start(unsigned core, enum hal_network_way way, unsigned port,
		      const struct hal_network_block *block)
{
	struct port *p = &ports[core][way][port], *other;
	int r = !block->words || block->at % sizeof(uint64_t) ? -EINVAL : 0;

	enter();
	if (!r && p->state != FREE)
		r = -EBUSY;
	if (!r) {
		p->block = *block;
		p->state = STARTED;
		/* relaxed: for hal_network_left(). */
		co_atomic_store(&p->moved, 0, CO_RELAXED);
		other = follow(HAL_NETWORK_AT_CORE(core, port), way);
		if (way == HAL_NETWORK_SEND)
			try_move(p, other);
		else
			try_move(other, p);
	}
	leave();
	return r;
}

int hal_network_check(unsigned core, enum hal_network_way way, unsigned port)
{
	struct port *p = &ports[core][way][port];
	int r = -EINPROGRESS;

	enter();
	if (p->state == OVER) {
		p->state = FREE;
		r = p->result;
	}
	leave();
	return r;
}

uint32_t hal_network_left(unsigned core, enum hal_network_way way, unsigned port)
{
	const struct port *p = &ports[core][way][port];
	uint32_t left = 0;

	enter();
	if (p->state == STARTED || p->state == MOVES)
		left = p->block.words - co_atomic_load(&p->moved, CO_RELAXED);
	leave();
	return left;
}

void hal_network_stop(unsigned core, enum hal_network_way way, unsigned port)
{
	struct port *p = &ports[core][way][port];
	uint64_t until = 0;
	uint32_t before = 0, moved;

	enter();
	while (p->state == MOVES && (!until || hal_time_now() < until)) {
		moved = co_atomic_load(&p->moved, CO_RELAXED);
		if (!until || moved != before)
			until = hal_time_now() + (uint64_t)hal_time_hz() * STOPS_MS / 1000;
		before = moved;
		leave();
		hal_cpu_relax();
		enter();
	}
	p->state = FREE;
	leave();
}

void hal_network_switch(unsigned number, unsigned in, unsigned out)
{
	unsigned there = HAL_NETWORK_AT_SWITCH(number, out);

	enter();
	for (unsigned i = 0; i < SWITCH_PORTS; i++) {
		if (comes_from[number][i] == in + 1)
			comes_from[number][i] = 0;
	}
	comes_from[number][out] = (uint8_t)(in + 1);
	try_move(follow(HAL_NETWORK_AT_SWITCH(number, in), HAL_NETWORK_RECV),
		 follow(there, HAL_NETWORK_SEND));
	leave();
}
