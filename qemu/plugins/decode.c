/*
 * decode.c - see decode.h.
 *
 * Source: The RISC-V Instruction Set Manual I, chapter "RV32/64G Instruction Set Listings"; Arm ARM
 * (DDI 0487) C4.1 (load/store exclusive, atomic memory operations, hints, DC ZVA),
 * D (ICC_SGI1R_EL1); Arm ARM v7-A and v7-R (DDI 0406C) A5 (the same in ARM state).
 */
#include "decode.h"

#include <stdint.h>
#include <string.h>

#include "../../hal/include/hal/mark_code.h"

typedef enum insn_kind decoder(uint32_t insn, unsigned *mark);

static decoder *decode_word;

/*
 * ARM state. (The C library's Thumb code comes here too; what it would take for one of these is not
 * what compilers make.)
 */
static enum insn_kind decode_arm(uint32_t insn, unsigned *mark)
{
	if ((insn & 0xffffff00) == 0xe320f000) { /* hint */
		unsigned hint = insn & 0xff;

		*mark = hint - HAL_MARK_HINT_ARM;
		if (hint >= HAL_MARK_HINT_ARM && *mark < HAL_MARK_CODES)
			return INSN_MARK;
		return hint == 2 || hint == 3 ? INSN_WAIT : INSN_PLAIN;
	}
	if ((insn & 0x0ff00fff) == 0x0c400f0c) /* mcrr to ICC_SGI1R */
		return INSN_RING;
	if ((insn & 0x0f900fff) == 0x01900f9f) /* load-exclusive: the atomic that both make */
		return INSN_ATOMIC;
	return (insn & 0x0f900ff0) == 0x01800f90 ? INSN_REST : INSN_PLAIN;
}

static enum insn_kind decode_aarch64(uint32_t insn, unsigned *mark)
{
	if ((insn & 0xfffff01f) == 0xd503201f) { /* hint */
		unsigned hint = insn >> 5 & 0x7f;

		*mark = hint - HAL_MARK_HINT_ARM;
		if (hint >= HAL_MARK_HINT_ARM)
			return INSN_MARK;
		return hint == 2 || hint == 3 ? INSN_WAIT : INSN_PLAIN;
	}
	if ((insn & 0xffffffe0) == 0xd50b7420)
		return INSN_ZERO_LINE;
	if ((insn & 0xffffffe0) == 0xd518cba0)
		return INSN_RING;
	/* Exclusives and compare-and-swap; with bit 23 set and bit 21 clear, ordered plain ones. */
	if ((insn & 0x3f000000) == 0x08000000)
		return (insn & 0x00a00000) == 0x00800000 ? INSN_PLAIN : INSN_ATOMIC;
	/* Atomic memory operations; ldapr among them is a plain load with order. */
	if ((insn & 0x3f200c00) != 0x38200000 || (insn & 0x3ffffc00) == 0x38bfc000)
		return INSN_PLAIN;
	return (insn & 0x1f) == 0x1f ? INSN_POSTED : INSN_ATOMIC;
}

static enum insn_kind decode_riscv(uint32_t insn, unsigned *mark)
{
	/* slti x0, x0, imm */
	if ((insn & 0x000fffff) == 0x00002013) {
		*mark = (insn >> 20) - HAL_MARK_HINT_RISCV;
		return *mark < HAL_MARK_CODES ? INSN_MARK : INSN_PLAIN;
	}
	if (insn == 0x10500073)
		return INSN_WAIT;
	if ((insn & 0x7f) != 0x2f)
		return INSN_PLAIN;
	/* Neither LR nor SC, and rd is x0. */
	return insn >> 28 != 1 && !(insn & 0xf80) ? INSN_POSTED : INSN_ATOMIC;
}

bool decode_knows(const char *target)
{
	static const struct {
		const char *target;
		decoder *decode;
	} known[] = {
		{ "aarch64", decode_aarch64 },
		{ "arm", decode_arm },
		{ "riscv32", decode_riscv },
		{ "riscv64", decode_riscv },
	};

	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(target, known[i].target) == 0)
			decode_word = known[i].decode;
	}
	return decode_word;
}

enum insn_kind decode(const void *bytes, size_t size, unsigned *mark)
{
	uint32_t insn;

	/* Compressed ones are none of these. */
	if (size != sizeof(insn))
		return INSN_PLAIN;
	memcpy(&insn, bytes, sizeof(insn));
	return decode_word(insn, mark);
}
