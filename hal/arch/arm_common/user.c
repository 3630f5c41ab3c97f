/*
 * user.c - the functions of hal/user.h that both widths share.
 *
 * Source: Arm ARM (DDI 0487) D5.10 and v7-A and v7-R (DDI 0406C) B3.10 (TLB maintenance).
 */
#include <hal/user.h>
#include <hal_arch/sysreg.h>

extern char __text_start[], __text_end[], __rodata_start[], __rodata_end[]; /* linker/image.ld.S */

bool hal_user_possible(unsigned hart)
{
	(void)hart;
	return true;
}

int hal_user_map(struct hal_map_pool *pool, uintptr_t root)
{
	uintptr_t text = (uintptr_t)__text_start, constants = (uintptr_t)__rodata_start;
	int r = hal_map_add(pool, root, text, (uintptr_t)__text_end - text, HAL_MAP_USER_RX);

	return r ? r
		 : hal_map_add(pool, root, constants, (uintptr_t)__rodata_end - constants,
			       HAL_MAP_USER_R);
}

void hal_user_flush(void)
{
	hal_dsb_stores();
	hal_tlb_forget_map(HAL_USER_ASID);
	hal_dsb();
	hal_isb();
}

struct hal_trap *hal_user_trap(struct hal_user *u)
{
	return (struct hal_trap *)u;
}
