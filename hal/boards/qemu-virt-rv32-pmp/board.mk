# QEMU's RISC-V virt machine, 32 bit, whose harts have machine mode and PMP alone: no page tables.
BOARD_ARCH := riscv
BOARD_CROSS := riscv64-unknown-elf-
BOARD_SPECS := picolibc.specs
BOARD_CFLAGS := -march=rv32imac -mabi=ilp32 -misa-spec=2.2
BOARD_DRIVERS := no_alarm ns16550 plic fdt sifive_test semihost
BOARD_QEMU := qemu-system-riscv32 -machine virt -cpu rv32,mmu=false,s=false,h=false,f=false,d=false -bios none
BOARD_HARTS := 2
BOARD_MAX_HARTS := 5
