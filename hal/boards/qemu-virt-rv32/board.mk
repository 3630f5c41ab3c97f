# QEMU's RISC-V virt machine, 32 bit: the devices are its sibling's.
BOARD_BASE := qemu-virt-rv64
BOARD_ARCH := riscv
BOARD_CROSS := riscv64-unknown-elf-
BOARD_SPECS := picolibc.specs
BOARD_CFLAGS := -march=rv32gc -mabi=ilp32d
BOARD_NO_FP := -march=rv32imac -mabi=ilp32 -misa-spec=2.2
BOARD_DRIVERS := ns16550 plic fdt sifive_test semihost
BOARD_QEMU := qemu-system-riscv32 -machine virt,aclint=on -bios none
BOARD_HARTS := 5
BOARD_MAX_HARTS := 64
