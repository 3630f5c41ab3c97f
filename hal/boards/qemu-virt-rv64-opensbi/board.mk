# QEMU's RISC-V virt machine, 64 bit, above OpenSBI: how silicon boots.
BOARD_ARCH := riscv
BOARD_CROSS := riscv64-unknown-elf-
BOARD_SPECS := picolibc.specs
BOARD_CFLAGS := -march=rv64gc -mabi=lp64d -mcmodel=medany
BOARD_NO_FP := -march=rv64imac -mabi=lp64 -misa-spec=2.2
BOARD_DRIVERS := sbi no_alarm ns16550 plic fdt semihost
BOARD_QEMU := qemu-system-riscv64 -machine virt -bios default
BOARD_QEMU_BANNER := Boot HART MEDELEG
BOARD_HARTS := 5
BOARD_MAX_HARTS := 128
