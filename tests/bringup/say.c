/* say.c - text on the console without a C library. say.h has the interface. */
#include <stdarg.h>
#include <string.h>

#include <hal/board.h>
#include <hal/console.h>
#include <hal/cpu.h>
#include <hal/host.h>

#include "say.h"

unsigned climbing = 1;

static void say_number(unsigned long n, unsigned base)
{
	char digits[24];
	unsigned at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	hal_console_write(digits + at, sizeof(digits) - at);
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	while (*format) {
		const char *stop = strchr(format, '%');

		if (!stop) {
			hal_console_write(format, strlen(format));
			break;
		}
		hal_console_write(format, (size_t)(stop - format));
		if (stop[1] == 's') {
			const char *text = va_arg(args, const char *);

			hal_console_write(text, strlen(text));
			format = stop + 2;
			continue;
		}
		say_number(va_arg(args, unsigned long), stop[2] == 'x' ? 16 : 10);
		format = stop + 3;
	}
	va_end(args);
}

/* The launcher reads the exit code from the last line where no host answers: hal/host.h. */
void end(unsigned rung, unsigned wrong)
{
	say("rung %lu: %s\n", (unsigned long)rung, wrong ? "WRONG" : "passed");
	if (hal_board.is_process) {
		hal_host_find();
		hal_host_exit(!!wrong);
	}
	say("\ncohart: exit code %lu\n", (unsigned long)!!wrong);
	if (hal_board.end)
		hal_board.end(hal_board.end_by, !!wrong);
	hal_cpu_halt();
}
