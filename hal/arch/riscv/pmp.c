/*
 * pmp.c - protect the memory of a hart in M-mode by ranges of the physical memory protection.
 *
 * The first entry that matches decides. Guard pages come first, each an entry; the rest cuts the
 * address space into stretches, each an entry that ends where the next one begins:
 *
 *   page zero        nothing
 *   to the image     read, write     devices, scratchpads
 *   code             read, execute
 *   constants        read
 *   to RAM's end     read, write
 *
 * Addresses behind RAM are not there for the bus either.
 */
#include <hal/board.h>
#include <hal/cpu.h>
#include <hal/guard.h>
#include <hal_arch/here.h>
#include <hal_arch/pmp.h>

#ifdef BOARD_SHIM_FORWARDS

#define PMP_R 0x01u
#define PMP_W 0x02u
#define PMP_X 0x04u
#define PMP_TOR 0x08u
#define PMP_NAPOT 0x18u
#define PMP_L 0x80u /* for M-mode too, until reset */

#define ENTRIES 16u
#define STRETCHES 5u
#define A_CFG (unsigned)sizeof(uintptr_t) /* entries in a configuration register */

#define PAGE_NAPOT(page) ((page) >> 2 | (HAL_PAGE_BYTES / 8 - 1))

extern char __text_start[], __text_end[], __rodata_end[]; /* linker/image.ld.S */

struct pmp {
	uintptr_t address[ENTRIES];
	uintptr_t config[ENTRIES / A_CFG];
	unsigned used;
};

static void add(struct pmp *p, uintptr_t address, uintptr_t config)
{
	p->address[p->used] = address;
	p->config[p->used / A_CFG] |= (config | PMP_L) << p->used % A_CFG * 8;
	p->used++;
}

/* The manual has 16 or none; the FU540 has 8 that work. */
static unsigned entries(void)
{
	uintptr_t back;

	__asm__ volatile("csrw pmpaddr8, %0" ::"r"((uintptr_t)-1 >> 10));
	__asm__ volatile("csrr %0, pmpaddr8" : "=r"(back));
	return back ? ENTRIES : ENTRIES / 2;
}

#define WRITE(n)                                                                 \
	case n:                                                                  \
		__asm__ volatile("csrw pmpaddr" #n ", %0" ::"r"(p->address[n])); \
		break

static void write_address(const struct pmp *p, unsigned n)
{
	switch (n) {
		WRITE(0);
		WRITE(1);
		WRITE(2);
		WRITE(3);
		WRITE(4);
		WRITE(5);
		WRITE(6);
		WRITE(7);
		WRITE(8);
		WRITE(9);
		WRITE(10);
		WRITE(11);
		WRITE(12);
		WRITE(13);
		WRITE(14);
		WRITE(15);
	}
}

static unsigned this_hart(void)
{
	uintptr_t hwid;
	unsigned hart = 0;

	__asm__ volatile("csrr %0, mhartid" : "=r"(hwid));
	while (hal_board.hwid[hart] != hwid)
		hart++;
	return hart;
}

void hal_pmp_activate(void)
{
	struct pmp p = { .used = 0 };
	uintptr_t page[ENTRIES];
	unsigned guards = co_stack_guards(this_hart(), page, entries() - STRETCHES);

	for (unsigned i = 0; i < guards; i++)
		add(&p, PAGE_NAPOT(page[i]), PMP_NAPOT);
	add(&p, PAGE_NAPOT((uintptr_t)0), PMP_NAPOT);
	add(&p, (uintptr_t)__text_start >> 2, PMP_TOR | PMP_R | PMP_W);
	add(&p, (uintptr_t)__text_end >> 2, PMP_TOR | PMP_R | PMP_X);
	add(&p, (uintptr_t)__rodata_end >> 2, PMP_TOR | PMP_R);
	add(&p, (hal_board.ram.base + hal_board.ram.bytes) >> 2, PMP_TOR | PMP_R | PMP_W);
	for (unsigned n = 0; n < p.used; n++)
		write_address(&p, n);
	__asm__ volatile("csrw pmpcfg0, %0" ::"r"(p.config[0]));
#if __riscv_xlen == 32
	__asm__ volatile("csrw pmpcfg1, %0" ::"r"(p.config[1]));
	__asm__ volatile("csrw pmpcfg2, %0" ::"r"(p.config[2]));
	__asm__ volatile("csrw pmpcfg3, %0" ::"r"(p.config[3]));
#else /* the odd ones are not there */
	__asm__ volatile("csrw pmpcfg2, %0" ::"r"(p.config[1]));
#endif
}

#endif
