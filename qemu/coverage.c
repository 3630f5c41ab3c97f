/*
 * coverage.c - a plug-in of QEMU's that notes which instructions of the guest ran, and in which of
 * its ways each block of them ended.
 *
 * A block ends at each jump. Of each block the first WAYS different blocks that ran next on its
 * hart are noted: a conditional jump has two, and where an interrupt came first, its handler is one
 * more. An instruction counts as run if its block was begun.
 *
 * out=FILE gets a line for each instruction that ran, its address, and one for each way: the
 * address of a block's last instruction, a blank, that of the next block. Either may be there
 * twice. tools/lines leads them back to lines and branches.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <dlfcn.h>

#include <cohart/atomic.h>

#include "plugins/blocks.h"
#include "plugins/qemu_api.h"

#define WAYS 4

struct block {
	struct block_place place;
	struct co_aword ways[WAYS]; /* addresses; all ones: none yet */
	size_t n;
	struct co_a32 ran;
	uint8_t insn_bytes[];
};

static const uintptr_t none = UINTPTR_MAX;

/* What ran last, by hart. */
static struct {
	_Alignas(64) struct block *last;
} * harts;

static const char *out_path;

/* QEMU translates by each hart's thread. */
static pthread_mutex_t blocks = PTHREAD_MUTEX_INITIALIZER;

QEMU_API int qemu_plugin_version = 1;

/* From 9.0 on QEMU asks for version 2 at least; of what is used here the two are alike. */
__attribute__((constructor)) static void choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_num_vcpus"))
		qemu_plugin_version = 2;
}

/* relaxed: a way is its address alone, whichever hart's thread has noted it. */
static void note_way(struct block *b, uintptr_t to)
{
	for (unsigned i = 0; i < WAYS; i++) {
		struct co_aword *way = &b->ways[i];

		if (co_atomic_load(way, CO_RELAXED) == none && co_atomic_cas(way, none, to))
			return;
		if (co_atomic_load(way, CO_RELAXED) == to)
			return;
	}
}

static void on_exec(unsigned hart, void *block)
{
	struct block *b = block, *last = harts[hart].last;

	if (last)
		note_way(last, b->place.pc);
	harts[hart].last = b;
	/* relaxed: read at the end. */
	if (!co_atomic_load(&b->ran, CO_RELAXED))
		co_atomic_store(&b->ran, 1, CO_RELAXED);
}

static void on_translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	uint64_t bytes = 0;
	struct block *b;

	(void)id;
	for (size_t i = 0; i < n; i++)
		bytes += qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i));
	pthread_mutex_lock(&blocks);
	b = block_at(qemu_plugin_tb_vaddr(tb), bytes, sizeof(*b) + n);
	if (!b->n) {
		memset(b->ways, 0xff, sizeof(b->ways));
		for (size_t i = 0; i < n; i++)
			b->insn_bytes[i] =
				(uint8_t)qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i));
		b->n = n;
	}
	pthread_mutex_unlock(&blocks);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_exec, QEMU_PLUGIN_CB_NO_REGS, b);
}

static void write_block(void *block, void *file)
{
	const struct block *b = block;
	unsigned long long at = b->place.pc;

	/* relaxed, here and below: no hart runs any more. */
	if (!co_atomic_load(&b->ran, CO_RELAXED))
		return;
	for (size_t i = 0; i < b->n; at += b->insn_bytes[i++])
		fprintf(file, "%llx\n", at);
	at -= b->insn_bytes[b->n - 1];
	for (unsigned i = 0; i < WAYS; i++) {
		uintptr_t to = co_atomic_load(&b->ways[i], CO_RELAXED);

		if (to != none)
			fprintf(file, "%llx %llx\n", at, (unsigned long long)to);
	}
}

static void on_exit_(uint64_t id, void *data)
{
	FILE *f = fopen(out_path, "w");

	(void)id;
	(void)data;
	if (f)
		block_each(write_block, f);
	if (!f || fclose(f))
		fprintf(stderr, "coverage: %s cannot be written\n", out_path);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 || !info->system_emulation) {
		fprintf(stderr, "coverage: out=FILE says where to, for a system's QEMU\n");
		return 1;
	}
	out_path = strdup(argv[0] + 4);
	harts = aligned_alloc(64, (size_t)info->system.max_vcpus * sizeof(*harts));
	if (!out_path || !harts)
		return 1;
	memset(harts, 0, (size_t)info->system.max_vcpus * sizeof(*harts));
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_, NULL);
	return 0;
}
