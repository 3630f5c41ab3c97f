/*
 * branches.c - a plug-in of QEMU's that notes which instructions were executed, and which ways each
 * conditional branch went.
 *
 * QEMU ends a block at a branch: what a branch did shows where the hart's next block begins. Where
 * that is neither the target nor behind the branch, an interrupt came between, and nothing is
 * noted. Several harts may note at once; marks are only ever set, to the same value, so nothing is
 * lost.
 */
#include <stdio.h>
#include <string.h>

#include "../blocks.h"
#include "../qemu_api.h"

#define MAX_HARTS 1024u

struct block {
	struct block_place at;   /* in bytes */
	uint64_t branch, target; /* the conditional branch that ends it; 0: it has none */
	unsigned char ran, taken, passed;
};

QEMU_API int qemu_plugin_version = 1;

static struct block *last[MAX_HARTS]; /* the block that each hart was in */
static const char *out_path;
static bool is_arm;

/* A number of so many bits, whose highest is its sign. */
static int64_t extend(uint32_t n, unsigned bits)
{
	return (int64_t)((uint64_t)n << (64 - bits)) >> (64 - bits);
}

/*
 * How far from itself it jumps, or 0 if it is no conditional branch.
 * Source: The RISC-V Instruction Set Manual I, chapters "Conditional Branches" (B-type) and "C"
 * (CB).
 */
static int64_t reach_riscv(uint32_t insn, size_t size)
{
	if (size == 2) {
		if ((insn & 0xc003) != 0xc001) /* c.beqz, c.bnez */
			return 0;
		return extend((insn >> 12 & 1) << 8 | (insn >> 5 & 3) << 6 | (insn >> 2 & 1) << 5 |
				      (insn >> 10 & 3) << 3 | (insn >> 3 & 3) << 1,
			      9);
	}
	if ((insn & 0x7f) != 0x63)
		return 0;
	return extend((insn >> 31) << 12 | (insn >> 7 & 1) << 11 | (insn >> 25 & 0x3f) << 5 |
			      (insn >> 8 & 0xf) << 1,
		      13);
}

/* Source: Arm ARM (DDI 0487) C4.1, "Branches, Exception Generating and System instructions". */
static int64_t reach_aarch64(uint32_t insn)
{
	if ((insn & 0xff000010) == 0x54000000 && (insn & 0xe) != 0xe) /* b.cond but for always */
		return 4 * extend(insn >> 5 & 0x7ffff, 19);
	if ((insn & 0x7e000000) == 0x34000000) /* cbz, cbnz */
		return 4 * extend(insn >> 5 & 0x7ffff, 19);
	if ((insn & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return 4 * extend(insn >> 5 & 0x3fff, 14);
	return 0;
}

static void on_block(unsigned vcpu, void *data)
{
	struct block *b = data;
	struct block *before = last[vcpu];

	b->ran = 1;
	if (before && before->branch) {
		if (b->at.pc == before->target)
			before->taken = 1;
		else if (b->at.pc == before->at.pc + before->at.length)
			before->passed = 1;
	}
	last[vcpu] = b;
}

static void on_translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), size = 0;
	uint64_t at = qemu_plugin_tb_vaddr(tb);
	uint64_t pc = at, end = at;
	uint32_t insn = 0;
	struct block *b;
	int64_t reach;

	(void)id;
	for (size_t i = 0; i < n; i++) {
		const struct qemu_plugin_insn *q = qemu_plugin_tb_get_insn(tb, i);

		size = qemu_plugin_insn_size(q);
		insn = 0;
		memcpy(&insn, qemu_plugin_insn_data(q), size < sizeof(insn) ? size : sizeof(insn));
		at = end;
		end += size;
	}
	b = block_at(pc, end - pc, sizeof(*b));
	reach = is_arm ? reach_aarch64(insn) : reach_riscv(insn, size);
	if (reach) {
		b->target = at + (uint64_t)reach;
		b->branch = at;
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, b);
}

/* Lines "block FIRST END", of what ran, and "branch AT TAKEN PASSED". */
static void write_block(void *block, void *file)
{
	const struct block *b = block;

	if (!b->ran)
		return;
	fprintf(file, "block %llx %llx\n", (unsigned long long)b->at.pc,
		(unsigned long long)(b->at.pc + b->at.length));
	if (b->branch)
		fprintf(file, "branch %llx %d %d\n", (unsigned long long)b->branch, b->taken,
			b->passed);
}

static void on_exit_(uint64_t id, void *data)
{
	FILE *f = fopen(out_path, "w");

	(void)id;
	(void)data;
	if (!f) {
		fprintf(stderr, "branches: %s cannot be written\n", out_path);
		return;
	}
	block_each(write_block, f);
	fclose(f);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	bool known = strncmp(info->target_name, "riscv", 5) == 0;

	is_arm = strcmp(info->target_name, "aarch64") == 0;
	if (!info->system_emulation || !(known || is_arm)) {
		fprintf(stderr, "branches: not for %s\n", info->target_name);
		return 1;
	}
	if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 ||
	    info->system.max_vcpus > (int)MAX_HARTS) {
		fprintf(stderr, "branches: out=FILE says where to write, for at most %u harts\n",
			MAX_HARTS);
		return 1;
	}
	out_path = argv[0] + 4;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_, NULL);
	return 0;
}
