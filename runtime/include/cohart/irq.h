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
 * Cohart takes no interrupt: a line that comes ends its hart's sleep, or is found at the next
 * scheduling point of a hart that is awake. It is masked at the controller then, so that it comes
 * once, until the program has served its device: until co_irq_done() or the next wait. A hart that
 * lines are open for looks at them in each scheduling point, which costs it about 60 instructions
 * and a device read for each line that is not masked.
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
struct co_irq {
	struct co_local local; /* all fields are the runtime's */
	struct co_a32 state;
	struct co_a32 ended; /* 0, or an error number: it comes no more */
	struct co_waitq queue;
	struct co_irq *next; /* of the lines of its hart */
	unsigned number;
	unsigned hart;
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
 * Close it: it is masked at the controller. Coroutines that wait for it get -ECANCELED.
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
 * urgent; of a GIC 0x50 to 0x70, 0x50 is the most urgent. Of lines that have come to a hart by a
 * PLIC or a GICv3 the most urgent is found first; by others, the first that was opened.
 * @return 0; -EINVAL: it has no priority of that number; -ENOTSUP: it has no priorities
 * Context: the coroutine that opened it.
 */
CO_MUST_CHECK int co_irq_priority(struct co_irq *irq, unsigned priority);
CO_END_C
#endif
