# This PC: a program for x86-64 Linux, a thread a hart. SAN=thread, address or undefined looks on.
BOARD_ARCH := host
BOARD_LIBC := host
BOARD_CFLAGS := -pthread -fno-pie -D_GNU_SOURCE
BOARD_LDFLAGS := -no-pie -Wl,-e,hal_host_start
BOARD_LD := linker/host.ld.S
BOARD_SANS := thread address undefined address,undefined
BOARD_SAN_CFLAGS := -fno-sanitize-recover=all -fno-sanitize=null -Wno-frame-larger-than
BOARD_DRIVERS := no_alarm semihost
BOARD_WITHOUT := hal/map.c hal/bytes.c
BOARD_NO_TESTS := libc lost_print malloc posix printf pthread locality
BOARD_HARTS := 5
BOARD_MAX_HARTS := 512
BOARD_NO_APPS := mpi/% molecules turbulence
