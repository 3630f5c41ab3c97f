# Spike, the RISC-V simulator; its devices are where QEMU's virt machine has them.
BOARD_ARCH := riscv
BOARD_CROSS := riscv64-unknown-elf-
BOARD_SPECS := picolibc.specs
BOARD_CFLAGS := -march=rv64gc -mabi=lp64d -mcmodel=medany
BOARD_NO_FP := -march=rv64imac -mabi=lp64 -misa-spec=2.2
BOARD_DRIVERS := no_alarm ns16550 plic fdt sifive_test htif semihost
BOARD_QEMU := qemu-system-riscv64 -machine virt -bios none
BOARD_RUNNERS := spike rvvm
BOARD_HARTS := 5
BOARD_MAX_HARTS := 128
