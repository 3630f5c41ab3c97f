# QEMU's RISC-V virt machine, 64 bit.
BOARD_ARCH := riscv
BOARD_CROSS := riscv64-unknown-elf-
BOARD_SPECS := picolibc.specs
BOARD_CFLAGS := -march=rv64gc -mabi=lp64d -mcmodel=medany
BOARD_NO_FP := -march=rv64imac -mabi=lp64 -misa-spec=2.2
BOARD_DRIVERS := ns16550 plic fdt sifive_test semihost uplink_ram
BOARD_QEMU := qemu-system-riscv64 -machine virt,aclint=on -bios none
BOARD_HARTS := 5
BOARD_MAX_HARTS := 512
