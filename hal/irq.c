/* irq.c - hal/irq.h, of all interrupt controllers. */
#include <cohart/atomic.h>
#include <hal/console.h>
#include <hal/irq.h>

unsigned hal_console_line;

static struct co_aword handler; /* void (*)(unsigned id), or 0 */

void hal_line_came(unsigned id)
{
	/* relaxed: code. 0: a line that an earlier program has left open stays masked. */
	void (*fn)(unsigned id) = (void (*)(unsigned id))co_atomic_load(&handler, CO_RELAXED);

	if (fn)
		fn(id);
}

void hal_line_handler(void (*fn)(unsigned id))
{
	co_atomic_store(&handler, (uintptr_t)fn, CO_RELAXED);
}
