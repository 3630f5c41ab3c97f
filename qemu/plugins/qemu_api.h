/*
 * qemu_api.h - what the plug-in uses of QEMU's plug-in interface, version 1 (QEMU 4.2 to 8.2).
 *
 * QEMU's own header comes with its sources alone, no Debian package has it; so the few functions
 * are declared here, after the documentation.
 * Source: QEMU 7.2 documentation, Developer Information, "QEMU TCG Plugins".
 */
#ifndef QEMU_API_H
#define QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_API __attribute__((visibility("default")))

struct qemu_info_t {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

/* QEMU looks for these two in a plug-in. */
extern QEMU_API int qemu_plugin_version;
QEMU_API int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc,
				 char **argv);

struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };

typedef void qemu_on_exec(unsigned vcpu, void *data);
typedef void qemu_on_access(unsigned vcpu, uint32_t info, uint64_t address, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*f)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_on_exec *f,
					  enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_on_exec *f,
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_on_access *f,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *data);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*f)(uint64_t id, void *data), void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(uint32_t info);

#endif
