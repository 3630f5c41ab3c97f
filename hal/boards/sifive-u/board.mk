# HiFive Unleashed (SiFive FU540): hart 0 is an E51 without FPU and S-mode, harts 1 to 4 are U54.
BOARD_ARCH := riscv
BOARD_CROSS := riscv64-unknown-elf-
BOARD_SPECS := picolibc.specs
# No floating point but in kernels; no LR/SC: the E51 has no data cache, and the L2-LIM is in none.
BOARD_CFLAGS := -march=rv64imac -mabi=lp64 -misa-spec=2.2 -mcmodel=medany -DCO_NO_FP -DCO_NO_CAS
BOARD_KERNEL_CFLAGS := -march=rv64gc -mabi=lp64
BOARD_DRIVERS := no_alarm sifive_uart sifive_pdma plic fdt semihost
BOARD_QEMU := qemu-system-riscv64 -machine sifive_u -bios none -nic user
BOARD_FLASH := 0:32M
# The model of locality knows no scratchpads outside RAM; the board has an engine of its own; and switches save no
# floating-point registers.
BOARD_NO_TESTS := dma_absent dma_engine float lost_engine locality
BOARD_HARTS := 5
BOARD_MIN_HARTS := 2
BOARD_MAX_HARTS := 5
