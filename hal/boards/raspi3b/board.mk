# Raspberry Pi 3 model B (BCM2837): four Cortex-A53.
BOARD_ARCH := aarch64
BOARD_CROSS := aarch64-linux-gnu-
BOARD_SPECS := /usr/lib/picolibc/aarch64-linux-gnu/picolibc.specs
BOARD_CFLAGS := -mcpu=cortex-a53 -mno-outline-atomics -fno-pic -no-pie -static
BOARD_DRIVERS := pl011 bcm2836 bcm2836_mailbox spin_table bcm2837_devices semihost
BOARD_QEMU := qemu-system-aarch64 -machine raspi3b
BOARD_RAW := kernel8.img
BOARD_TRACE := trace:memory_region_ops_write,trace:memory_region_ops_read
BOARD_CORES := 4
BOARD_MEM := 1024
BOARD_HARTS := 4
BOARD_MAX_HARTS := 4
BOARD_NO_VARIANTS := NOCAS
BOARD_NO_TESTS := mailbox_driver locality
