/* irq.c - hal/irq.h, of all interrupt controllers. */
#include <hal/irq.h>

void (*hal_line_came)(unsigned id);
