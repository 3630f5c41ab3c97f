/* decode.h - which instructions concern the plug-in, on each architecture. */
#ifndef LOCALITY_DECODE_H
#define LOCALITY_DECODE_H

#include <stdbool.h>
#include <stddef.h>

enum insn_kind {
	INSN_PLAIN,
	INSN_ATOMIC, /* LR, SC, AMO; exclusives, LSE: not load-acquire and store-release */
	INSN_REST,   /* what follows an atomic and is a part of it: 32-bit Arm's store-exclusive */
	INSN_POSTED, /* an atomic whose answer goes to the zero register: nobody waits for it */
	INSN_WAIT,   /* wfi, wfe */
	INSN_RING,   /* a doorbell that is no access to memory: to ICC_SGI1R */
	INSN_MARK,   /* hal/mark.h */
	INSN_ZERO_LINE /* dc zva: QEMU tells no address */
};

/* QEMU's name of the target: is it one that is known here? */
bool decode_knows(const char *target);

/* @param mark  where a mark's code goes */
enum insn_kind decode(const void *bytes, size_t size, unsigned *mark);

#endif
