# QEMU's Arm virt machine, 64 bit, with GICv3.
BOARD_ARCH := aarch64
BOARD_CROSS := aarch64-linux-gnu-
BOARD_SPECS := /usr/lib/picolibc/aarch64-linux-gnu/picolibc.specs
BOARD_CFLAGS := -mcpu=cortex-a76 -mno-fix-cortex-a53-843419 -fno-pic -no-pie -static -Ihal/drivers/gicv3
BOARD_DRIVERS := pl011 gicd gicv3 gicv3_alarm psci fdt semihost uplink_ram
BOARD_QEMU := qemu-system-aarch64 -machine virt,gic-version=3,acpi=off -cpu cortex-a76 -nic none
BOARD_HARTS := 5
BOARD_MAX_HARTS := 512
