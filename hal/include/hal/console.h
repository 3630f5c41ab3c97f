/*
 * console.h - the console: bytes out and in.
 */
#ifndef HAL_CONSOLE_H
#define HAL_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The UART's line at the interrupt controller, which its driver sets; 0: none. */
extern unsigned hal_console_line;

/*
 * Write bytes to the board's UART, polling until it has taken them. "\n" is sent as it is.
 * Context: a management hart (the proxy keeps lines whole), or any hart that is about to stop.
 */
void hal_console_write(const char *s, size_t bytes);

/* Write a name, and all digits of a number. Context: as hal_console_write(). */
void hal_console_write_hex(const char *name, uintptr_t v);

/*
 * Two bytes of the input are not data: DLE says that the byte after it is, whatever it is; EOT
 * without it says that this was all.
 */
#define HAL_CONSOLE_EOT 0x04
#define HAL_CONSOLE_DLE 0x10

/*
 * Take the input that has arrived, up to `bytes`, at least 2; the rest stays in the UART.
 * @return bytes; 0: nothing has arrived
 * Context: hart 0.
 */
size_t hal_console_read(char *s, size_t bytes);

/*
 * Let input that is there end hart 0's hal_irq_wait(), until it is asked not to. After `true` the
 * caller looks once more before it sleeps.
 * Context: hart 0.
 */
void hal_console_listen(bool on);

#endif
