/*
 * irq.h - interrupt lines of devices: a program waits for them as for any other object.
 *
 * Example
 *	static struct co_irq irq;
 *	int r = co_irq_open(rtc.line[0], co_hart(), &irq);      // cohart/device.h
 *	while (r == 0 && (r = co_irq_wait(&irq)) == 0) {
 *		serve(&rtc);                // the device takes back its signal
 *	}                                   // the next wait lets the line come again
 *	co_irq_close(&irq);
 *
 * A line interrupts nobody: one that comes ends its hart's sleep, or is found at the next
 * scheduling point of a hart that is awake. It is masked at the controller then, so that it comes
 * once, until the program has served its device: until co_irq_done() or the next wait. A hart that
 * lines are open for looks at them in each scheduling point, which costs it about 60 instructions
 * and a device read for each line that is not masked.
 *
 * Example: a handler, where the next scheduling point is too late
 *	static bool take_word(void *uart)       // in the interrupt: short, it waits for nothing
 *	{
 *		return keep(*(volatile uint8_t *)uart) == '\n';   // true: wake a waiter
 *	}
 *	r = co_irq_handler(uart.line[0], co_hart(), take_word, uart.range[0].registers, &irq);
 *	while (r == 0 && (r = co_irq_wait(&irq)) == 0)
 *		serve(line_that_is_kept());
 *
 * Lines are levels: a line comes while its device raises it. One that falls by itself may be
 * missed.
 *
 * A line ends with the coroutine that opened it, in whatever way that ends: it is masked then, and
 * coroutines that wait for it get -ECANCELED. The end of another coroutine, also of one that serves
 * the device, leaves it open. A deadlock is not reported while a coroutine waits
 * for a line.
 */
#ifndef COHART_IRQ_H
#define COHART_IRQ_H

#include <cohart/coroutine.h>
#include <cohart/select.h>

CO_BEGIN_C
/* A handler of a line: co_irq_handler(). Returns whether a waiter is to be woken. */
typedef bool co_irq_fn(void *arg);

struct co_irq {
	struct co_local local; /* all fields are the runtime's */
	struct co_a32 state;
	struct co_a32 ended; /* 0, or an error number: it comes no more */
	struct co_waitq queue;
	struct co_irq *next; /* of the lines of its hart */
	unsigned number;
	unsigned hart;
	co_irq_fn *handler; /* or NULL */
	void *arg;
};

/*
 * Open a line: from now on it comes to one hart, whose sleep it ends.
 * @param number  as the interrupt controller numbers it: of co_device_find()
 * @param hart    any; a coroutine of this hart is the quickest to hear of the line
 * @param irq     in memory that every hart may use (asserted); the runtime's until the line is
 *                closed and no coroutine waits for it, or until the caller has ended: in a frame
 *                only of a function that closes it before it returns
 * @return 0; -ENOTSUP: lines of this board are not for programs, or not for that hart (see
 *         docs/porting.md); -EINVAL: there is no line or hart of that number, or each
 *         hart has a line of that number;
 *         -EBUSY: it is open, or the runtime's; -EHOSTDOWN: the hart is lost. On error nothing is
 *         open, and irq is the caller's.
 * Context: coroutine. Cost: about 300 instructions, a dozen device writes, and a message to
 * another hart.
 */
CO_MUST_CHECK int co_irq_open(unsigned number, unsigned hart, struct co_irq *irq);

/*
 * Open a line with a handler, which interrupts its hart. The handler makes its device lower the
 * line, and returns whether a waiter of the line is woken: true, at the next scheduling point of
 * the line's hart, and the line stays masked until co_irq_done() or the next wait, as it does
 * without a handler; false, and it may come again at once, which no coroutine notices.
 *
 * The handler runs whatever its hart does, in a coroutine of the program, in confined code or in
 * the runtime, with the hart's interrupts masked: on a stack of its own of some 1,000 bytes, or, in
 * confined code, on the stack of that coroutine outside of it. It may
 * use its device, its own memory and atomics (cohart/atomic.h), and calls no other function of
 * Cohart's or of the C library, for it may have interrupted that very function: a function
 * that needs a coroutine is asserted against, another breaks data that it changes. A fault in it
 * ends its hart; on hart 0, the run. While the hart handles a fault, the alarm or another line, a
 * line waits: for 2 us or more on RISC-V. A handler returns: one that does not keeps its hart.
 * In an image of ranks static data is that of the rank of its hart.
 *
 * A hart that its watch has stopped (docs/faults.md) runs no handler any more.
 * @param handler  in the image; not NULL (asserted)
 * @param arg      passed to the handler
 * @return 0; and as co_irq_open(); -ENOTSUP also if this board's harts take no interrupt:
 *         raspi3b, sifive-u, under firmware in M-mode, and on a PC
 * Context: coroutine. number, hart, irq, and cost: as co_irq_open(). From the line
 * to the handler there are about 220 instructions (rv64), and as many until the code goes on.
 */
CO_MUST_CHECK int co_irq_handler(unsigned number, unsigned hart, co_irq_fn *handler, void *arg,
				 struct co_irq *irq);

/*
 * Close it: it is masked at the controller. Coroutines that wait for it get -ECANCELED. A handler
 * that runs on another hart has returned when the call returns, and none runs any more.
 * Context: the coroutine that opened it, once (asserted).
 */
void co_irq_close(struct co_irq *irq);

/*
 * Wait until the line comes, or has come since the last wait; of several waiters the longest is
 * woken. First co_irq_done(), unless it has come; not _try_, whose callers call co_irq_done() when
 * they have served the device.
 * @return 0: the caller serves the device, and then calls co_irq_done() or waits again.
 *         If it ends before, in whatever way, the line stays masked, and waiters asleep, until
 *         another coroutine calls co_irq_done() or begins to wait;
 *         -ETIMEDOUT (_until) at the deadline, also one that has passed; -EAGAIN (_try_): it has
 *         not come; -ECANCELED: the caller is cancelled, or the line has been closed; -EHOSTDOWN:
 *         the line's hart is lost, and has stopped: one that does not even take the alarm has not
 *         (docs/faults.md), and leaves waits to their deadlines.
 * Context: coroutine, of any hart. Order: accesses to the device follow; the waiter sees all that
 * the device has written to memory before it raised the line, as far as its bus has an order.
 * Cost: about 330 instructions from the line to the return, in the sleep of its hart (rv64); on
 * another hart a wake-up more.
 */
CO_MUST_CHECK int co_irq_wait(struct co_irq *irq);
CO_MUST_CHECK int co_irq_wait_until(struct co_irq *irq, uint64_t deadline);
CO_MUST_CHECK int co_irq_try_wait(struct co_irq *irq);

/*
 * The device has been served: let the line come again, at once if the device still raises it.
 * Nothing happens if it has not come, or if nobody has waited for it since.
 * Context: coroutine. Order: earlier accesses to the device are done. Cost: about 20 instructions
 * and a device write.
 */
void co_irq_done(struct co_irq *irq);

/* A case (cohart/select.h) that waits for the line; its result is that of co_irq_wait(). */
struct co_case co_case_irq(struct co_irq *irq);

/*
 * Set the priority of an open line as its controller has it: of a PLIC 2 to 6, 6 is the most
 * urgent; of a GIC 0x50 to 0x70, 0x50 is the most urgent, and of a line with a handler
 * 0x44 to 0x4c. Of lines that have come to a hart by a
 * PLIC or a GICv3 the most urgent is found first; by others, the first that was opened.
 * @return 0; -EINVAL: it has no priority of that number; -ENOTSUP: it has no priorities
 * Context: the coroutine that opened it.
 */
CO_MUST_CHECK int co_irq_priority(struct co_irq *irq, unsigned priority);
CO_END_C
#endif
