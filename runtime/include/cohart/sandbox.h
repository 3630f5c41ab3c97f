/*
 * sandbox.h - coroutines that are not trusted: they run without privilege, on page tables of their
 * domain, and see nothing else.
 *
 * Example
 *	static alignas(CO_PAGE_BYTES) unsigned char memory[CO_DOMAIN_BYTES(4, 8192)];
 *	CO_GUARDED(struct image, picture);                    // whole pages, nothing else there
 *	static struct co_domain filters;
 *	struct co *c;
 *
 *	r = co_domain_init(&filters, memory, sizeof(memory), 4, 8192);
 *	r = r ? r : co_domain_share(&filters, &picture, CO_GUARDED_BYTES(picture),
 *				       CO_READ | CO_WRITE);
 *	r = r ? r : co_domain_spawn(&filters, &c, &(struct co_attr){ .name = "filter" },
 *				    somebodys_filter, &picture.it);
 *	r = r ? r : co_join(c, &result);         // -EFAULT: a forbidden access
 *
 * Confined code may touch the image's code (to execute and read) and constants; the stacks of its
 * domain, with thread-locals of its own on top, fresh from the image; memory that was shared with
 * the domain. An access to anything else is a fault, and ends that coroutine alone: the runtime's
 * data, the program's, other stacks, private and public scratchpads, devices, page zero. A domain
 * is the unit of protection: its coroutines are not protected from each other.
 *
 * It may call functions that touch nothing else, and co_user_...(). The rest of the runtime, and C
 * library functions with state (printf, malloc), touch memory of the runtime or the program: a
 * fault.
 *
 * To its hart a confined coroutine is an ordinary one, that waits, pauses, is joined, cancelled and
 * reported. While its own code runs, doorbells and a timer bring the hart back to a scheduling
 * point, at least every CO_CONFINED_SLICE_US; so one that never pauses blocks no other, and one
 * that was cancelled and does not end is ended after CO_CONFINED_GRACE_US with the result
 * -ECANCELED.
 *
 * Page tables change when the hart goes from the runtime to confined code or back, never in a
 * switch between coroutines; the hart's cached translations of a domain are dropped when another
 * domain comes to the hart. Not on BOARD=host, nor on a hart that has M-mode alone (hart 0 of a
 * sifive-u): -ENOTSUP.
 */
#ifndef COHART_SANDBOX_H
#define COHART_SANDBOX_H

#include <cohart/atomic.h>
#include <cohart/channel.h>
#include <cohart/coroutine.h>
#include <cohart/detail/base.h>
#include <cohart/guarded.h>

CO_BEGIN_C
#define CO_CONFINED_SLICE_US 1000
#define CO_CONFINED_GRACE_US 20000

/*
 * A period, and the bytes that a domain may print in it, unless co_domain_limit_print() changes
 * them.
 */
#define CO_DOMAIN_PRINT_US 100000
#define CO_DOMAIN_PRINT_BYTES 1024u

/* Most coroutines at a time, and channel ends, of a domain. */
#define CO_DOMAIN_COROUTINES 128
#define CO_DOMAIN_ENDS 32

/* Memory for a domain: page tables, and for each coroutine its registers, a guard page, a stack. */
#define CO_DOMAIN_BYTES(coroutines, stack_bytes) \
	((24 + (coroutines) * (2 + CO_DOMAIN_STACK_PAGES(stack_bytes))) * (size_t)CO_PAGE_BYTES)
#define CO_DOMAIN_STACK_PAGES(stack_bytes) (((stack_bytes) + CO_PAGE_BYTES - 1) / CO_PAGE_BYTES)

/* A set of rights. */
enum co_right { CO_READ = 1, CO_WRITE = 2 };

/* The runtime's; in memory that every hart may use, none of it shared with a domain. */
struct co_domain {
	uintptr_t root;               /* of its page tables */
	uintptr_t memory, memory_end; /* its own */
	uintptr_t tables, tables_end; /* in it: page tables */
	uintptr_t slots;              /* in it: coroutines */
	uintptr_t slot_bytes;         /* each */
	unsigned coroutines;
	struct co_a32 id;    /* changes with the tables, another for each domain; 0: not in use */
	struct co_a32 alive; /* coroutines */
	struct co_aword free[CO_DOMAIN_COROUTINES / 32];
	/* Its budget of output: co_domain_limit_print(). */
	struct co_waitq print_lock; /* for the next three; nobody waits in it */
	uint64_t print_until;       /* the end of the period */
	uint32_t print_left;        /* bytes, in this period */
	uint32_t print_limit;       /* in each */
	unsigned ends;
	struct {
		struct co_chan *chan;
		unsigned side; /* CO_CHAN_SENDS or CO_CHAN_RECEIVES */
	} end[CO_DOMAIN_ENDS];
	/* For people. */
	struct co_a32 calls, interrupts, faults, changes, prints, print_waits;
};

/*
 * The confined side of a channel: its own words, in memory of the domain. Given by
 * co_domain_channel().
 */
struct co_user_end {
	struct co_ring ring;
	uint32_t elem_size;
	uint32_t number; /* the domain's end */
	unsigned side;
};

/*
 * Make a domain that sees code and constants alone.
 * @param memory       CO_DOMAIN_BYTES() of main memory (static, malloc) or of public scratchpad, on
 *                     a page boundary; the domain's until co_domain_end()
 * @param coroutines   that can live in it at a time, 1..CO_DOMAIN_COROUTINES
 * @param stack_bytes  of each, rounded up to pages; the program's _Thread_local variables come out
 *                     of it
 * @return 0; -EINVAL: *d or the memory is not where it may be, misaligned, or too small, or a
 *         number is out of its range; -ENOMEM: it has no room for the page tables; -ENOTSUP: no
 *         hart of this machine can. On error *d is as if it had never been made.
 * Context: any coroutine.
 */
CO_MUST_CHECK int co_domain_init(struct co_domain *d, void *memory, size_t bytes,
				 unsigned coroutines, size_t stack_bytes);

/*
 * Share memory with the domain: all of its coroutines may use it, at its address here. Code outside
 * keeps its access, to write too.
 * @param p, bytes  whole pages of static data, of malloc()'s heap or of a public heap
 *                  (co_spm_alloc(n, CO_PAGE_BYTES)); all other data in them is shared, too
 * @param rights    CO_READ, or CO_READ | CO_WRITE
 * @return 0; -EINVAL: not whole pages, memory of another kind (code, constants, stacks, private
 *         scratchpad, devices), the domain's own tables, or rights out of range; -EEXIST: some of
 *         it is shared already; -EBUSY: coroutines live in the domain; -ENOMEM: no room for page
 *         tables. On error before -ENOMEM nothing has changed; after it part of it may be shared.
 * Context: any coroutine, one at a time.
 */
CO_MUST_CHECK int co_domain_share(struct co_domain *d, void *p, size_t bytes, unsigned rights);

/*
 * Give the domain a side of a channel. The opposite side is used as that of any channel, by trusted
 * code, or given to this or another domain.
 *
 * The channel itself stays the runtime's: only the buffer is shared. Confined code moves elements
 * in and out of it without a trap; it traps to wait, and to wake a waiter. It can break the
 * contents of the buffer, no more: the opposite side then gets wrong elements, no element, or
 * -EPROTO from a wait. co_chan_count() knows nothing of a confined side. When a fault ends the last
 * coroutine of a domain, its channels are closed, so that no coroutine waits for it.
 *
 * @param c    initialised as CO_SPSC, not used yet, outside of shared memory; its buffer is within
 *             memory that the domain may read and write
 * @param side CO_CHAN_SENDS or CO_CHAN_RECEIVES
 * @param end  filled in for confined code: put it where that finds it, in shared memory
 * @return 0; -EINVAL: another mode, the channel lies in shared memory, or the side is taken;
 *         -EFAULT: the buffer does not lie in memory that the domain may write; -EBUSY: coroutines
 *         live in the domain; -ENOSPC: CO_DOMAIN_ENDS are taken.
 * Context: any coroutine, one at a time.
 */
CO_MUST_CHECK int co_domain_channel(struct co_domain *d, struct co_chan *c, unsigned side,
				    struct co_user_end *end);

/*
 * Start fn(arg) confined. It can be joined, detached and cancelled like other coroutines, and its
 * result is what fn returns.
 * @param c, attr  as in co_spawn(); its stack of attr's class is the runtime's, for its calls
 * @param arg      handed on as it is: if it is a pointer, then to memory that is shared
 * @return as co_spawn(), and -ENOBUFS: as many live in the domain as can; -EINVAL: *d is no domain;
 *         -ENOTSUP: on that hart no code can run without privilege (on CO_ON_ANY and
 *         CO_ON_GROUP: on none). co_join() returns -EFAULT if a fault has ended it.
 * Context: coroutine.
 */
CO_MUST_CHECK int co_domain_spawn(struct co_domain *d, struct co **c, const struct co_attr *attr,
				  co_fn *fn, void *arg);

/*
 * A whole group confined: start fn(arg) on each compute hart of a group, in a batch.
 * @param b        as in co_batch_spawn()
 * @param results  one for each compute hart, in their order; NULL: not wanted
 * @return 0; -EINVAL: the group does not exist or has no compute harts, *d is no domain; -ENOBUFS:
 *         the domain has no room for all; -ENOTSUP. On error the coroutines that were started
 *         before live on in the batch: join it.
 * Context: coroutine.
 */
CO_MUST_CHECK int co_domain_spawn_group(struct co_domain *d, struct co_batch *b, unsigned group,
					co_fn *fn, void *arg, intptr_t *results);

/*
 * Change how much the domain's code prints in CO_DOMAIN_PRINT_US, all of its coroutines together: a
 * text counts as its bytes and CO_USER_PRINT_EXTRA. Text beyond the limit waits for the next
 * period, so that output of others is not kept waiting: the console is everybody's, and slow.
 * @param bytes  CO_DOMAIN_PRINT_BYTES at first; CO_USER_PRINT_MOST or more; 0: nothing, its prints
 *               are -EACCES; UINT32_MAX: no bound
 * @return 0; -EINVAL: *d is no domain, or bytes is too small for a text of the greatest length.
 * Context: any coroutine, also while others live in the domain; it counts from the next period on.
 */
CO_MUST_CHECK int co_domain_limit_print(struct co_domain *d, uint32_t bytes);

/*
 * Take the domain apart: its memory is the caller's again, memory that was shared is shared no
 * more. Its channels are not closed by it.
 * @return 0; -EBUSY: coroutines live in it (join them first); -EINVAL: *d is no domain.
 * Context: any coroutine.
 */
CO_MUST_CHECK int co_domain_end(struct co_domain *d);

struct co_domain_use {
	uint32_t alive;      /* coroutines */
	uint32_t calls;      /* traps of their own making */
	uint32_t interrupts; /* traps that took the hart back */
	uint32_t faults;
	uint32_t changes;     /* how often a hart came to it that had run another last, or none */
	uint32_t prints;      /* texts that its code has printed */
	uint32_t print_waits; /* waits of its code for the next period of its budget of output */
	size_t table_bytes;   /* page tables */
};

/* Context: any; a moment old. */
void co_domain_use(const struct co_domain *d, struct co_domain_use *use);

/*
 * ---- Calls of confined code ----
 *
 * Example, whose argument is a struct co_user_end in memory that is shared with the domain:
 *	intptr_t doubler(void *arg)
 *	{
 *		struct co_user_end *numbers = arg;
 *		int n;
 *
 *		while (co_user_recv(numbers, &n) == 0)
 *			total += n;                // a trap only where it has to wait
 *		return 0;                          // ends the coroutine
 *	}
 *
 * Each call here is a trap unless it says otherwise. Pointers that reach the runtime are checked
 * against the domain's page tables first: for memory that the domain may not touch a call returns
 * -EFAULT, and nothing has happened then. Context of all: confined code; elsewhere they are a
 * fault.
 */

/* Most characters of a co_user_print(), bytes that a text counts beside them, and both together. */
#define CO_USER_PRINT_BYTES 256
#define CO_USER_PRINT_EXTRA 32
#define CO_USER_PRINT_MOST (CO_USER_PRINT_BYTES + CO_USER_PRINT_EXTRA)

/* End this coroutine with a result, as if its function had returned it. */
CO_NORETURN void co_user_exit(intptr_t result);

/*
 * As co_pause(), co_sleep_us().
 * @return 0; -ECANCELED once this coroutine has been asked to end.
 */
CO_MUST_CHECK int co_user_pause(void);
CO_MUST_CHECK int co_user_sleep_us(uintptr_t us);

/* As co_after_us(). */
uint64_t co_user_after_us(uintptr_t us);

/* As co_hart(). */
unsigned co_user_hart(void);

/*
 * Print text, as printf("%.*s") does. Waits for the next period while its domain has printed as
 * much as it may in a period (co_domain_limit_print()).
 * @return 0; -EFAULT; -E2BIG: more than CO_USER_PRINT_BYTES; -EACCES: the domain may not print;
 *         -ECANCELED: asked to end while it would have waited. Nothing was printed then.
 */
CO_MUST_CHECK int co_user_print(const char *text, size_t bytes);

/*
 * The confined side of a channel, for one coroutine at a time.
 *
 * _try_ does not trap, unless a coroutine waits for the element or the room and has to be woken. It
 * does not notice a close: only a call that has to wait does.
 * @param deadline  co_user_after_us(), CO_FOREVER
 * @return 0; -EAGAIN (_try_): no room, no element; -EPIPE: closed (and drained); -ETIMEDOUT
 *         (_until); -ECANCELED; -EINVAL: the end is for the opposite side, or has been tampered
 *         with.
 */
CO_MUST_CHECK int co_user_send(struct co_user_end *e, const void *elem);
CO_MUST_CHECK int co_user_send_until(struct co_user_end *e, const void *elem, uint64_t deadline);
CO_MUST_CHECK int co_user_try_send(struct co_user_end *e, const void *elem);
CO_MUST_CHECK int co_user_recv(struct co_user_end *e, void *elem);
CO_MUST_CHECK int co_user_recv_until(struct co_user_end *e, void *elem, uint64_t deadline);
CO_MUST_CHECK int co_user_try_recv(struct co_user_end *e, void *elem);

/* As co_chan_close(). Returns 0, or -EINVAL as co_user_send(). */
CO_MUST_CHECK int co_user_close(struct co_user_end *e);
CO_END_C
#endif
