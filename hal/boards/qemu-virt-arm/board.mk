# QEMU's Arm virt machine, 32 bit: GICv2 for up to 8 harts, GICv3 beyond.
BOARD_ARCH := arm
BOARD_CROSS := arm-none-eabi-
BOARD_SPECS := picolibc.specs
BOARD_LIBC := picolibc newlib
# Before GCC's own stdint.h, which lacks what newlib's inttypes.h asks for.
BOARD_NEWLIB := -isystem /usr/include/newlib
BOARD_CFLAGS := -marm -mcpu=cortex-a15 -mfpu=neon-vfpv4 -mfloat-abi=hard -mtp=cp15
BOARD_DRIVERS := pl011 gic gicd gicv2 gicv3 psci fdt semihost
BOARD_QEMU := qemu-system-arm -machine virt,gic-version=2 -cpu cortex-a15 -nic none
BOARD_QEMU_FROM_9 := qemu-system-arm -machine virt,gic-version=3 -cpu cortex-a15 -nic none
BOARD_HARTS := 5
BOARD_MAX_HARTS := 64
# Its atomics are loops of load-exclusive and store-exclusive: none is less than a compare-and-swap.
BOARD_NO_VARIANTS := NOCAS
BOARD_NO_FP := -mcpu=cortex-a15+nofp -mfloat-abi=soft
