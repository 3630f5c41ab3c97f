/*
 * mark_code.h - the codes of marks (hal/mark.h) and the hints that carry them: shared with their
 * reader.
 */
#ifndef HAL_MARK_CODE_H
#define HAL_MARK_CODE_H

enum hal_mark_code {
	HAL_MARK_WINDOWS,     /* at the first byte of the scratchpad windows */
	HAL_MARK_WINDOWS_END, /* at the first byte after them */
	HAL_MARK_HART,        /* at this hart's own window */
	HAL_MARK_LEADER,      /* at the window of its group's management hart */
	HAL_MARK_NUMBER,      /* at 16 bytes: a number begins, whose digits are places in them */
	HAL_MARK_DIGIT,       /* at byte d of the 16: the number times 16 plus d */
	HAL_MARK_BEGIN,       /* at a name: a section begins on this hart */
	HAL_MARK_END,         /* it ends, the number is its count of messages */
	HAL_MARK_DMA_START,   /* at anything: a transfer of that many bytes begins, known by it */
	HAL_MARK_DMA_WAIT,    /* this hart goes on when it has ended */
	HAL_MARK_DMA_ROWS,    /* at anything: the next transfer has that many rows of its size */
	HAL_MARK_DMA_MOVE,    /* at anything: this hart begins to do an engine's work itself */
	HAL_MARK_DMA_MOVED,   /* it has done the work, which takes no time of its own */
	HAL_MARK_PORT,        /* at anything: the next transfer is by the port of that number */
	HAL_MARK_PAGE,        /* at a page's address */
	HAL_MARK_PAGE_AT,     /* at its memory, on all harts; after HART on this hart */
	HAL_MARK_CODES
};

/*
 * RISC-V: slti x0, x0, HINT + code. The manual (RV32I, "HINT Instructions") leaves slti with x0 as
 * its destination to custom use. AArch64: hint #(HINT + code), unallocated: a nop (Arm ARM C6.2,
 * HINT).
 */
#define HAL_MARK_HINT_RISCV 0x4c0
#define HAL_MARK_HINT_ARM 0x70

#endif
