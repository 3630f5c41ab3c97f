/* start.c - start records where boot/riscv/start.S finds them: by hart id. */
#include <cohart/atomic.h>
#include <hal/probe.h>
#include <hal_arch/here.h>
#include <hal_arch/start.h>

struct records {
	uintptr_t count; /* the largest hart id and one */
	struct hal_boot *of[];
};

extern struct co_aword hal_boot_records; /* boot/riscv/start.S: struct records *, or 0 */

static struct records *records;

void hal_start_prepare(void)
{
	uintptr_t count = 0;

	for (unsigned hart = 0; hart < hal_board.harts; hart++) {
		if (hal_board.hwid[hart] >= count)
			count = hal_board.hwid[hart] + 1;
	}
	records = hal_probe_take(sizeof(*records) + count * sizeof(records->of[0]));
	records->count = count;
	/* release: the table; pairs with the address dependency of the harts that look there. */
	co_atomic_store(&hal_boot_records, (uintptr_t)records, CO_RELEASE);
}

void hal_start_give(unsigned hart, const struct hal_boot *rec)
{
	records->of[hal_board.hwid[hart]] = (struct hal_boot *)rec; /* boot/ writes it, too */
}

#ifdef HAL_ALARMS
struct hal_boot *hal_start_record(unsigned hart)
{
	extern struct hal_boot hal_boot_first; /* hart 0's; boot/riscv/start.S */

	return hart ? records->of[hal_board.hwid[hart]] : &hal_boot_first;
}
#endif
