/*
 * locality.c - a plug-in of QEMU's that sees where each hart's loads, stores and atomics go and
 * what that would cost on a machine whose latencies a profile gives.
 *
 * Blocks of instructions are looked at when QEMU translates them; what they execute then comes
 * here. QEMU must run all harts on one thread (qemu/run starts it so): so nothing here is shared,
 * and the order of writes and reads is the order in which they come. What has been counted is
 * written to a file at the end, which tools/locality turns into tables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "decode.h"
#include "machine.h"
#include "qemu_api.h"

/* What an instruction does in a section; most are in one or two. */
struct tally {
	struct tally *next;
	unsigned section;
	uint64_t counts[COUNTS];
};

struct insn {
	const struct block *block;
	unsigned place; /* in the block */
	unsigned mark;
	enum insn_kind kind;
	struct tally *tallies;
};

struct block {
	struct block_place at; /* in instructions */
	struct tally *tallies; /* COUNT_INSNS: of the whole block */
	uint32_t *offsets;     /* of its instructions */
	struct insn *insns;
};

QEMU_API int qemu_plugin_version = 1;

static struct block *current[MAX_HARTS];
static const char *out_path;

/*
 * QEMU runs a hart for up to 100 ms before the next, unless somebody asks for that. Its plug-in
 * interface cannot, its program can: without these two the model still runs, in long slices.
 */
extern __thread void *current_cpu __attribute__((weak));
void cpu_exit(void *cpu) __attribute__((weak));

/* The hart stops before its next block, and the others come first. */
static void give_way(void)
{
	if (cpu_exit)
		cpu_exit(current_cpu);
}

static uint64_t *tally_of(struct tally **list, unsigned section)
{
	struct tally *t;

	for (t = *list; t; t = t->next) {
		if (t->section == section)
			return t->counts;
	}
	t = calloc(1, sizeof(*t));
	t->section = section;
	t->next = *list;
	*list = t;
	return t->counts;
}

static void on_block(unsigned vcpu, void *data)
{
	struct hart *h = machine_hart(vcpu);
	struct block *b = data;

	if (machine_block(h, (unsigned)b->at.length))
		give_way();
	current[vcpu] = b;
	if (!machine_engine(h))
		tally_of(&b->tallies, machine_section(h))[COUNT_INSNS] += b->at.length;
}

/*
 * Where a device is touched in the middle of a block, QEMU that counts instructions leaves the
 * block and runs that instruction anew, alone, without saying that a block begins; what comes after
 * it is a block of its own.
 * @return its place in the block that was left
 */
static unsigned leave_block(unsigned vcpu, const struct insn *insn)
{
	struct hart *h = machine_hart(vcpu);
	struct block *b = current[vcpu];
	uint64_t offset = insn->block->at.pc + insn->block->offsets[insn->place] - b->at.pc;

	for (unsigned i = 0; i < b->at.length; i++) {
		if (b->offsets[i] != offset)
			continue;
		tally_of(&b->tallies, machine_section(h))[COUNT_INSNS] -= machine_cut(h, i + 1);
		return i;
	}
	return insn->place;
}

static void on_access(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	struct hart *h = machine_hart(vcpu);
	struct insn *insn = data;
	bool store = qemu_plugin_mem_is_store(info);
	unsigned place = insn->block == current[vcpu] ? insn->place : leave_block(vcpu, insn);

	if (insn->kind == INSN_REST || (insn->kind == INSN_POSTED && !store))
		return; /* the memory's business */
	if (machine_access(h, place, address, store,
			   insn->kind == INSN_ATOMIC   ? ACCESS_ATOMIC
			   : insn->kind == INSN_POSTED ? ACCESS_POSTED
						       : ACCESS_PLAIN,
			   tally_of(&insn->tallies, machine_section(h))))
		give_way();
}

static void on_ring(unsigned vcpu, void *data)
{
	struct hart *h = machine_hart(vcpu);
	struct insn *insn = data;

	machine_ring(h, tally_of(&insn->tallies, machine_section(h)));
	give_way();
}

static void on_wait(unsigned vcpu, void *data)
{
	(void)data;
	machine_sleep(machine_hart(vcpu));
}

static void on_zero_line(unsigned vcpu, void *data)
{
	(void)data;
	machine_zero_line(machine_hart(vcpu));
}

static void on_mark(unsigned vcpu, void *data)
{
	const struct insn *insn = data;

	machine_mark(machine_hart(vcpu), insn->place, (enum hal_mark_code)insn->mark);
}

static qemu_on_exec *const on_kind[] = {
	[INSN_PLAIN] = NULL,   [INSN_REST] = NULL,
	[INSN_POSTED] = NULL,  [INSN_ATOMIC] = NULL,
	[INSN_WAIT] = on_wait, [INSN_RING] = on_ring,
	[INSN_MARK] = on_mark, [INSN_ZERO_LINE] = on_zero_line,
};

/* The record of a block, which may have been translated before. */
static struct block *block_of(uint64_t pc, unsigned n)
{
	struct block *b = block_at(pc, n, sizeof(*b));

	if (!b->insns) {
		b->insns = calloc(n, sizeof(*b->insns));
		b->offsets = calloc(n, sizeof(*b->offsets));
	}
	return b;
}

static void on_translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	unsigned n = (unsigned)qemu_plugin_tb_n_insns(tb);
	struct block *b = block_of(qemu_plugin_tb_vaddr(tb), n);
	uint32_t offset = 0;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, b);
	for (unsigned i = 0; i < n; i++) {
		struct qemu_plugin_insn *q = qemu_plugin_tb_get_insn(tb, i);
		struct insn *insn = &b->insns[i];
		size_t size = qemu_plugin_insn_size(q);
		enum insn_kind kind = decode(qemu_plugin_insn_data(q), size, &insn->mark);

		insn->block = b;
		insn->place = i;
		insn->kind = kind;
		b->offsets[i] = offset;
		offset += (uint32_t)size;
		qemu_plugin_register_vcpu_mem_cb(q, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, insn);
		if (on_kind[kind])
			qemu_plugin_register_vcpu_insn_exec_cb(q, on_kind[kind],
							       QEMU_PLUGIN_CB_NO_REGS, insn);
	}
}

static void write_tallies(FILE *f, uint64_t pc, const struct tally *t)
{
	for (; t; t = t->next) {
		fprintf(f, "pc 0x%llx %u", (unsigned long long)pc, t->section);
		for (unsigned c = 0; c < COUNTS; c++)
			fprintf(f, " %llu", (unsigned long long)t->counts[c]);
		fprintf(f, "\n");
	}
}

static void write_block(void *block, void *file)
{
	const struct block *b = block;

	write_tallies(file, b->at.pc, b->tallies);
	for (unsigned i = 0; i < b->at.length; i++)
		write_tallies(file, b->at.pc + b->offsets[i], b->insns[i].tallies);
}

/* The end: hart lines, section lines, pc lines, each with COUNTS numbers. */
static void on_exit_(uint64_t id, void *data)
{
	FILE *f = fopen(out_path, "w");

	(void)id;
	(void)data;
	if (!f) {
		fprintf(stderr, "locality: %s cannot be written\n", out_path);
		return;
	}
	fprintf(f, "slices %s\n", cpu_exit ? "short" : "long");
	machine_write(f);
	block_each(write_block, f);
	fclose(f);
}

static bool set(const char *name, const char *value)
{
	char *end;
	unsigned long long n = strtoull(value, &end, 0);

	if (strcmp(name, "profile") == 0)
		return profile_read(value, &setup.profile);
	if (strcmp(name, "out") == 0) {
		out_path = value;
		return true;
	}
	if (*end)
		return false;
	if (strcmp(name, "ram") == 0)
		setup.ram = n;
	else if (strcmp(name, "ram-bytes") == 0)
		setup.ram_bytes = n;
	else if (strcmp(name, "window-bytes") == 0)
		setup.window_bytes = n;
	else
		return false;
	return true;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!value || (*value = '\0', !set(argv[i], value + 1))) {
			fprintf(stderr, "locality: cannot use the argument '%s'\n", argv[i]);
			return 1;
		}
	}
	if (!info->system_emulation || !decode_knows(info->target_name)) {
		fprintf(stderr, "locality: not for %s\n", info->target_name);
		return 1;
	}
	setup.harts = (unsigned)info->system.smp_vcpus;
	if (!out_path || !setup.ram_bytes || !setup.window_bytes || setup.harts > MAX_HARTS) {
		fprintf(stderr,
			"locality: profile=, out=, ram=, ram-bytes= and window-bytes= say what to do, for at most %u harts\n",
			MAX_HARTS);
		return 1;
	}
	if (!machine_init()) {
		fprintf(stderr, "locality: no memory to watch %llu bytes of RAM\n",
			(unsigned long long)setup.ram_bytes);
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_, NULL);
	return 0;
}
