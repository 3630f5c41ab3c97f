# AMD ZCU102 (Zynq UltraScale+): four Cortex-A53, EL1 with PSCI.
BOARD_ARCH := aarch64
BOARD_CROSS := aarch64-linux-gnu-
BOARD_SPECS := /usr/lib/picolibc/aarch64-linux-gnu/picolibc.specs
BOARD_CFLAGS := -mcpu=cortex-a53 -mno-outline-atomics -fno-pic -no-pie -static
BOARD_DRIVERS := cadence_uart gic gicd gicv2 gicv3 psci zdma zynqmp_devices semihost
BOARD_QEMU := qemu-system-aarch64 -machine xlnx-zcu102 -nic none -audiodev none,id=none
BOARD_FLASH := 2:64M 3:64M 4:64M 5:64M
BOARD_QEMU_NOISE := ^audio: Device xlnx_dp\|: warning: nic cadence_gem
BOARD_NO_TESTS := dma_absent dma_engine lost_engine locality
BOARD_CORES := 4
BOARD_MEM := 2048
BOARD_HARTS := 4
BOARD_MAX_HARTS := 4
BOARD_NO_VARIANTS := NOCAS
