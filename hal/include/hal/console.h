/*
 * console.h - the console: bytes out, for diagnostics.
 */
#ifndef HAL_CONSOLE_H
#define HAL_CONSOLE_H

#include <stddef.h>

/*
 * Write bytes to the board's UART, polling until it has taken them. "\n" is sent as it is.
 * Context: a management hart (the proxy keeps lines whole), or any hart that is about to stop.
 */
void hal_console_write(const char *s, size_t bytes);

#endif
