# PolarFire SoC Icicle Kit: hart 0 is an E51 without FPU and S-mode, harts 1 to 4 are U54.
BOARD_ARCH := riscv
BOARD_CROSS := riscv64-unknown-elf-
BOARD_SPECS := picolibc.specs
# No floating point but in kernels; no LR/SC: the E51 has no data cache, and the L2-LIM is in none.
BOARD_CFLAGS := -march=rv64imac -mabi=lp64 -misa-spec=2.2 -mcmodel=medany -DCO_NO_FP -DCO_NO_CAS -DHAL_UART_STRIDE=4
BOARD_KERNEL_CFLAGS := -march=rv64gc -mabi=lp64
BOARD_DRIVERS := no_alarm ns16550 sifive_pdma plic pfsoc_devices semihost
# The model starts harts in the eNVM, where no option puts a boot loader: here in five instructions in the E51's memory,
# which enter the image with the hart's number, as a boot loader does.
BOARD_QEMU := qemu-system-riscv64 -machine microchip-icicle-kit \
	-device loader,addr=0x1000000,data=0x02fe4285f1402573,data-len=8 \
	-device loader,addr=0x1000008,data=0x82824581,data-len=4 -device loader,addr=0x1000000,cpu-num=0 \
	-device loader,addr=0x1000000,cpu-num=1 -device loader,addr=0x1000000,cpu-num=2 \
	-device loader,addr=0x1000000,cpu-num=3 -device loader,addr=0x1000000,cpu-num=4
BOARD_QEMU_NOISE := : warning: nic cadence_gem
BOARD_LOADED_BY := -bios
BOARD_CORES := 5
BOARD_MEM := 2048
# As of sifive-u: windows outside RAM, an engine of its own, no floating-point registers saved.
BOARD_NO_TESTS := dma_absent dma_engine float lost_engine locality
BOARD_HARTS := 5
BOARD_MIN_HARTS := 2
BOARD_MAX_HARTS := 5
